/** Why the page cannot show what its URL asks for, and what to do about it. */

import { errorSentence, withStop } from "./sentences.js";
import { DEFAULT_VARIANT, USUAL_LIMITS, USUAL_RULES, newGame, urlOf } from "./state.js";
import { t } from "./text.js";

/** Kinds of errors that come of what the URL says. */
const ADDRESS = Object.freeze(["bad request", "not found", "no variant", "too long"]);

const find = (id) => document.getElementById(id);

/**
 * Show what is wrong: with a way to ask again if that may help, and one to begin anew.
 *
 * @param {import("./api.js").ApiError|Error|null} error null: nothing is wrong.
 * @param {import("./state.js").State} state
 * @param {object|null} catalogue the variants there are; null: not known.
 * @param {object|null} variant the one that is played; null: there is none as the URL asks for.
 */
export function showProblem(error, state, catalogue, variant) {
  find("problem").hidden = !error;
  if (!error) {
    return;
  }
  const isAddress = ADDRESS.includes(error.kind);
  const said = reasonOf(error);
  find("problem-text").textContent = isAddress ? t("error.address", { error: said }) : said;
  find("retry").hidden = isAddress;
  find("reset").hidden = !isAddress;
  const rules = variant ? USUAL_LIMITS : soundRules(state, catalogue);
  find("reset").href = urlOf(newGame(state, rules));
}

/** What is wrong; where only the server knows it, in its words. */
function reasonOf(error) {
  if (error.kind === "no variant") {
    return error.error;
  }
  const isServers = !error.law && ["bad request", "not found"].includes(error.kind);
  return isServers ? t("error.detail", { error: withStop(error.error) }) : errorSentence(error);
}

/** The variant without its options, or the usual one if there is none of its name. */
function soundRules({ variant }, catalogue) {
  const isKnown = catalogue?.variants.some((each) => each.variant === variant);
  return { ...USUAL_RULES, variant: isKnown ? variant : DEFAULT_VARIANT };
}
