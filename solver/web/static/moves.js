/**
 * The legal turns of a position, grouped by what they are worth.
 *
 * The server sorts them best first: the quickest wins, draws, the longest losses.
 */

import { isPlainClick } from "./listening.js";
import { errorSentence, moveLabel, printed, valueWords } from "./sentences.js";
import { formatNumber, t } from "./text.js";

const GROUPS = Object.freeze(["win", "draw", "loss", "unknown"]);

/**
 * Show the turns of a position.
 * @param {HTMLElement} element what to fill
 * @param {object} view the server's VIEW; its moves are shown as long as their values are not known
 * @param {object|null} answer a VIEW with values, an error's record (`error`), or null while the
 *   tables are being asked
 * @param {(move: object) => string} hrefOf the page's address after a MOVE
 * @param {(move: object) => void} onChoose what a plain click on a turn does
 */
export function showMoves(element, view, answer, hrefOf, onChoose) {
  const known = Boolean(answer?.moves);
  const moves = known ? answer.moves : view.moves;
  const parts = [noteOf(view, answer), ...groupsOf(moves, hrefOf, onChoose)];
  element.setAttribute("aria-busy", String(!answer && !view.end));
  element.replaceChildren(...parts.filter(Boolean));
}

/**
 * Have a turn shown on the board while a pointer or the keyboard's focus is on it.
 * @param {HTMLElement} element that `showMoves` fills
 * @param {(turn: string|null) => void} preview shows a turn there; null: none
 */
export function listenToMoves(element, preview) {
  const show = ({ target }) => preview(target.closest("a")?.dataset.move ?? null);
  const hide = () => preview(null);
  for (const type of ["mouseover", "focusin"]) element.addEventListener(type, show);
  for (const type of ["mouseout", "focusout"]) element.addEventListener(type, hide);
}

/**
 * Show only some of the turns that are listed, as those that go on from what has been clicked.
 * @param {HTMLElement} element that `showMoves` has filled
 * @param {Set<string>|null} names of the turns; null for all
 */
export function narrowMoves(element, names) {
  for (const section of element.querySelectorAll("section")) {
    const items = [...section.querySelectorAll("li")];
    for (const item of items) {
      item.hidden = names !== null && !names.has(item.firstElementChild.dataset.move);
    }
    const count = items.filter(({ hidden }) => !hidden).length;
    section.hidden = count === 0;
    section.querySelector(".words").textContent = groupWords(section.dataset.value, count, items.length);
  }
}

/** Why there is no value yet, or no turn; null if there is nothing to say. */
function noteOf(view, answer) {
  if (!view.moves.length) return paragraph(t("moves.none"));
  if (!answer) return paragraph(t("moves.wait"));
  if (answer.moves) return null;
  return answer.kind === "missing table" ? null : paragraph(errorSentence(answer));
}

function groupsOf(moves, hrefOf, onChoose) {
  const best = bestOf(moves);
  return GROUPS.map((value) => {
    const group = moves.filter((move) => (move.value ?? "unknown") === value);
    if (!group.length) return null;
    return groupOf(value, group, hrefOf, onChoose, best);
  });
}

/** The turns that none is better than; none at all if that says nothing, as all are alike. */
function bestOf(moves) {
  const [first] = moves;
  const best = moves.filter(({ value, dtw }) => value === first.value && dtw === first.dtw);
  return new Set(first?.value && best.length < moves.length ? best : []);
}

function groupOf(value, moves, hrefOf, onChoose, best) {
  const section = document.createElement("section");
  section.dataset.value = value;
  const heading = document.createElement("h3");
  heading.append(letterOf(value), span("words", groupWords(value, moves.length, moves.length)));
  const list = document.createElement("ul");
  list.className = "move-list";
  list.append(...moves.map((move) => itemOf(move, best.has(move), hrefOf, onChoose)));
  section.append(heading, list);
  return section;
}

/** What a group of turns is called, and how many there are; of how many, if only some are shown. */
function groupWords(value, shown, all) {
  const count = shown === all ? all : t("moves.some", { shown, all });
  return t(`moves.group.${value}`, { count });
}

/** The letter of a value, which tells groups apart without their colour. */
function letterOf(value) {
  const letter = document.createElement("span");
  letter.className = "letter";
  letter.setAttribute("aria-hidden", "true");
  letter.textContent = value === "unknown" ? "?" : t(`value.letter.${value}`);
  return letter;
}

function itemOf(move, best, hrefOf, onChoose) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = hrefOf(move);
  link.dataset.move = move.move;
  const label = moveLabel(move);
  link.setAttribute("aria-label", best ? t("move.best", { move: label }) : label);
  link.title = valueWords(move.value, move.dtw);
  link.classList.toggle("best", best);
  link.append(span("turn", printed(move.move)));
  // Shown by the style sheet, as the label says it in words.
  if (typeof move.dtw === "number") link.dataset.depth = formatNumber(move.dtw);
  link.addEventListener("click", (event) => {
    if (!isPlainClick(event)) return; // a new tab or window is the browser's business
    event.preventDefault();
    onChoose(move);
  });
  item.append(link);
  return item;
}

function span(name, text) {
  const made = document.createElement("span");
  made.className = name;
  made.textContent = text;
  return made;
}

function paragraph(text) {
  const made = document.createElement("p");
  made.className = "note";
  made.textContent = text;
  return made;
}
