/**
 * What is said where a table is missing: what makes it and what that takes, and where there are
 * tables instead.
 */

import { askPlan } from "./api.js";
import { made } from "./html.js";
import { copy } from "./listening.js";
import { missingSentence, planWords, variantName } from "./sentences.js";
import { USUAL_RULES, newGame, urlOf } from "./state.js";
import { t } from "./text.js";

/**
 * @typedef {object} Plans
 * @property {object} own the server's, for the missing table.
 * @property {{variant: string, position: string|null}[]} there examples whose tables are there.
 * @property {object} small the server's, for a game that is solved at once.
 */

/** Games to show where there is nothing else to see, with the sector that they need. */
const EXAMPLES = Object.freeze([
  { variant: "three", position: null, sector: "0-0+3-3" },
  { variant: "nine", position: "w:Wa4,b6,c3,g4:Ba1,a7,g1,g7", sector: "4-4" },
]);

/**
 * Ask what making a table takes, and which examples have theirs.
 *
 * @param {import("./state.js").State} state
 * @param {string} sector that has no table.
 * @param {AbortSignal} signal
 * @returns {Promise<Plans>} rejected like any question to the server.
 */
export async function askPlans(state, sector, signal) {
  const [own, ...plans] = await Promise.all([
    askPlan(state, sector, signal),
    ...EXAMPLES.map((example) => askPlan({ ...example, options: [] }, example.sector, signal)),
  ]);
  const there = EXAMPLES.filter((_, place) => plans[place].tables === 0);
  return { own, there, small: plans[0] };
}

/**
 * Show which table is missing, and what can be done.
 *
 * @param {HTMLElement} element
 * @param {{sector: string|null, command: string|null}|null} error null: none is missing.
 * @param {Plans|null} plans null: not known.
 * @param {import("./state.js").State} state
 */
export function showMissing(element, error, plans, state) {
  element.hidden = !error;
  if (!error) {
    element.replaceChildren();
    return;
  }
  const parts = [paragraph(missingSentence(error, plans?.own.unsolvable))];
  // Some sectors are too large for any command to make their tables.
  if (error.command) {
    const takes = plans?.own.command ? t("missing.makes", planWords(plans.own)) : t("missing.command");
    parts.push(paragraph(takes), ...commandOf(error.command));
  }
  parts.push(paragraph(t("missing.still")));
  if (plans?.there.length) {
    parts.push(paragraph(t("missing.there")), examplesOf(plans.there, state));
  } else if (plans?.small.command && plans.small.command !== error.command) {
    parts.push(paragraph(t("missing.small")), ...commandOf(plans.small.command));
  }
  element.replaceChildren(...parts);
}

function examplesOf(examples, state) {
  const items = examples.map(({ variant, position }) => {
    const name = variantName(variant);
    const href = urlOf(newGame(state, { ...USUAL_RULES, variant, position }));
    const textContent = position ? t("missing.endgame", { name }) : name;
    const item = made("li");
    item.append(made("a", { href, textContent }));
    return item;
  });
  const list = made("ul");
  list.append(...items);
  return list;
}

/** A command, and a button that copies it. */
function commandOf(command) {
  const textContent = t("button.copy-command");
  const button = made("button", { type: "button", className: "copy", textContent });
  button.addEventListener("click", async () => {
    button.textContent = t((await copy(command)) ? "copy.command" : "copy.not");
  });
  return [made("code", { textContent: command }), button];
}

function paragraph(textContent) {
  return made("p", { textContent });
}
