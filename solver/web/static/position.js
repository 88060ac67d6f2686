/** The position on the page: board, players, and the sentence that says what is due. */

import { drawBoard, fillHand } from "./board.js";
import { nextPoints, partOfTurn, viewAfterClicks } from "./clicking.js";
import { dueSentence, handSentence, pointLabel, printed } from "./sentences.js";
import { OTHER_SIDE } from "./state.js";
import { t } from "./text.js";

const SIDES = ["white", "black"];

/** A view of nothing at all. */
export const EMPTY = Object.freeze({
  white: [],
  black: [],
  white_hand: 0,
  black_hand: 0,
  mills: [],
  moves: [],
  last_turn: null,
});

const find = (id) => document.getElementById(id);

/**
 * Show a position in a game, with the part of a turn that has been clicked.
 *
 * @param {object} board the server's, with its `name`.
 * @param {object} view the server's.
 * @param {string[]} clicks the points clicked so far.
 * @param {boolean} clickable whether legal turns are marked.
 * @returns {object} the view that is seen, with the side that is to move in it.
 */
export function showPosition(board, view, clicks, clickable) {
  const legal = clickable ? nextPoints(view.moves, clicks) : new Set();
  const shown = viewAfterClicks(view, clicks, board.lines);
  const part = partOfTurn(view.moves, clicks);
  const firsts = clickable && part.to === null ? nextPoints(view.moves, []) : new Set();
  const own = view[view.side] ?? [];
  draw(board, shown, part, legal, new Set(own.filter((point) => firsts.has(point))));
  const places = [...firsts].some((point) => !own.includes(point));
  showPlayers(shown, view.end ? null : view.side, places);
  const isComplete = part.to !== null && part.due === 0;
  return { ...shown, side: isComplete ? OTHER_SIDE[view.side] : view.side };
}

/**
 * Show stones that need not be a position.
 *
 * @param {object} board the server's, with its `name`.
 * @param {import("./setup.js").Arrangement|null} arrangement null: no stones at all.
 */
export function showArrangement(board, arrangement) {
  const view = { side: null, ...EMPTY, ...arrangement, end: null };
  draw(board, view, partOfTurn([], []), new Set(), new Set([...view.white, ...view.black]));
  showPlayers(view, view.side, false);
}

/** Draw stones with the part of a turn that has been clicked, and what can be done with them. */
function draw(board, view, part, legal, grabbable) {
  drawBoard(find("board"), board, view, {
    legal,
    chosen: part.to === null ? part.from : null,
    grabbable,
    last: view.last_turn,
    labels: pointLabels(board, view, part, legal),
  });
}

/**
 * What is due, in sentences.
 *
 * @param {object} view the server's.
 * @param {string[]} clicks the points clicked so far.
 * @param {{against: boolean, side: string, thinking: boolean, replied: string|null}} program
 *   whether the user plays against it, the user's side, whether it is the program's turn, and which
 *   turn it has just played.
 * @returns {string|null} null: the turn is complete, and nothing is due before the next.
 */
export function dueText(view, clicks, { against, side, thinking, replied }) {
  if (thinking) {
    return t("due.thinking", { colour: view.side });
  }
  const part = partOfTurn(view.moves, clicks);
  if (part.to !== null && !part.due) {
    return null;
  }
  const other = OTHER_SIDE[view.side];
  const goesOn = view.end && view.moves.length > 0 && !against && !clicks.length;
  return [
    replied && t("due.replied", { colour: other, move: printed(replied) }),
    against && !view.end && !clicks.length && t("due.you"),
    against && view.end?.winner && t(view.end.winner === side ? "end.you.won" : "end.you.lost"),
    // Who plays on after a draw is told of the turn, not of the draw.
    dueSentence(clicks.length ? { ...view, end: null } : view, part),
    part.to !== null && t("due.back"),
    goesOn && t("end.play-on"),
  ]
    .filter(Boolean)
    .join(t("sentence.separator"));
}

/** What every point is called aloud. */
function pointLabels(board, view, part, legal) {
  const last = view.last_turn;
  const millPoints = new Set(view.mills.flatMap((mill) => mill.points));
  return new Map(
    board.points.map(({ name }) => {
      const colour = SIDES.find((side) => view[side].includes(name)) ?? null;
      const marks = {
        [whatCanBeDone(part, colour)]: legal.has(name),
        chosen: part.to === null && part.from === name,
        last: last?.to === name,
        from: last?.from === name,
        captured: last?.captures.includes(name),
        mill: millPoints.has(name),
      };
      return [name, pointLabel(name, colour, Object.keys(marks).filter((mark) => marks[mark]))];
    }),
  );
}

function whatCanBeDone(part, colour) {
  if (part.to !== null) {
    return "can.take";
  }
  if (part.from !== null && !colour) {
    return "can.go";
  }
  return colour ? "can.move" : "can.place";
}

/** Show both players: whose turn it is, what they hold, and whether it is to be placed. */
function showPlayers(view, toMove, places) {
  for (const side of SIDES) {
    const hand = view[`${side}_hand`] || 0;
    const element = find(`${side}-player`);
    element.classList.toggle("to-move", side === toMove);
    const mark = side === toMove ? "▸ " : "";
    const [name, stones] = element.children;
    name.textContent = mark + handSentence(side, hand, view[side].length);
    fillHand(stones, side, hand);
    stones.classList.toggle("grabbable", places && side === toMove);
  }
}
