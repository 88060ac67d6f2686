/**
 * The rules of a variant in words.
 *
 * The server has them in English, as `text`. In Japanese they are composed here from `fields`, one
 * sentence for each of the same headings; solver/describe.py is the model.
 */

import { language, LANGUAGES, t } from "./text.js";
import { variantName } from "./sentences.js";

/** What the server says of how options are written there. */
const COMMAND_LINE = "with -r";

/**
 * Show the rules of a variant.
 * @param {HTMLElement} element what to fill
 * @param {object} variant the server's VARIANT
 * @param {object} boardData its board: `points`, `edges` and `lines`
 */
export function showRules(element, variant, boardData) {
  const heading = document.createElement("h3");
  heading.textContent = t("rules.of", { name: variantName(variant.name) });
  const list = document.createElement("dl");
  for (const [about, text] of Object.entries(rulesText(variant, boardData))) {
    if (about === COMMAND_LINE) continue; // the page has selects for that
    const term = document.createElement("dt");
    term.textContent = t(`rules.${about}`);
    const words = document.createElement("dd");
    words.textContent = text;
    list.append(term, words);
  }
  const note = document.createElement("p");
  note.className = "note";
  note.textContent = t("rules.ply");
  element.replaceChildren(heading, list, note);
}

/**
 * Every rule of a variant in the language of the page, by what it is about.
 * @param {object} variant the server's VARIANT
 * @param {object} boardData its board
 * @returns {Object<string, string>} with the keys of `variant.text`, in their order
 */
export function rulesText(variant, boardData) {
  if (language() === LANGUAGES[0]) return variant.text;
  const composed = composeRules(variant, boardData);
  return Object.fromEntries(
    Object.keys(variant.text).map((about) => [about, composed[about] ?? variant.text[about]]),
  );
}

function composeRules(variant, boardData) {
  const { fields } = variant;
  return {
    board: boardText(variant.board, boardData),
    stones: stonesText(fields),
    turns: turnsText(fields),
    flying: flyingText(fields),
    "a mill": millText(fields),
    "two at once": twoMillsText(fields),
    protection: protectionText(fields),
    rows: said(fields.long_lines_forbidden ? "rows.forbidden" : "rows.free"),
    lost: fields.mill_wins
      ? said("lost.mill")
      : said("lost.few", { fewest: fields.fewest_stones }),
    "full board": fullBoardText(fields, boardData),
    repetition: fields.repetition
      ? said("repetition", { times: fields.repetition })
      : said("none"),
    "quiet limit": fields.quiet_limit ? said("quiet", { plies: fields.quiet_limit }) : said("none"),
    "with -r": optionsText(variant.options),
  };
}

function said(key, facts = {}) {
  return t(`served.rules.${key}`, facts);
}

function boardText(board, { points, edges, lines }) {
  return said("board", {
    board,
    points: points.length,
    edges: edges.length,
    lines: lines.length,
  });
}

/** How many stones the first and the second player begin with. */
function handsOf({ stones, second_stones: second }) {
  return [stones, second ?? stones];
}

function stonesText(fields) {
  const [first, second] = handsOf(fields);
  if (first === second) return said("stones.equal", { first });
  return said("stones.unequal", { first, second });
}

function turnsText({ stones_move: move, place_or_slide: either }) {
  if (!move) return said("turns.placed");
  return said(either ? "turns.either" : "turns.after");
}

function flyingText({ flying_at: stones, place_or_slide: either }) {
  if (stones === null) return said("flying.never");
  return said(either ? "flying.total" : "flying.placed", { stones });
}

function millText(fields) {
  if (fields.mill_wins) return said("mill.wins");
  return said(fields.long_lines_forbidden ? "mill.exact" : "mill.takes");
}

function twoMillsText(fields) {
  if (fields.mill_wins) return said("two.win");
  return said(fields.double_mill === 1 ? "two.one" : "two.two");
}

function protectionText(fields) {
  if (fields.mill_wins) return said("protection.wins");
  if (!fields.mills_protect) return said("protection.none");
  return said(fields.all_in_mills === "any" ? "protection.any" : "protection.all");
}

function fullBoardText(fields, { points }) {
  if (fields.full_board_draws) return said("full.draws");
  const [first, second] = handsOf(fields);
  return said(first + second < points.length ? "full.never" : "full.blocked");
}

function optionsText(options) {
  const texts = Object.entries(options).map(([name, values]) => `${name}=${rangeOf(values)}`);
  return texts.join("; ") || said("options.none");
}

/** The values of an option: all of them, or from where to where if they are many. */
function rangeOf(values) {
  if (values.length > 4) return `${values[0]}–${values.at(-1)}`;
  return values.join("|");
}
