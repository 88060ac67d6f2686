/**
 * Set-up: stones put where the user likes.
 *
 * The server judges whether the result is a position. Until it is one, the board shows the stones
 * all the same, so that they can be mended.
 */

import { isAbort } from "./api.js";
import { bareStone } from "./board.js";
import { OTHER_SIDE } from "./state.js";

/**
 * @typedef {object} Arrangement of stones that need not be a position.
 * @property {string[]} white points with white stones.
 * @property {string[]} black points with black stones.
 * @property {number} white_hand NaN: what was typed is no number of stones.
 * @property {number} black_hand
 * @property {"white"|"black"} side to move.
 */

/**
 * Write an arrangement as the text of a position.
 *
 * @param {Arrangement} arrangement
 * @returns {string} such as `w:Wa4,b6:Bg7:H0,1`.
 */
export function writePosition({ white, black, white_hand, black_hand, side }) {
  const points = (stones) => [...stones].sort().join(",");
  const hands = white_hand || black_hand ? `:H${white_hand},${black_hand}` : "";
  return `${side[0]}:W${points(white)}:B${points(black)}${hands}`;
}

/**
 * Read the text of a position as far as an arrangement can show it.
 *
 * @param {string} text
 * @param {Set<string>} known the points of the board.
 * @returns {Arrangement|null} null: only the server may be able to tell what it means.
 */
export function readPosition(text, known) {
  const bare = text.replaceAll(/\s/gu, "");
  const parts = /^([wb]):w([^:]*):b([^:]*)(?::h(\d{1,3}),(\d{1,3}))?$/iu.exec(bare);
  if (!parts) {
    return null;
  }
  const [side, white, black] = parts.slice(1, 4).map((part) => part.toLowerCase());
  const [whites, blacks] = [white, black].map((names) => (names ? names.split(",") : []));
  const all = [...whites, ...blacks];
  if (new Set(all).size !== all.length || !all.every((name) => known.has(name))) {
    return null;
  }
  return {
    white: whites,
    black: blacks,
    white_hand: Number(parts[4] ?? 0),
    black_hand: Number(parts[5] ?? 0),
    side: side === "w" ? "white" : "black",
  };
}

/**
 * Put a stone on a point; the same stone again takes it away, and so does no stone. It comes from
 * the hand if the side would else have too many.
 *
 * @param {Arrangement} arrangement
 * @param {string} point
 * @param {"white"|"black"|"erase"} tool
 * @param {{white: number, black: number}} most how many stones each side has at most.
 * @returns {Arrangement}
 */
export function withStone(arrangement, point, tool, most) {
  const without = (stones) => stones.filter((other) => other !== point);
  const cleared = {
    ...arrangement,
    white: without(arrangement.white),
    black: without(arrangement.black),
  };
  if (tool === "erase" || arrangement[tool].includes(point)) {
    return cleared;
  }
  const stones = [...cleared[tool], point];
  const hand = `${tool}_hand`;
  const excess = stones.length + cleared[hand] > most[tool] ? 1 : 0;
  return { ...cleared, [tool]: stones, [hand]: Math.max(0, cleared[hand] - excess) };
}

/**
 * The symmetries of a board that together make all of them, by the buttons that do them.
 *
 * @param {object[]} symmetries of the board, as the server lists them.
 * @returns {{turn?: object, mirror?: object, rings?: object}} those that the board has.
 */
export function basicSymmetries(symmetries) {
  const plain = symmetries.filter(({ mirrored, swapped }) => !mirrored && !swapped);
  const upright = symmetries.filter((each) => each.quarter_turns === 0);
  return {
    turn: plain.find((each) => each.quarter_turns > 0),
    mirror: upright.find(({ mirrored, swapped }) => mirrored && !swapped),
    rings: upright.find(({ mirrored, swapped }) => swapped && !mirrored),
  };
}

/**
 * The image of an arrangement under a symmetry.
 *
 * @param {Arrangement} arrangement
 * @param {{points: {name: string}[]}} board
 * @param {{points: string[]}} symmetry
 * @returns {Arrangement}
 */
export function imageOf(arrangement, board, symmetry) {
  const goesTo = new Map(board.points.map(({ name }, place) => [name, symmetry.points[place]]));
  const move = (stones) => stones.map((point) => goesTo.get(point));
  return { ...arrangement, white: move(arrangement.white), black: move(arrangement.black) };
}

/** The panel of set-up. */
export class Setup {
  #elements;
  #hooks;
  #arrangement = null;
  #board = null;
  #known = new Set();
  #most = { white: 0, black: 0 };
  #tool = "white";
  #waiting = null;

  /**
   * @param {HTMLElement} panel
   * @param {HTMLElement} button that opens and closes it.
   * @param {HTMLElement} instead what is shown while it is closed.
   * @param {object} hooks
   * @param {(text: string, signal: AbortSignal) => Promise<object>} hooks.judge the server's view
   *   of a position; it throws an `ApiError` if there is no such position.
   * @param {(arrangement: Arrangement) => void} hooks.onChange shows the stones.
   * @param {(position: string) => void} hooks.onDone takes the finished position.
   * @param {(error: Error) => string} hooks.explain says what is wrong.
   * @param {() => string} hooks.wrongNumber says what a hand may hold.
   */
  constructor(panel, button, instead, hooks) {
    const find = (selector) => panel.querySelector(selector);
    this.#hooks = hooks;
    this.#elements = {
      panel,
      button,
      instead,
      tools: [...panel.querySelectorAll("[data-tool]")],
      hands: { white_hand: find("#white-hand"), black_hand: find("#black-hand") },
      sides: [...panel.querySelectorAll('[name="to-move"]')],
      symmetries: { turn: find("#turn"), mirror: find("#mirror"), rings: find("#rings") },
      text: find("#setup-text"),
      error: find("#setup-error"),
      good: find("#setup-good"),
      done: find("#setup-done"),
    };
    this.#listen(find);
  }

  /** Whether stones are being set up. */
  get open() {
    return this.#arrangement !== null;
  }

  /** The stones as they are, while they are being set up; else null. */
  get arrangement() {
    return this.#arrangement;
  }

  /**
   * Begin with the stones of a position.
   *
   * @param {object} view the server's.
   * @param {{points: {name: string}[], symmetries: object[]}} board
   * @param {{stones: number, second_stones: number}} fields of the variant.
   */
  begin(view, board, fields) {
    this.#board = board;
    this.#known = new Set(board.points.map(({ name }) => name));
    this.#most = { white: fields.stones, black: fields.second_stones ?? fields.stones };
    for (const [name, button] of Object.entries(this.#elements.symmetries)) {
      button.hidden = !basicSymmetries(board.symmetries)[name];
    }
    this.#show(true);
    this.#choose(this.#tool);
    this.#say("", { isGood: false }); // nothing is wrong, as far as is known
    this.#change(arrangementOf(view));
  }

  /** Leave set-up, whatever has become of the stones. */
  end() {
    this.#waiting?.abort();
    this.#arrangement = null;
    this.#show(false);
  }

  /**
   * Use the tool on a point.
   *
   * @param {string} point
   */
  click(point) {
    this.#change(withStone(this.#arrangement, point, this.#tool, this.#most));
  }

  /**
   * Bring a stone to a point, whatever stands there.
   *
   * @param {import("./dragging.js").Source} source
   * @param {string|null} target null: beside the board, where it goes away.
   */
  drag({ point, colour }, target) {
    const before = this.#arrangement;
    if (before[colour].includes(target)) {
      return; // there is such a stone already
    }
    const without = point === null ? before : withStone(before, point, "erase", this.#most);
    this.#change(target === null ? without : withStone(without, target, colour, this.#most));
  }

  /** Say again, in another language, what is wrong. */
  refresh() {
    if (this.open && !this.#isHandWrong()) {
      this.#judge(this.#elements.text.value);
    }
  }

  /** Show the panel, which takes the place of another, or hide it. */
  #show(isOpen) {
    const { panel, button, instead } = this.#elements;
    if (!isOpen && panel.contains(document.activeElement)) {
      button.focus(); // what has the keyboard's focus is about to go
    }
    panel.hidden = !isOpen;
    instead.hidden = isOpen;
    button.setAttribute("aria-expanded", String(isOpen));
  }

  #listen(find) {
    const { tools, hands, sides, symmetries, text } = this.#elements;
    for (const tool of tools) {
      tool.addEventListener("click", () => this.#choose(tool.dataset.tool));
      if (tool.dataset.spare) {
        tool.prepend(bareStone(tool.dataset.spare));
      }
    }
    for (const [hand, input] of Object.entries(hands)) {
      input.addEventListener("input", () => {
        const count = /^\d{1,3}$/u.test(input.value) ? Number(input.value) : Number.NaN;
        this.#change({ ...this.#arrangement, [hand]: count }, input);
      });
    }
    for (const side of sides) {
      side.addEventListener("change", () => {
        this.#change({ ...this.#arrangement, side: side.value });
      });
    }
    text.addEventListener("input", () => this.#readText());
    text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.isComposing) {
        event.preventDefault();
        this.#finish();
      }
    });
    find("#clear").addEventListener("click", () => {
      const { side } = this.#arrangement;
      this.#change({ white: [], black: [], white_hand: 0, black_hand: 0, side });
    });
    find("#swap-colours").addEventListener("click", () => this.#change(swapped(this.#arrangement)));
    for (const [name, button] of Object.entries(symmetries)) {
      button.addEventListener("click", () => {
        const symmetry = basicSymmetries(this.#board.symmetries)[name];
        this.#change(imageOf(this.#arrangement, this.#board, symmetry));
      });
    }
    find("#setup-done").addEventListener("click", () => this.#finish());
  }

  #choose(tool) {
    this.#tool = tool;
    for (const button of this.#elements.tools) {
      button.setAttribute("aria-pressed", String(button.dataset.tool === tool));
    }
  }

  /** Take over an arrangement; `source` is the input that it comes from, which stays as it is. */
  #change(arrangement, source = null) {
    const { hands, sides, text } = this.#elements;
    this.#arrangement = arrangement;
    for (const [hand, input] of Object.entries(hands)) {
      if (input !== source) {
        input.value = Number.isNaN(arrangement[hand]) ? "" : arrangement[hand];
      }
    }
    for (const side of sides) {
      side.checked = side.value === arrangement.side;
    }
    this.#hooks.onChange(arrangement);
    if (source === text) {
      return;
    }
    if (this.#isHandWrong()) {
      return;
    }
    text.value = writePosition(arrangement);
    this.#judge(text.value);
  }

  /** Whether a hand is no number; if so, say it. */
  #isHandWrong() {
    const { white_hand, black_hand } = this.#arrangement;
    const isWrong = Number.isNaN(white_hand) || Number.isNaN(black_hand);
    if (isWrong) {
      this.#waiting?.abort();
      this.#say(this.#hooks.wrongNumber());
    }
    return isWrong;
  }

  async #readText() {
    const { text } = this.#elements;
    const arrangement = readPosition(text.value, this.#known);
    if (arrangement) {
      this.#change(arrangement, text);
    }
    const view = await this.#judge(text.value);
    if (view && !arrangement) {
      this.#change(arrangementOf(view), text);
    }
  }

  /** Ask the server about a position; null if it is none, or if it is no longer wanted. */
  async #judge(position) {
    this.#waiting?.abort();
    this.#waiting = new AbortController();
    const { signal } = this.#waiting;
    try {
      const view = await this.#hooks.judge(position, signal);
      if (signal.aborted) {
        return null;
      }
      this.#say("");
      return view;
    } catch (error) {
      if (!isAbort(error) && !signal.aborted) {
        // What may pass is asked again when the position is to be played.
        this.#say(this.#hooks.explain(error), { canTry: Boolean(error.passes) });
      }
      return null;
    }
  }

  #say(error, { isGood = error === "", canTry = error === "" } = {}) {
    this.#elements.error.textContent = error;
    this.#elements.good.hidden = !isGood;
    this.#elements.done.disabled = !canTry;
  }

  async #finish() {
    if (this.#isHandWrong()) {
      return;
    }
    const view = await this.#judge(this.#elements.text.value);
    if (view && this.open) {
      this.#hooks.onDone(view.position);
    }
  }
}

function arrangementOf({ white, black, white_hand, black_hand, side }) {
  return { white, black, white_hand, black_hand, side };
}

function swapped({ white, black, white_hand, black_hand, side }) {
  return {
    white: black,
    black: white,
    white_hand: black_hand,
    black_hand: white_hand,
    side: OTHER_SIDE[side],
  };
}
