/** Questions to the server. What goes wrong is an `ApiError`; an abort stays an `AbortError`. */

import { formatQuery, gameQuery } from "./state.js";

/**
 * Why there is no answer.
 *
 * It has whatever the server says about it, such as `sector` and `command` of a missing table.
 * `kind` is the server's, or `offline` if no answer came, or `no answer` if it is none of ours.
 */
export class ApiError extends Error {
  /**
   * @param {number} status of HTTP; 0: no answer came.
   * @param {{kind: string, error: string}} record what the server says.
   */
  constructor(status, record) {
    super(record.error);
    this.name = "ApiError";
    Object.assign(this, record);
    this.status = status;
  }

  /** Whether the same question may be answered when it is asked again. */
  get passes() {
    return this.kind === "offline" || this.kind === "no answer" || this.status === 503;
  }
}

/**
 * Whether nobody waits for an answer any more.
 *
 * @param {unknown} error
 * @returns {boolean}
 */
export function isAbort(error) {
  return error instanceof Error && error.name === "AbortError";
}

/**
 * Ask for all variants, boards and levels.
 *
 * @param {AbortSignal} [signal]
 */
export function askVariants(signal) {
  return ask("variants", [], signal, "variants");
}

/**
 * Ask for a variant with its options applied.
 *
 * @param {import("./state.js").State} state
 * @param {AbortSignal} [signal]
 */
export function askRules(state, signal) {
  const options = state.options.map((option) => ["r", option]);
  return ask(`${encodeURIComponent(state.variant)}/rules`, options, signal);
}

/**
 * Ask something about the position that a state shows.
 *
 * @param {""|"turns"|"line"|"reply"|"symmetries"} what; "" is the value of all turns.
 * @param {import("./state.js").State} state
 * @param {string} start the position that the variant starts with.
 * @param {AbortSignal} [signal]
 * @param {[string, string][]} more further parameters.
 */
export function askPosition(what, state, start, signal, more = []) {
  const variant = encodeURIComponent(state.variant);
  const query = gameQuery({ ...state, position: state.position ?? start });
  const path = what ? `${variant}/${what}` : variant;
  return ask(path, [...query, ...more], signal, what === "reply" ? "move" : "variant");
}

/**
 * Ask what the table of a sector holds.
 *
 * @param {import("./state.js").State} state
 * @param {string} sector such as `3-3`.
 * @param {AbortSignal} [signal]
 */
export function askSector(state, sector, signal) {
  return askOfSector(state, "sectors", sector, signal);
}

/**
 * Ask what making the table of a sector takes.
 *
 * @param {{variant: string, options: string[]}} state
 * @param {string} sector such as `3-3`.
 * @param {AbortSignal} [signal]
 */
export function askPlan(state, sector, signal) {
  return askOfSector(state, "plan", sector, signal);
}

function askOfSector({ variant, options }, what, sector, signal) {
  const path = [variant, what, sector].map(encodeURIComponent).join("/");
  return ask(path, options.map((option) => ["r", option]), signal);
}

/** Ask; `key` is one that the answer's record must have. */
async function ask(path, pairs, signal, key = "variant") {
  const query = pairs.length ? `?${formatQuery(pairs)}` : "";
  const response = await reach(`/api/${path}${query}`, signal);
  const record = await read(response, key);
  if (!response.ok) {
    throw new ApiError(response.status, record);
  }
  return record;
}

async function reach(url, signal) {
  try {
    return await fetch(url, { signal, headers: { accept: "application/json" } });
  } catch (error) {
    if (isAbort(error)) {
      throw error;
    }
    throw new ApiError(0, { kind: "offline", error: "The server does not answer." });
  }
}

/** The record of an answer; one that is no record, as a proxy may give, is an error. */
async function read(response, key) {
  try {
    const record = await response.json();
    if (record?.[response.ok ? key : "kind"]) {
      return record;
    }
  } catch (error) {
    if (isAbort(error)) {
      throw error;
    }
  }
  throw new ApiError(response.status, {
    kind: "no answer",
    error: `The answer is not one of this server's (status ${response.status}).`,
  });
}
