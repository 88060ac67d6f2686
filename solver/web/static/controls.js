/** The choices: game, rules, opponent, side and language. */

import { levelName, optionValue, variantName } from "./sentences.js";
import { newGame, urlOf } from "./state.js";
import { LANGUAGES, TEXTS, language, t } from "./text.js";

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
  const home = { variant: "nine", options: [], opponent: null };
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
  find("options-panel").hidden = !names.length;
  const present = [...element.querySelectorAll("[data-option]")];
  if (present.map(({ dataset }) => dataset.option).join() !== names.join()) {
    element.replaceChildren(...names.map(emptyOption));
  }
  for (const name of names) {
    const select = element.querySelector(`[data-option="${name}"]`);
    select.previousElementSibling.textContent = t(`option.${name}`);
    const values = usual.options[name].map((value) => {
      const words = optionValue(name, value);
      const isUsual = value === usual.chosen[name];
      return [value, isUsual ? t("option.usual", { value: words }) : words];
    });
    fill(select, values, variant.chosen[name]);
  }
}

function emptyOption(name) {
  const label = document.createElement("label");
  const select = document.createElement("select");
  select.dataset.option = name;
  label.append(document.createElement("span"), select);
  return label;
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
