/**
 * Why a click on a point is no part of a legal turn.
 *
 * The server's list of legal turns says that it is none; here it is only told why, from what stands
 * where. A reason is the key of a text and the facts it speaks of.
 */

import { OTHER_SIDE } from "./state.js";

/**
 * Find the reason.
 *
 * @param {object} view the server's view of the position before the turn.
 * @param {{from: string|null, to: string|null, captures: string[]}} part of a turn clicked so far.
 * @param {string} point the one clicked now.
 * @param {{edges: string[][]}} board
 * @param {number|null} flyingAt with how many stones a side flies; null: never.
 * @returns {{key: string, facts: object}}
 */
export function whyRefused(view, part, point, board, flyingAt) {
  if (!view.moves.length) {
    return { key: "refusal.over", facts: {} };
  }
  const colour = view.side;
  const opponent = OTHER_SIDE[colour];
  const facts = { point, colour, opponent };
  if (part.to !== null) {
    return { key: whyNotTaken(view, part, point, opponent), facts };
  }
  if (part.from !== null) {
    const { key, stones } = whyNotThere(view, part.from, point, board, flyingAt);
    return { key, facts: { ...facts, from: part.from, to: point, stones } };
  }
  return { key: whyNoBeginning(view, point, board), facts: { ...facts, count: handOf(view) } };
}

function whyNotTaken(view, { to, captures }, point, opponent) {
  if (captures.includes(point)) {
    return "refusal.taken";
  }
  if (point === to || view[view.side].includes(point)) {
    return "refusal.take-own";
  }
  if (!view[opponent].includes(point)) {
    return "refusal.take-empty";
  }
  const inMill = view.mills.some(({ points }) => points.includes(point));
  return inMill ? "refusal.protected" : "refusal.not-taken";
}

function whyNotThere(view, from, point, board, flyingAt) {
  if (view[view.side].includes(point)) {
    return { key: whyStuck(view, point, board) };
  }
  if (isOccupied(view, point)) {
    return { key: "refusal.occupied" };
  }
  if (neighbours(board, from).includes(point)) {
    return { key: "refusal.row-move" };
  }
  if (flyingAt === null) {
    return { key: "refusal.not-adjacent.never" };
  }
  const key = handOf(view) ? "refusal.not-adjacent.flying-hand" : "refusal.not-adjacent.flying";
  return { key, stones: flyingAt };
}

function whyNoBeginning(view, point, board) {
  const places = view.moves.some((move) => move.from === null);
  const steps = view.moves.some((move) => move.from !== null);
  if (view[view.side].includes(point)) {
    return steps ? whyStuck(view, point, board) : "refusal.hand-first";
  }
  if (isOccupied(view, point)) {
    return steps ? "refusal.not-yours" : "refusal.occupied";
  }
  return places ? "refusal.row-place" : "refusal.no-hand";
}

function whyStuck(view, point, board) {
  const hemmedIn = neighbours(board, point).every((other) => isOccupied(view, other));
  return hemmedIn ? "refusal.stuck" : "refusal.stuck-row";
}

function neighbours(board, point) {
  return board.edges
    .filter((edge) => edge.includes(point))
    .map(([first, second]) => (first === point ? second : first));
}

function isOccupied(view, point) {
  return view.white.includes(point) || view.black.includes(point);
}

function handOf(view) {
  return view[`${view.side}_hand`];
}
