/**
 * The page's texts in the language of the user.
 *
 * A text is a string with `{name}` for facts, or a function of the facts. A text or a fact that is
 * missing is never blank: it shows in brackets on the page and goes to the console as an error.
 */

import { english } from "./en.js";
import { japanese } from "./ja.js";

/** Every text by language and key. */
export const TEXTS = Object.freeze({ en: english, ja: japanese });

/** The codes of the languages there are, the one that stands in for others first. */
export const LANGUAGES = Object.freeze(Object.keys(TEXTS));

/** Keys of sentences that the server gives in the first language begin so; it has no text of them. */
export const SERVED = "served.";

const STORED = "morris-language";
/** Facts that hold "white" or "black" and are read out as the name of the side. */
const SIDES = Object.freeze(["colour", "opponent", "mover"]);

let current = LANGUAGES[0];

/**
 * The code of the present language.
 * @returns {string} such as "en"
 */
export function language() {
  return current;
}

/**
 * Choose a language, for this page and for the next visit.
 * @param {string} code one of LANGUAGES
 * @param {{remember?: boolean}} [how] whether the next visit begins with it
 */
export function setLanguage(code, { remember = true } = {}) {
  if (!LANGUAGES.includes(code)) throw new RangeError(`no language is called ${code}`);
  current = code;
  if (typeof document !== "undefined") document.documentElement.lang = code;
  if (remember) store(code);
}

/**
 * The language to begin with: what the address asks for, else what was chosen before, else the
 * first of the browser's languages that there is.
 * @param {string|null} [asked] of the address
 * @returns {string} one of LANGUAGES
 */
export function preferredLanguage(asked = null) {
  const browser = typeof navigator === "undefined" ? [] : (navigator.languages ?? []);
  const wishes = [asked, stored(), ...browser.map((code) => code.toLowerCase().split("-")[0])];
  return wishes.find((code) => LANGUAGES.includes(code)) ?? LANGUAGES[0];
}

/**
 * A text of the page.
 * @param {string} key such as "refusal.occupied"
 * @param {Object<string, *>} [facts] what it speaks of; "white" and "black" under `colour`,
 *   `opponent` and `mover` become names of sides, lists are joined, numbers get separators
 * @returns {string}
 */
export function t(key, facts = {}) {
  const text = TEXTS[current][key];
  if (text === undefined) return complain(key, `there is no text ${key} in ${current}`);
  const named = withNames(facts);
  for (const name of factsOf(text)) {
    if (named[name] === undefined) return complain(key, `the text ${key} needs the fact ${name}`);
  }
  if (typeof text === "function") return text(named);
  return text.replace(/\{(\w+)\}/g, (_, name) => worded(named[name]));
}

/**
 * Whether there is a text of this key.
 * @param {string} key
 * @returns {boolean}
 */
export function hasText(key) {
  return TEXTS[current][key] !== undefined;
}

/**
 * A number with separators between thousands.
 * @param {number} number
 * @returns {string} such as "66,472"
 */
export function formatNumber(number) {
  return number.toLocaleString("en-US");
}

/**
 * Put texts where the document asks for them: `data-text` names the text of an element,
 * `data-label` that of its aria-label, `data-hint` that of its title.
 * @param {ParentNode} root
 */
export function fillTexts(root) {
  for (const element of root.querySelectorAll("[data-text]")) {
    element.textContent = t(element.dataset.text);
  }
  for (const element of root.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", t(element.dataset.label));
  }
  for (const element of root.querySelectorAll("[data-hint]")) {
    element.title = t(element.dataset.hint);
  }
}

/**
 * The names of the facts that a text speaks of.
 * @param {string|Function} text a function takes one object apart in its parameter
 * @returns {string[]} sorted, each once
 */
export function factsOf(text) {
  if (typeof text === "function") {
    const inner = /^\(\{([^}]*)\}\)/.exec(text.toString())?.[1] ?? "";
    return distinct(inner.split(",").map((name) => name.trim()));
  }
  return distinct([...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]));
}

/**
 * What is wrong with the texts: keys that a language lacks, facts that only some languages speak of.
 * @returns {string[]} one sentence for each fault; none if all is well
 */
export function compareTexts() {
  const keys = distinct(LANGUAGES.flatMap((code) => Object.keys(TEXTS[code])));
  return keys.flatMap((key) => LANGUAGES.flatMap((code) => faults(key, code)));
}

function faults(key, code) {
  if (code === LANGUAGES[0] && key.startsWith(SERVED)) return [];
  const text = TEXTS[code][key];
  if (text === undefined) return [`${code} has no text ${key}`];
  if (typeof text === "function" && text.length !== 1) {
    return [`the text ${key} of ${code} takes ${text.length} parameters, not one`];
  }
  if (text === "" && !key.endsWith(".separator")) return [`the text ${key} of ${code} is empty`];
  if (key.startsWith(SERVED)) return [];
  const [first, here] = [factsOf(TEXTS[LANGUAGES[0]][key] ?? ""), factsOf(text)];
  if (first.join() === here.join()) return [];
  return [`the text ${key} speaks of ${here.join() || "nothing"} in ${code}, else of ${first.join()}`];
}

function distinct(names) {
  return [...new Set(names)].filter((name) => name !== "").sort();
}

/** The facts with the names of the sides, and with lists joined. */
function withNames(facts) {
  const named = { ...facts };
  for (const [name, value] of Object.entries(facts)) {
    if (Array.isArray(value)) named[name] = value.join(TEXTS[current]["list.separator"]);
    else if (SIDES.includes(name) && value) named[name] = sideName(value);
  }
  return named;
}

function sideName(side) {
  const key = `side.${String(side).toLowerCase()}`;
  return TEXTS[current][key] ?? String(side);
}

function worded(value) {
  return typeof value === "number" ? formatNumber(value) : String(value);
}

function complain(key, why) {
  console.error(why);
  return `[${key}]`;
}

function stored() {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null; // storage is switched off, or there is none
  }
}

function store(code) {
  try {
    localStorage.setItem(STORED, code);
  } catch {
    // Without storage the next visit begins with the browser's language.
  }
}
