/** What stands beside the board: the game so far, and best play. */

import { made } from "./html.js";
import { lineEndSentence, printed } from "./sentences.js";
import { OTHER_SIDE, atPly, urlOf } from "./state.js";
import { t } from "./text.js";

/**
 * Show the turns played, and behind them those taken back.
 *
 * @param {HTMLElement} element
 * @param {import("./state.js").State} state
 * @param {"white"|"black"} [mover] the side to move in the position that `state` leads to.
 */
export function showRecord(element, state, mover = "white") {
  const other = OTHER_SIDE[mover];
  const moves = [...state.moves, ...state.future];
  const items = moves.map((move, index) => {
    const ply = index + 1;
    const link = linkTo(atPly(state, ply), t("line.entry", { ply, move: printed(move) }));
    link.dataset.ply = ply;
    const colour = (index - state.moves.length) % 2 ? other : mover;
    link.setAttribute("aria-label", t("record.ply", { ply, colour, move: printed(move) }));
    return itemOf(link, { future: ply > state.moves.length, current: ply === state.moves.length });
  });
  const start = linkTo(atPly(state, 0), t("record.start"));
  start.dataset.ply = 0;
  const hadFocus = element.contains(document.activeElement);
  element.replaceChildren(itemOf(start, { current: !state.moves.length }), ...items);
  if (hadFocus) {
    element.querySelector("[aria-current]").focus({ preventScroll: true });
  }
  // Only the list scrolls to the turn, not the page.
  const item = element.children[state.moves.length];
  element.scrollTop = item.offsetTop - element.offsetTop - element.clientHeight / 2;
}

function itemOf(link, { future = false, current = false }) {
  const item = made("li", { className: future ? "future" : "" });
  if (current) {
    link.setAttribute("aria-current", "step");
  }
  item.append(link);
  return item;
}

/**
 * Show how the game goes on with best play.
 *
 * @param {HTMLElement} element
 * @param {import("./state.js").State} state
 * @param {object} answer the server's.
 */
export function showLine(element, state, answer) {
  const list = made("ol", { className: "line-list" });
  const here = state.moves.length;
  const moves = answer.line.map(({ move }) => move);
  const whole = { ...state, moves: [...state.moves, ...moves], future: [] };
  list.append(
    ...moves.map((move, index) => {
      const ply = here + index + 1;
      const text = t("line.entry", { ply, move: printed(move) });
      const link = linkTo(atPly(whole, ply), text);
      link.dataset.step = index + 1;
      return itemOf(link, {});
    }),
  );
  const end = moves.length ? lineEndSentence(answer) : t("line.none");
  element.replaceChildren(list, made("p", { className: "note", textContent: end }));
}

function linkTo(state, textContent) {
  return made("a", { href: urlOf(state), textContent });
}
