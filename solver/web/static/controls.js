/** The choices: game, rules, draws in play, opponent, side and language. */

import { levelName, optionValue, variantName } from "./sentences.js";
import { DEFAULT_VARIANT, LIMITS, USUAL_RULES, newGame, urlOf } from "./state.js";
import { LANGUAGES, TEXTS, language, t } from "./text.js";

/** What can be chosen of each draw in play, besides what is usual; 0: there is no such draw. */
const LIMIT_CHOICES = Object.freeze({ repetition: [0, 2, 3, 5], quiet_limit: [0, 40, 60, 100] });

const find = (id) => document.getElementById(id);

/**
 * Show what can be chosen, and what is.
 *
 * @param {object|null} catalogue the server's variants and levels; null: not known yet.
 * @param {object|null} variant the one played; null: none that there is.
 * @param {import("./state.js").State} state
 */
export function showChoices(catalogue, variant, state) {
  const languages = LANGUAGES.map((code) => [code, TEXTS[code]["language.name"]]);
  fill(find("language"), languages, language());
  if (!catalogue) {
    return;
  }
  const names = catalogue.variants.map(({ variant: name }) => [name, variantName(name)]);
  fill(find("variant"), names, variant?.variant ?? "");
  const levels = catalogue.levels.map((level) => [level.name, levelName(level)]);
  fill(find("opponent"), [["", t("opponent.none")], ...levels], state.opponent ?? "");
  find("side").value = state.side;
  find("side-label").hidden = !state.opponent;
  showOptions(find("options"), catalogue, variant);
  showLimits(find("limits"), variant, state);
  find("options-panel").hidden = ![...find("options").children, ...find("limits").children].length;
}

/**
 * Show what the page is about, where it is called by a name.
 *
 * @param {object|null} variant the one played; null: none that there is.
 * @param {import("./state.js").State} state
 */
export function showNames(variant, state) {
  const name = variant ? variantName(variant.name) : t("page.name");
  document.title = variant ? t("page.title", { name }) : name;
  find("board").setAttribute("aria-label", t("board.label", { name }));
  const home = { variant: DEFAULT_VARIANT, ...USUAL_RULES, opponent: null };
  find("home").href = urlOf(newGame(state, home));
}

/**
 * The options that are chosen, as far as they change the variant.
 *
 * @param {HTMLElement} element with the selects.
 * @param {object} usual the variant without options.
 * @returns {string[]} such as `["stones=5"]`.
 */
export function chosenOptions(element, usual) {
  return [...element.querySelectorAll("[data-option]")]
    .filter(({ dataset, value }) => value !== usual.chosen[dataset.option])
    .map(({ dataset, value }) => `${dataset.option}=${value}`);
}

function showOptions(element, catalogue, variant) {
  const usual = catalogue.variants.find((each) => each.variant === variant?.variant);
  const names = Object.keys(usual?.options ?? {});
  prepareSelects(element, "option", names);
  for (const name of names) {
    const select = element.querySelector(`[data-option="${name}"]`);
    showSelect(select, name, usual.options[name], usual.chosen[name], variant.chosen[name]);
  }
}

function showLimits(element, variant, state) {
  // Where nothing moves, no position comes again.
  const names = variant?.fields.stones_move ? LIMITS : [];
  prepareSelects(element, "limit", names);
  for (const name of names) {
    const usual = String(variant.fields[name]);
    const chosen = state[name] ?? usual;
    const numbers = [...LIMIT_CHOICES[name].map(String), usual, chosen];
    const values = [...new Set(numbers)].sort((one, other) => one - other);
    showSelect(element.querySelector(`[data-limit="${name}"]`), name, values, usual, chosen);
  }
}

/** See that there is a select for each name, in this order. */
function prepareSelects(element, kind, names) {
  const present = [...element.querySelectorAll("select")].map(({ dataset }) => dataset[kind]);
  if (present.join() !== names.join()) {
    element.replaceChildren(...names.map((name) => emptySelect(kind, name)));
  }
}

function emptySelect(kind, name) {
  const label = document.createElement("label");
  const select = document.createElement("select");
  select.dataset[kind] = name;
  label.append(document.createElement("span"), select);
  return label;
}

/** Show what an option can be, what it usually is, and what it is now. */
function showSelect(select, name, values, usual, chosen) {
  select.previousElementSibling.textContent = t(`option.${name}`);
  const choices = values.map((value) => {
    const words = optionValue(name, value);
    return [value, value === usual ? t("option.usual", { value: words }) : words];
  });
  fill(select, choices, chosen);
}

/** Fill a select; its options stay where they can, so that an open list does not close. */
function fill(select, choices, value) {
  if (select.options.length === choices.length) {
    choices.forEach(([code, words], place) => {
      select.options[place].value = code;
      select.options[place].text = words;
    });
  } else {
    select.replaceChildren(...choices.map(([code, words]) => new Option(words, code)));
  }
  select.value = value;
}
