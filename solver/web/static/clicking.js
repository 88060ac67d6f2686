/**
 * Turns as clicks on points.
 *
 * A turn is clicked in the order it is played: the point a stone comes from (if it moves), the one
 * it goes to, and what it takes. Which clicks go on with a legal turn is read off the server's list
 * of legal turns; no rule of the game is known here.
 */

import { whyRefused } from "./refusal.js";
import { OTHER_SIDE } from "./state.js";

/**
 * @typedef {object} Move as the server lists it.
 * @property {string} move
 * @property {string|null} from null: placed.
 * @property {string} to
 * @property {string[]} captures
 * @property {boolean} any_order whether either of two captures may be clicked first.
 */

/**
 * @typedef {object} Outcome of a click.
 * @property {string[]} clicks the clicks of the turn so far.
 * @property {Move|null} move the turn they make, once it is complete.
 * @property {{key: string, facts: object}|null} refusal the text that says why it was refused.
 */

/**
 * The points that go on with a legal turn.
 *
 * @param {Move[]} moves the legal turns.
 * @param {string[]} clicks the points clicked so far.
 * @returns {Set<string>}
 */
export function nextPoints(moves, clicks) {
  const points = new Set();
  for (const clicking of continuing(moves, clicks)) {
    if (clicking.points.length > clicks.length) {
      points.add(clicking.points[clicks.length]);
    }
  }
  return points;
}

/**
 * The turns that some clicks may become.
 *
 * @param {Move[]} moves the legal turns.
 * @param {string[]} clicks the points clicked so far.
 * @returns {Set<string>} their texts.
 */
export function turnsAhead(moves, clicks) {
  return new Set(continuing(moves, clicks).map(({ move }) => move.move));
}

/**
 * The turn that is partly clicked, as far as the stones on the board show it.
 *
 * @param {Move[]} moves the legal turns.
 * @param {string[]} clicks the points clicked so far.
 * @returns {{from: string|null, to: string|null, captures: string[], due: number}} `to` is null
 *   until the stone has gone there; `due`: how many captures are still to come.
 */
export function partOfTurn(moves, clicks) {
  const [first] = continuing(moves, clicks);
  const none = { from: null, to: null, captures: [], due: 0 };
  if (!first || !clicks.length) {
    return none;
  }
  const { from, to, captures } = first.move;
  const before = from === null ? 0 : 1;
  if (clicks.length <= before) {
    return { ...none, from };
  }
  const taken = clicks.slice(before + 1);
  return { from, to, captures: taken, due: captures.length - taken.length };
}

/**
 * A position with the clicks of a turn carried out.
 *
 * @param {object} view the server's view of the position before.
 * @param {string[]} clicks the points clicked so far.
 * @param {string[][]} lines of the board.
 * @returns {object} `view` itself until a stone has moved.
 */
export function viewAfterClicks(view, clicks, lines) {
  const { from, to, captures } = partOfTurn(view.moves, clicks);
  if (to === null) {
    return view;
  }
  const own = view.side;
  const other = OTHER_SIDE[own];
  const after = {
    ...view,
    [own]: [...view[own].filter((point) => point !== from), to],
    [other]: view[other].filter((point) => !captures.includes(point)),
    last_turn: { move: "", from, to, captures },
  };
  if (from === null) {
    after[`${own}_hand`] -= 1;
  }
  return { ...after, mills: filledLines(after, lines) };
}

/**
 * What a click on a point does to a turn.
 *
 * @param {object} view the server's view of the position before the turn.
 * @param {string[]} clicks the points clicked so far.
 * @param {string} point the one clicked now.
 * @param {{edges: string[][]}} board
 * @param {number|null} flyingAt with how many stones a side flies; null: never.
 * @returns {Outcome}
 */
export function click(view, clicks, point, board, flyingAt) {
  const { moves } = view;
  if (nextPoints(moves, clicks).has(point)) {
    return advanced(moves, [...clicks, point]);
  }
  const chosen = partOfTurn(moves, clicks);
  if (chosen.from !== null && chosen.to === null) {
    if (point === chosen.from) {
      return { clicks: [], move: null, refusal: null };
    }
    // Another stone of one's own instead; a free point would place a stone, which nobody expects.
    if (view[view.side].includes(point) && nextPoints(moves, []).has(point)) {
      return advanced(moves, [point]);
    }
  }
  if (chosen.to !== null && [chosen.from, chosen.to].includes(point)) {
    return { clicks: [], move: null, refusal: null }; // the stone goes back
  }
  const refusal = whyRefused(view, chosen, point, board, flyingAt);
  return { clicks, move: null, refusal };
}

function advanced(moves, clicks) {
  const complete = continuing(moves, clicks).find(({ points }) => points.length === clicks.length);
  return complete
    ? { clicks: [], move: complete.move, refusal: null }
    : { clicks, move: null, refusal: null };
}

/** Every way to click a turn that begins with some clicks. */
function continuing(moves, clicks) {
  return moves
    .flatMap(clickings)
    .filter(({ points }) => clicks.every((point, place) => points[place] === point));
}

function clickings(move) {
  const step = move.from === null ? [move.to] : [move.from, move.to];
  const orders = move.any_order
    ? [move.captures, [...move.captures].reverse()]
    : [move.captures];
  return orders.map((captures) => ({ move, points: [...step, ...captures] }));
}

function filledLines(view, lines) {
  return ["white", "black"].flatMap((side) =>
    lines
      .filter((line) => line.every((point) => view[side].includes(point)))
      .map((points) => ({ side, points })),
  );
}
