/**
 * What the page shows, and its URL.
 *
 * Everything a link has to hold is in one record, which functions here read from a URL, write into
 * one, and change into the next. They are pure: none of them touches the page.
 */

/**
 * @typedef {object} State
 * @property {string} variant the variant's name, without options.
 * @property {string[]} options its options, such as `stones=4`.
 * @property {string|null} repetition how often a position occurs that makes a draw; null: as usual.
 * @property {string|null} quiet_limit plies without a capture that make one; null: as usual.
 * @property {string|null} position where the game began; null: the start of the variant.
 * @property {string[]} moves the turns played since.
 * @property {string[]} future the turns taken back, the next one first; not in the URL.
 * @property {string|null} language the language that the URL asks for; null: none.
 * @property {string|null} opponent the level that plays against the user; null: two people play.
 * @property {"white"|"black"} side the user's side where a level plays the other.
 */

/** The variant of a URL that names none. */
export const DEFAULT_VARIANT = "nine";

/** From a side to the other one. */
export const OTHER_SIDE = Object.freeze({ white: "black", black: "white" });

/** The draws in play that can be changed, as URLs and the server call them. */
export const LIMITS = Object.freeze(["repetition", "quiet_limit"]);

/** The draws in play, and all the rules, as a variant has them. */
export const USUAL_LIMITS = Object.freeze({ repetition: null, quiet_limit: null });
export const USUAL_RULES = Object.freeze({ options: [], ...USUAL_LIMITS });

/**
 * Read a URL's query.
 *
 * @param {string} query such as `?variant=six&moves=b6+d6`.
 * @param {string[]} future the turns that can be played again.
 * @returns {State}
 */
export function readState(query, future = []) {
  const values = new URLSearchParams(query);
  return {
    variant: values.get("variant") || DEFAULT_VARIANT,
    options: values.getAll("r").filter(Boolean),
    repetition: values.get("repetition") || null,
    quiet_limit: values.get("quiet_limit") || null,
    position: values.get("position")?.trim() || null,
    moves: (values.get("moves") ?? "").split(/\s+/u).filter(Boolean),
    future,
    language: values.get("lang") || null,
    opponent: values.get("play") || null,
    side: values.get("side") === "black" ? "black" : "white",
  };
}

/**
 * The URL of a state; what a URL says if it says nothing is left out.
 *
 * @param {State} state
 * @returns {string} such as `/?variant=six&moves=b6+d6`.
 */
export function urlOf(state) {
  const pairs = [];
  if (state.variant !== DEFAULT_VARIANT) {
    pairs.push(["variant", state.variant]);
  }
  pairs.push(...gameQuery(state));
  if (state.language) {
    pairs.push(["lang", state.language]);
  }
  if (state.opponent) {
    pairs.push(["play", state.opponent]);
    if (state.side === "black") {
      pairs.push(["side", "black"]);
    }
  }
  return pairs.length ? `/?${formatQuery(pairs)}` : "/";
}

/**
 * What a URL, or a question to the server, says about rules and game.
 *
 * @param {State} state
 * @returns {[string, string][]} names and values.
 */
export function gameQuery(state) {
  const pairs = state.options.map((option) => ["r", option]);
  pairs.push(...LIMITS.map((name) => [name, state[name]]).filter(([, value]) => value !== null));
  if (state.position !== null) {
    pairs.push(["position", state.position]);
  }
  if (state.moves.length) {
    pairs.push(["moves", state.moves.join(" ")]);
  }
  return pairs;
}

/**
 * Write a query. What may stay as it is in one stays, so that people can read it.
 *
 * @param {[string, string][]} pairs names and values.
 * @returns {string} without a question mark.
 */
export function formatQuery(pairs) {
  const readable = { "%20": "+", "%2C": ",", "%3A": ":", "%3D": "=" };
  return pairs
    .map(([name, value]) => {
      const encoded = encodeURIComponent(value.toWellFormed?.() ?? value);
      return `${name}=${encoded.replace(/%(?:20|2C|3A|3D)/gu, (code) => readable[code])}`;
    })
    .join("&");
}

/**
 * The state after a turn. It stays possible to play again what was taken back if it is the same.
 *
 * @param {State} state
 * @param {string} move
 * @returns {State}
 */
export function withMove(state, move) {
  const [next, ...later] = state.future;
  return { ...state, moves: [...state.moves, move], future: next === move ? later : [] };
}

/**
 * The state after a number of turns; what comes later can be played again.
 *
 * @param {State} state
 * @param {number} ply at least 0, at most the turns played and taken back together.
 * @returns {State}
 */
export function atPly(state, ply) {
  const all = [...state.moves, ...state.future];
  return { ...state, moves: all.slice(0, ply), future: all.slice(ply) };
}

/**
 * The state that a new game begins with.
 *
 * @param {State} state
 * @param {Partial<State>} changes what else is different, such as the variant.
 * @returns {State}
 */
export function newGame(state, changes = {}) {
  return { ...state, position: null, moves: [], future: [], ...changes };
}

/**
 * At which ply undo arrives.
 *
 * Against a level it goes back to a turn of the user, so that the level does not just play again.
 *
 * @param {State} state
 * @param {"white"|"black"} toMove the side to move in it.
 * @returns {number|null} null: there is nothing to take back.
 */
export function undoPly(state, toMove) {
  const back = state.opponent && toMove === state.side ? 2 : 1;
  const ply = state.moves.length - back;
  return ply < 0 ? null : ply;
}

/**
 * At which ply redo arrives; see `undoPly`.
 *
 * @param {State} state
 * @param {"white"|"black"} toMove the side to move in it.
 * @returns {number|null} null: there is nothing to play again.
 */
export function redoPly(state, toMove) {
  if (!state.future.length) {
    return null;
  }
  const forward = state.opponent && toMove === state.side ? 2 : 1;
  return state.moves.length + Math.min(forward, state.future.length);
}

/**
 * Whether two states are of one game, by its rules and by where it began.
 *
 * @param {State} one
 * @param {State} other
 * @returns {boolean}
 */
export function isSameGame(one, other) {
  return hasSameRules(one, other) && one.position === other.position;
}

/**
 * Whether two states have the same rules, draws in play apart.
 *
 * @param {State} one
 * @param {State} other
 * @returns {boolean}
 */
export function hasSameRules(one, other) {
  return one.variant === other.variant && one.options.join(" ") === other.options.join(" ");
}

/**
 * The turns that can be played again after going to another state, as by the browser's Back button.
 *
 * @param {State} before
 * @param {State} after
 * @returns {string[]} those of `before` that go on from `after`; none if it is another game.
 */
export function carriedFuture(before, after) {
  const all = [...before.moves, ...before.future];
  const goesOn = isSameGame(before, after) && after.moves.every((move, ply) => all[ply] === move);
  return goesOn ? all.slice(after.moves.length) : [];
}
