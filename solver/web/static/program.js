/** The program as an opponent. */

import { askPosition } from "./api.js";

/** How long it seems to think at least, in milliseconds, so that eyes can follow. */
const PAUSE = 450;

/**
 * Whether the program plays the side to move, and the game goes on.
 *
 * @param {import("./state.js").State} state
 * @param {object|null} view the server's; null: not known.
 * @returns {boolean}
 */
export function isProgramToMove(state, view) {
  return Boolean(state.opponent && view && view.side !== state.side && !view.end);
}

/**
 * Whether nothing more may be played. Two people may play on after a draw by repetition.
 *
 * @param {import("./state.js").State} state
 * @param {object} view the server's.
 * @returns {boolean}
 */
export function isOver(state, view) {
  return Boolean(view.end && (state.opponent || !view.moves.length));
}

/**
 * The turn that the program plays: what it played here before, if that was taken back or if
 * somebody looks back; a look must not lead to another game.
 *
 * @param {import("./state.js").State} state
 * @param {string} start the position that the variant starts with.
 * @param {AbortSignal} signal
 * @returns {Promise<string>} rejected like any question to the server.
 */
export async function programsMove(state, start, signal) {
  const [again] = state.future;
  const asked = again
    ? { move: again }
    : askPosition("reply", state, start, signal, [["level", state.opponent]]);
  const pause = new Promise((resolve) => setTimeout(resolve, PAUSE));
  const [{ move }] = await Promise.all([asked, pause]);
  signal.throwIfAborted();
  return move;
}
