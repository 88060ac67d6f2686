/**
 * What is on the page now, and how it is shown. Where it leads, and what is asked of the server, is
 * the business of app.js, which sets `leads`.
 */

import { Analysis } from "./analysis.js";
import { askPosition } from "./api.js";
import { turnsAhead } from "./clicking.js";
import { showChoices, showNames } from "./controls.js";
import { EMPTY, dueText, showArrangement, showPosition } from "./position.js";
import { showProblem } from "./problem.js";
import { isOver, isProgramToMove } from "./program.js";
import { showRules } from "./rules.js";
import { errorSentence } from "./sentences.js";
import { Setup } from "./setup.js";
import { showRecord } from "./showing.js";
import { OTHER_SIDE, isSameGame, newGame, readState, redoPly, undoPly } from "./state.js";
import { fillTexts, t } from "./text.js";

/** What is on the page now. */
export const now = {
  state: readState(location.search, keptFuture()),
  /** All variants, boards and levels; null until the server has told them. */
  catalogue: null,
  /** The variant with its options; null if there is none such. */
  variant: null,
  /** The state that has the rules of `variant`; null as long as there is none. */
  ruled: null,
  /** The server's view of the position; null until it is there. */
  view: null,
  /** The last state that there was a view of, and the side to move in it; null: none yet. */
  told: null,
  /** What the board shows, with the turn that has been clicked last. */
  shown: { ...EMPTY, side: "white" },
  /** The points of a turn that have been clicked. */
  clicks: [],
  /** Why nothing can be shown: an error. */
  problem: null,
  /** Why a click was refused: the key of a text and its facts. */
  refusal: null,
  /** The turn that the program has just played. */
  replied: null,
  /** Whether what the tables say is shown; null: as usual, not to who plays the program. */
  reveal: null,
  /** The key of what is to be said once another game has begun. */
  notice: null,
  /** The language that was chosen on this page; null: none. */
  language: null,
};

/** What could be played again when the browser was last told of this state. */
export function keptFuture() {
  const { future } = history.state ?? {};
  return Array.isArray(future) ? future : [];
}

/** What happens when a panel leads to a state, and when the value is known, or known to be not. */
export const leads = { go: null, values: null };

/** The element of an id. */
export const find = (id) => document.getElementById(id);

/** The board that is played on, with its name; that of the first variant if there is none. */
export function board() {
  const name = now.variant?.board ?? now.catalogue.variants[0].board;
  return { name, ...now.catalogue.boards[name] };
}

/** The side to move, which alternates, even before there is a view; undefined: not known. */
export function sideToMove() {
  const { state, view, told } = now;
  if (view || !told || !isSameGame(told.state, state)) {
    return view?.side;
  }
  const plies = state.moves.length - told.state.moves.length;
  return plies % 2 ? OTHER_SIDE[told.side] : told.side;
}

/** The panel of set-up. */
export const setup = new Setup(find("setup-panel"), find("setup"), find("analysis"), {
  judge: (position, signal) =>
    askPosition("turns", newGame(now.state, { position }), now.variant.start, signal),
  onChange: () => showBoard(),
  onDone: (position) =>
    leads.go(newGame(now.state, { position: position === now.variant.start ? null : position })),
  explain: errorSentence,
  wrongNumber: () => t("setup.number"),
});

/** The panels beside the board. */
export const analysis = new Analysis(
  (state) => leads.go(state),
  () => leads.values(),
);

/** Show everything, as when all is known, or in another language. */
export function showAll() {
  const { catalogue, variant, state } = now;
  fillTexts(document);
  showChoices(catalogue, variant, state);
  showNames(variant, state);
  find("rules-panel").hidden = !variant;
  if (variant) {
    showRules(find("rules"), variant, board());
  }
  showProblem(now.problem, state, catalogue, variant);
  showBoard();
  showRecord(find("record"), state, sideToMove());
  analysis.show();
}

/** Show the board, the sentence above it, and why a click was refused. */
export function showBoard() {
  const { state, view, clicks, refusal, problem } = now;
  showButtons();
  say("refusal", refusal ? t(refusal.key, refusal.facts) : "");
  if (setup.open) {
    showArrangement(board(), setup.arrangement);
    say("due", t("due.setup"));
  } else if (view) {
    const theirs = isProgramToMove(state, view);
    now.shown = showPosition(board(), view, clicks, !theirs && !isOver(state, view));
    analysis.narrow(clicks.length ? turnsAhead(view.moves, clicks) : null);
    const due = dueText(view, clicks, {
      against: state.opponent !== null,
      side: state.side,
      thinking: theirs && !problem,
      replied: view.played.at(-1) === now.replied ? now.replied : null,
    });
    say("due", due ?? find("due").textContent);
  } else if (problem) {
    say("due", "");
    // After a turn that the server has not heard of, the board goes on showing it.
    if (!problem.passes && now.catalogue) {
      showArrangement(board(), null);
    }
  } else if (!now.catalogue) {
    say("due", t("due.loading"));
  }
}

/** Show which buttons of the game do something. */
export function showButtons() {
  const { state, view } = now;
  const side = sideToMove();
  const isBegun = now.clicks.length > 0 && view !== null;
  allow("undo", !setup.open && (isBegun || undoPly(state, side) !== null));
  allow("redo", !setup.open && redoPly(state, side) !== null);
}

/** Show whether a button does something; it keeps the keyboard's focus if it does not. */
function allow(id, isAllowed) {
  find(id).setAttribute("aria-disabled", String(!isAllowed));
}

/** Show a sentence; one that is there already is not read aloud again. */
function say(id, sentence) {
  if (find(id).textContent !== sentence) {
    find(id).textContent = sentence;
  }
}

/** Whether what the tables say is kept from who plays; after the end nothing is. */
export function isHidden() {
  const { reveal, state, view } = now;
  return !view?.end && (reveal === null ? state.opponent !== null : !reveal);
}
