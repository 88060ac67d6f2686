/**
 * What the tables say of a position: its value and that of each turn, best play, how long games of
 * its sector last; and its images under the symmetries of the board, which need no table.
 */

import { askPosition, askSector } from "./api.js";
import { histogramWords, showHistogram } from "./histogram.js";
import { made } from "./html.js";
import { askPlans, showMissing } from "./missing.js";
import { narrowMoves, showMoves } from "./moves.js";
import {
  endSentence,
  errorSentence,
  historySentence,
  valueSentence,
  warningSentence,
} from "./sentences.js";
import { showLine } from "./showing.js";
import { newGame, urlOf, withMove } from "./state.js";
import { showSymmetries } from "./symmetries.js";
import { t } from "./text.js";

/**
 * @typedef {object} Game that is analysed.
 * @property {import("./state.js").State} state
 * @property {object} variant the server's.
 * @property {object} view the server's view of the position.
 * @property {object} board the server's.
 */

/** How long to wait for answers, in milliseconds, before saying that they are being waited for. */
export const PATIENCE = 250;

const find = (id) => document.getElementById(id);

/** The panels beside the board. */
export class Analysis {
  #go;
  #onAnswer;
  /** @type {Game|null} */
  #game = null;
  #signal = null;
  #patience = 0;
  /** Whether values have been waited for so long that people are told. */
  #isLate = false;
  /** Whether there is nothing to show, nor about to be. */
  #isEmpty = true;
  /** Whether what the tables say is kept from who plays. */
  #isHidden = false;
  /** The turns that go on from what has been clicked; null: all. */
  #ahead = null;
  /** Of each: the server's answer, an error, or null as long as there is neither. */
  #answer = null;
  #line = null;
  #images = null;
  #sector = null;
  /** The list whose link has led here, and whose first link gets the keyboard's focus; or null. */
  #followed = null;
  /** What making a missing table takes; null: not known. */
  #plans = null;

  /**
   * @param {(state: import("./state.js").State) => void} go shows another state.
   * @param {() => void} onAnswer is told when the value is known, or is known to be not.
   */
  constructor(go, onAnswer) {
    this.#go = go;
    this.#onAnswer = onAnswer;
    find("line").addEventListener("click", () => this.#toggleLine());
    find("symmetries-panel").addEventListener("toggle", () => this.#ask(() => this.#askImages()));
    find("histogram-panel").addEventListener("toggle", () => this.#ask(() => this.#askSector()));
  }

  /** Why there is no value; null if there is one, or may still be one. */
  get error() {
    return this.#answer?.kind ? this.#answer : null;
  }

  /**
   * Show what the tables say, or keep it from who plays.
   *
   * @param {boolean} isHidden
   */
  hide(isHidden) {
    this.#isHidden = isHidden;
    this.show();
  }

  /**
   * List only the turns that go on from what has been clicked.
   *
   * @param {Set<string>|null} names of the turns; null: all.
   */
  narrow(names) {
    this.#ahead = names;
    narrowMoves(find("moves"), names);
  }

  /** Forget what is shown. The panels keep their places, for something else is about to come. */
  forget() {
    clearTimeout(this.#patience);
    this.#game = this.#signal = null;
    this.#isLate = false;
    this.#ahead = null;
    this.#answer = this.#line = this.#images = this.#sector = this.#plans = null;
    const { activeElement } = document;
    const lists = [find("moves"), find("line-moves")];
    this.#followed = lists.find((list) => list.contains(activeElement)) ?? this.#followed;
    find("moves").style.minHeight = `${find("moves").offsetHeight}px`;
    find("moves").replaceChildren();
    for (const id of ["histogram", "histogram-words"]) {
      find(id).style.visibility = "hidden";
    }
    for (const id of ["value", "warning", "history", "symmetries", "line-moves"]) {
      find(id).replaceChildren();
    }
  }

  /** Show that there is nothing to show. */
  clear() {
    this.forget();
    this.#isEmpty = true;
    this.show();
    find("moves").style.minHeight = "";
  }

  /**
   * Ask the server about a game, and show what it says.
   *
   * @param {Game} game
   * @param {AbortSignal} signal after it, no answer is shown any more.
   */
  async load(game, signal) {
    this.forget();
    this.#isEmpty = false;
    this.#game = game;
    this.#signal = signal;
    this.#patience = setTimeout(() => {
      this.#isLate = true;
      this.show();
    }, PATIENCE);
    await Promise.all([this.#askValues(), this.#askLine(), this.#askImages()]);
  }

  /** Show everything, as in another language; what is not there yet is not missed at once. */
  show() {
    if (!this.#isEmpty && !this.#answer && !this.#isLate) {
      return;
    }
    this.#showValues();
    this.#showLine();
    this.#showImages();
    this.#showSector();
  }

  /** Ask for a panel that has just been opened. */
  async #ask(question) {
    const signal = this.#signal; // another game may have another by the time of the answer
    if (signal && !signal.aborted) {
      await question().catch((error) => {
        if (!signal.aborted) {
          throw error;
        }
      });
    }
  }

  async #askValues() {
    this.#answer = await this.#answerOf("");
    clearTimeout(this.#patience);
    this.#showValues();
    this.#showSector();
    this.#onAnswer();
    await Promise.all([this.#askSector(), this.#askPlans()]);
  }

  async #askPlans() {
    if (this.#answer?.kind === "missing table" && this.#answer.sector) {
      const signal = this.#signal;
      const found = await settled(askPlans(this.#game.state, this.#answer.sector, signal), signal);
      this.#plans = found.own ? found : null; // an error: what is missing is said without it
      this.#showMissing();
    }
  }

  async #askSector() {
    // The sector of a game that is over may be one that no table can have.
    const isOver = !this.#game?.view.due.length;
    if (this.#answer?.value && !isOver && isWanted(this.#sector) && find("histogram-panel").open) {
      const { state, view } = this.#game;
      const signal = this.#signal;
      const asked = askSector(state, view.sector, signal);
      this.#sector = await settled(asked, signal);
      this.#showSector();
    }
  }

  async #askLine() {
    if (isLineOpen() && isWanted(this.#line)) {
      this.#line = await this.#answerOf("line");
      this.#showLine();
    }
  }

  async #askImages() {
    if (find("symmetries-panel").open && isWanted(this.#images)) {
      this.#images = await this.#answerOf("symmetries");
      this.#showImages();
    }
  }

  #answerOf(what) {
    const { state, variant } = this.#game;
    return settled(askPosition(what, state, variant.start, this.#signal), this.#signal);
  }

  #toggleLine() {
    find("line").setAttribute("aria-expanded", String(!isLineOpen()));
    this.#showLine();
    this.#ask(() => this.#askLine());
  }

  #showValues() {
    const game = this.#game;
    const answer = this.#answer;
    const isHidden = this.#isHidden && Boolean(answer?.value);
    find("reveal").hidden = !goesOn(answer);
    find("reveal").textContent = t(this.#isHidden ? "button.reveal" : "button.reveal.hide");
    find("value").textContent = game ? valueText(answer, isHidden) : "";
    say("warning", answer?.value && !isHidden ? warningText(answer, game.variant.fields) : null);
    say("history", game && !game.view.end ? historySentence(game.view) : null);
    this.#showMissing();
    find("line").hidden = isHidden || !goesOn(answer);
    for (const id of ["value-panel", "moves-panel"]) {
      find(id).hidden = !game;
    }
    if (!game) {
      return;
    }
    find("moves").style.minHeight = "";
    const after = (move) => withMove(game.state, move.move);
    showMoves(
      find("moves"),
      game.view,
      isHidden ? game.view : answer, // which has no values
      (move) => urlOf(after(move)),
      (move) => this.#go(after(move)),
    );
    narrowMoves(find("moves"), this.#ahead);
    this.#focusOn(find("moves"));
  }

  #showMissing() {
    const missing = this.#answer?.kind === "missing table" ? this.#answer : null;
    showMissing(find("missing"), missing, this.#plans, this.#game?.state);
  }

  /** Give a list's first link the keyboard's focus, if one of its links has led here. */
  #focusOn(list) {
    const first = list.querySelector("a");
    if (list === this.#followed && first) {
      this.#followed = null;
      if (document.activeElement === document.body) {
        first.focus({ preventScroll: true });
      }
    }
  }

  #showLine() {
    const isOpen = isLineOpen();
    const element = find("line-moves");
    const answer = this.#line;
    find("line").textContent = t(isOpen ? "button.line.hide" : "button.line");
    const isOver = this.#answer?.value && !goesOn(this.#answer);
    const isKept = isOver || this.#isHidden || !this.#game;
    element.hidden = !isOpen || isKept || (!answer && !this.#signal);
    element.setAttribute("aria-busy", String(!element.hidden && !answer));
    if (answer?.line) {
      showLine(element, this.#game.state, answer);
      this.#focusOn(element);
    } else {
      element.textContent = answer ? errorSentence(answer) : t("line.wait");
    }
  }

  #showImages() {
    const element = find("symmetries");
    const answer = this.#images;
    if (!answer?.images) {
      element.textContent = answer ? errorSentence(answer) : "";
      return;
    }
    const { state, board } = this.#game;
    const after = (image) => newGame(state, { position: image.position });
    showSymmetries(
      element,
      answer.images,
      board,
      (image) => urlOf(after(image)),
      (image) => this.#go(after(image)),
    );
  }

  #showSector() {
    const answer = this.#answer;
    const found = this.#sector;
    find("histogram-panel").hidden = this.#isHidden || !goesOn(answer);
    if (!goesOn(answer) || (!found && !this.#isLate)) {
      return;
    }
    for (const id of ["histogram", "histogram-words"]) {
      find(id).style.visibility = "";
    }
    const isThere = Boolean(found?.histogram);
    find("histogram").toggleAttribute("hidden", !isThere);
    const words = isThere ? this.#drawSector(answer, found) : [this.#whyNoSector(found)];
    find("histogram-words").replaceChildren(...words.map(paragraph));
  }

  #drawSector({ value, dtw }, found) {
    showHistogram(find("histogram"), found, { value, dtw });
    return histogramWords(found, { value, dtw });
  }

  #whyNoSector(error) {
    const { sector } = this.#game.view;
    return error ? errorSentence(error) : t("histogram.wait", { sector });
  }
}

/** Whether there is best play to show. */
function goesOn(answer) {
  return Boolean(answer?.value && answer.moves.length);
}

/** Whether to ask: nobody has yet, or what was in the way has passed perhaps. */
function isWanted(answer) {
  return !answer || Boolean(answer.passes);
}

function isLineOpen() {
  return find("line").getAttribute("aria-expanded") === "true";
}

function valueText(answer, isHidden) {
  if (!answer) {
    return t("value.wait");
  }
  if (isHidden) {
    return t("value.hidden");
  }
  if (isDrawnByHistory(answer)) {
    return endSentence(answer);
  }
  if (answer.value) {
    return valueSentence(answer);
  }
  return answer.kind === "missing table" ? t("value.none") : errorSentence(answer);
}

/** What is to be said besides the value; after a draw in play, what the value would be without. */
function warningText(answer, fields) {
  return isDrawnByHistory(answer)
    ? t("value.without-draw", { value: valueSentence(answer) })
    : warningSentence(answer, fields);
}

/** Whether the game is over although there are turns. */
function isDrawnByHistory(answer) {
  return Boolean(answer.end && goesOn(answer));
}

function paragraph(textContent) {
  return made("p", { textContent });
}

/** Show a sentence, or hide its element if there is none. */
function say(id, sentence) {
  find(id).textContent = sentence ?? "";
  find(id).hidden = !sentence;
}

/** An answer, or the error in its place; throws if nobody waits for it any more. */
async function settled(asked, signal) {
  const answer = await asked.catch((error) => error);
  signal.throwIfAborted();
  return answer;
}
