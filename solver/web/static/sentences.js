/**
 * Sentences from what the server says, in the language of the page.
 *
 * The server speaks English. Where it gives a sentence of its own (how a game ended, a warning, a
 * position that cannot be), that is the English one, and another language gets its sentence from
 * the facts beside it; what nobody foresaw is shown in English rather than not at all.
 */

import { OTHER_SIDE } from "./state.js";
import { formatNumber, hasText, language, LANGUAGES, SERVED, t } from "./text.js";

/** Units of sizes, in bytes, and of times, in seconds, the largest first. */
const SIZES = Object.freeze([["GB", 1e9], ["MB", 1e6]]);
const TIMES = Object.freeze([["days", 86_400], ["hours", 3600], ["minutes", 60], ["seconds", 1]]);
/** Seconds so few that starting takes longer than solving. */
const A_MOMENT = 10;

/**
 * What is due, or how the game ended.
 * @param {object} view the server's VIEW
 * @param {{from?: string|null, to?: string|null, captures?: string[]}} [part] what has been clicked
 *   of the turn: the stone that moves, where it went, what it has taken
 * @returns {string}
 */
export function dueSentence(view, part = {}) {
  if (view.end) return endSentence(view);
  const colour = view.side;
  const opponent = OTHER_SIDE[colour];
  if (part.to) return takeSentence(view, part, { colour, opponent });
  if (part.from) return t("due.target", { colour, point: part.from });
  if (!view.due.length) return "";
  return t(`due.${view.due.join("-")}`, { colour, count: view[`${colour}_hand`] });
}

function takeSentence(view, part, sides) {
  const taken = part.captures ?? [];
  if (taken.length) return t("due.take-second", sides);
  const needed = view.moves
    .filter((move) => move.to === part.to && (move.from ?? null) === (part.from ?? null))
    .map((move) => move.captures.length);
  return t(Math.max(0, ...needed) > 1 ? "due.take-first" : "due.take", sides);
}

/**
 * How the game ended.
 * @param {object} view a VIEW whose `end` is not null
 * @returns {string}
 */
export function endSentence(view) {
  const { winner, text } = view.end;
  const said = ownSentence(`end.${reasonKey(view)}`, endFacts(view));
  if (said) return said;
  if (isServed() || !winner) return isServed() ? asSentence(text) : t("served.end.drawn");
  return t("served.end.won", { colour: winner.toLowerCase() });
}

function reasonKey({ end, side, ...view }) {
  if (end.reason !== "blocked") return end.reason;
  return view[`${side}_hand`] ? "blocked.place" : "blocked.move";
}

function endFacts(view) {
  const { side, end } = view;
  const counts = {
    "too few stones": view[side].length + view[`${side}_hand`],
    repetition: view.occurrences,
    "quiet limit": view.plies_without_capture,
  };
  return { colour: side, opponent: OTHER_SIDE[side], count: counts[end.reason] };
}

/**
 * The value of a position; of one that is over, how it ended.
 * @param {object} answer a VIEW with `value` and `dtw`
 * @returns {string}
 */
export function valueSentence(answer) {
  const { side, value, dtw, end } = answer;
  if (end && !endsByHistory(end)) return endSentence(answer);
  if (value === "draw") return t("value.draw");
  if (dtw === null) return t(`value.${value}.unknown`, { colour: side });
  return t(`value.${value}`, { colour: side, count: dtw });
}

function endsByHistory(end) {
  return end.reason === "repetition" || end.reason === "quiet limit";
}

/**
 * A value in as few words as there are.
 * @param {"win"|"draw"|"loss"|undefined} value
 * @param {number|null} [dtw]
 * @returns {string} such as "win in 15"
 */
export function valueWords(value, dtw = null) {
  if (value === "draw" || !value || dtw === null) return t(`value.word.${value ?? "unknown"}`);
  return t(`value.in.${value}`, { count: dtw });
}

/**
 * What the history of the game, or a limit, says against the value; null if nothing.
 * @param {object} answer a VIEW with `value`, `dtw` and `warning`
 * @param {{mill_wins: boolean}} fields of the variant
 * @returns {string|null}
 */
export function warningSentence(answer, fields) {
  if (!answer.warning || isServed()) return answer.warning ?? null;
  const { end, value, dtw, plies_left: left } = answer;
  if (end && endsByHistory(end)) return ownSentence(`warning.${end.reason}`, endFacts(answer));
  if (dtw !== null && left !== null && dtw > left) {
    const untaken = fields.mill_wins ? ".untaken" : "";
    return ownSentence(`warning.${value}${untaken}`, { count: dtw, left });
  }
  const { drawing: moves } = answer;
  return moves.length ? ownSentence("warning.turns", { moves }) : answer.warning;
}

/**
 * How near a draw by the history of the game is; empty as long as nothing counts.
 * @param {object} view a VIEW
 * @returns {string}
 */
export function historySentence(view) {
  const said = [];
  const { occurrences, plies_without_capture: count, plies_left: left } = view;
  if (occurrences > 1) said.push(t("status.occurrences", { count: occurrences }));
  if (count > 0 && left !== null) said.push(t("status.quiet", { count, left }));
  return said.join(t("sentence.separator"));
}

/**
 * What went wrong with a request.
 * @param {{error?: string, kind?: string, law?: string, facts?: object, status?: number}} error the
 *   server's record; a kind "offline" if it did not answer
 * @returns {string}
 */
export function errorSentence(error) {
  if (error.law) return impossibleSentence(error);
  if (error.kind === "missing table") return missingSentence(error);
  const key = `error.${error.kind}`;
  const facts = { error: withStop(error.error ?? ""), status: error.status ?? "?" };
  return hasText(key) ? t(key, facts) : t("error.unexpected", facts);
}

/**
 * Which table is missing; and why it cannot be made, if it cannot.
 * @param {{sector?: string|null}} error
 * @param {string|null} [reason] the server's, in English
 * @returns {string}
 */
export function missingSentence({ sector }, reason = null) {
  const missing = sector ? t("missing.sector", { sector }) : t("missing.any");
  if (!reason) return missing;
  const said = ownSentence("unsolvable", {}) ?? withStop(reason);
  return missing + t("sentence.separator") + t("missing.unsolvable", { reason: said });
}

/**
 * Which law a position breaks.
 * @param {{error: string, law?: string, facts?: object}} error the server's record
 * @returns {string}
 */
export function impossibleSentence(error) {
  if (isServed()) return asSentence(error.error);
  const said = error.law && ownSentence(`law.${error.law}`, error.facts ?? {});
  return said || t("served.law.other", { error: error.error });
}

/**
 * What a point is called aloud.
 * @param {string} point such as "a7"
 * @param {"white"|"black"|null} colour of the stone on it
 * @param {string[]} [marks] endings of keys "point.…" in the order to say them, such as
 *   ["can.take", "last", "mill"]
 * @returns {string} such as "a7, white stone, can be taken"
 */
export function pointLabel(point, colour, marks = []) {
  const said = [t(`point.${colour ?? "empty"}`, { point }), ...marks.map((mark) => t(`point.${mark}`))];
  return said.join(t("list.separator"));
}

/**
 * A turn with the sign that people read for a capture.
 * @param {string} move such as "f2-f4xd5"
 * @returns {string}
 */
export function printed(move) {
  return move.replaceAll("x", "×");
}

/**
 * What making tables takes, in words.
 * @param {{tables: number, bytes: number, seconds: number}} plan the server's
 * @returns {{count: number, size: string, time: string}}
 */
export function planWords({ tables: count, bytes, seconds }) {
  if (seconds < A_MOMENT) return { count, size: sizeWords(bytes), time: t("time.moment") };
  const [name, length] = TIMES.find(([, least]) => seconds >= 1.5 * least) ?? TIMES.at(-1);
  return {
    count,
    size: sizeWords(bytes),
    time: t(`time.${name}`, { count: Math.max(1, Math.round(seconds / length)) }),
  };
}

function sizeWords(bytes) {
  const [unit, per] = SIZES.find(([, least]) => bytes >= least) ?? SIZES.at(-1);
  return t(`size.${unit}`, { size: Math.max(1, Math.round(bytes / per)) });
}

/**
 * A turn as it is written, so that who speaks to the page can name what stands there; and what it
 * is worth, in words.
 * @param {object} move a MOVE, with `value` and `dtw` if they are known
 * @returns {string} such as "f2-f4×d5: win in 15 plies"
 */
export function moveLabel(move) {
  const words = printed(move.move);
  if (!move.value) return t("move.unknown", { move: words });
  if (move.value === "draw") return t("move.draw", { move: words });
  if (move.dtw === null) return t(`move.${move.value}.unknown`, { move: words });
  return t(`move.${move.value}`, { move: words, count: move.dtw });
}

/**
 * What a variant is called, with its name on the command line.
 * @param {string} cli such as "six" or "nine -r stones=4"
 * @returns {string} such as "Six Men’s Morris (six)"
 */
export function variantName(cli) {
  const [variant, ...options] = cli.split(" -r ");
  const key = `variant.${variant}`;
  const name = hasText(key) ? t(key) : variant;
  return options.length ? t("variant.with", { name, options }) : name;
}

/**
 * What a level is called and how often it errs.
 * @param {{name: string, error_rate: number}} level
 * @returns {string}
 */
export function levelName({ name, error_rate: rate }) {
  const key = `level.${name}`;
  const called = hasText(key) ? t(key) : t("level.other", { name });
  if (!rate) return t("level.never", { name: called });
  return t("level.rate", { name: called, turns: Math.round(1 / rate) });
}

/**
 * What a value of an option of the rules is called.
 * @param {string} option such as "flying"
 * @param {string} value such as "never"
 * @returns {string}
 */
export function optionValue(option, value) {
  const key = `option.${option}.${value}`;
  if (hasText(key)) return t(key);
  return hasText(`option.${option}.value`) ? t(`option.${option}.value`, { value }) : value;
}

/**
 * How many stones a side has in hand, or else on the board.
 * @param {"white"|"black"} colour
 * @param {number} count in hand
 * @param {number} stones on the board
 * @returns {string}
 */
export function handSentence(colour, count, stones) {
  return count ? t("hand.count", { colour, count }) : t("hand.none", { colour, count: stones });
}

/**
 * How a line of best play ended.
 * @param {{ended: string, position: string, line: object[]}} answer of `/line`
 * @returns {string}
 */
export function lineEndSentence({ ended, position, line }) {
  const last = line.at(-1)?.position ?? position;
  return t(`line.ended.${ended}`, { colour: last.startsWith("w") ? "white" : "black" });
}

/**
 * What a symmetry does to the board.
 * @param {{quarter_turns: number, mirrored: boolean, swapped: boolean}} image
 * @returns {string}
 */
export function symmetryWords({ quarter_turns: turns, mirrored, swapped }) {
  const said = [];
  if (mirrored) said.push(t("symmetries.mirrored"));
  if (turns) said.push(t(`symmetries.turned.${turns}`));
  if (swapped) said.push(t("symmetries.swapped"));
  return said.length ? said.join(t("list.separator")) : t("symmetries.same");
}

/**
 * A share in percent, with as many digits as say something.
 * @param {number} part
 * @param {number} whole above 0
 * @returns {string} such as "12", "0.4" or, for very few, "<0.1"
 */
export function percent(part, whole) {
  const share = (100 * part) / whole;
  if (part > 0 && share < 0.1) return "<0.1";
  if (part < whole && share > 99.9) return ">99.9";
  return formatNumber(Number(share.toFixed(share < 10 || share > 90 ? 1 : 0)));
}

/** Whether the server's own sentences are in the language of the page. */
function isServed() {
  return language() === LANGUAGES[0];
}

/** The sentence of the page's language for what the server says in English; null if it has none. */
function ownSentence(key, facts) {
  if (isServed() || !hasText(SERVED + key)) return null;
  return t(SERVED + key, facts);
}

/** A server's clause with its capital, unless it begins with the name of a point, and its stop. */
function asSentence(text) {
  const capital = /^[a-z]\d/.test(text) ? text : text.slice(0, 1).toUpperCase() + text.slice(1);
  return withStop(capital);
}

/**
 * A clause with its stop; nothing stays nothing.
 * @param {string} text
 * @returns {string}
 */
export function withStop(text) {
  return /[.!?。]$/.test(text) || !text ? text : `${text}.`;
}
