/**
 * What happens when somebody does something on the page.
 *
 * `go` leads to another state and its URL. `load` asks the server about the state and shows the
 * answers; a later `load` makes an earlier one stop, so that no answer comes up that has been
 * overtaken.
 */

import { PATIENCE } from "./analysis.js";
import { ApiError, askPosition, askRules, askVariants, isAbort } from "./api.js";
import { listenToBoard, previewTurn } from "./board.js";
import { click } from "./clicking.js";
import { chosenOptions } from "./controls.js";
import { listenToDrags } from "./dragging.js";
import { copy, listenToKeys, listenToLinks, listenToSkip } from "./listening.js";
import { listenToMoves } from "./moves.js";
import {
  analysis,
  board,
  find,
  isHidden,
  keptFuture,
  leads,
  now,
  setup,
  showAll,
  showBoard,
  showButtons,
  sideToMove,
} from "./page.js";
import { isOver, isProgramToMove, programsMove } from "./program.js";
import { showRecord } from "./showing.js";
import {
  USUAL_RULES,
  atPly,
  carriedFuture,
  hasSameRules,
  newGame,
  readState,
  redoPly,
  undoPly,
  urlOf,
  withMove,
} from "./state.js";
import { preferredLanguage, setLanguage, t } from "./text.js";

let loading = new AbortController();
/** Whether anything had the keyboard's focus when what is being loaded was asked for. */
let hadFocus = false;

// -- going from state to state --------------------------------------------------------------------

/** Lead to a state; by "replace" the browser's Back button does not come back to this one. */
function go(state, how = "push") {
  now.state = state;
  keep(how);
  setup.end();
  load();
}

/** Have the browser keep the state: what the URL has no place for, too. */
function keep(how = "replace") {
  const url = urlOf(now.state);
  const { future } = now.state;
  if (how === "push" && url !== location.pathname + location.search) {
    history.pushState({ future }, "", url);
  } else {
    history.replaceState({ future }, "", url);
  }
}

/**
 * Follow a link of the page, or the browser's Back button, to a URL's state; the browser may have
 * kept what could be played again there.
 */
function follow(query, how, kept = []) {
  const state = readState(query);
  const language = now.language ?? state.language ?? now.state.language;
  if (language) {
    setLanguage(preferredLanguage(language), { remember: false });
  }
  const carried = carriedFuture(now.state, state);
  go({ ...state, language, future: carried.length ? carried : kept }, how);
}

function undo() {
  if (now.clicks.length) {
    letGo();
  } else {
    visit(undoPly(now.state, sideToMove()), "refusal.no-undo");
  }
}

function redo() {
  visit(redoPly(now.state, sideToMove()), "refusal.no-redo");
}

function visit(ply, refusal) {
  if (ply === null) {
    refuse(refusal);
  } else if (!setup.open) {
    go(atPly(now.state, ply));
  }
}

// -- asking the server ----------------------------------------------------------------------------

async function load() {
  loading.abort();
  loading = new AbortController();
  const { signal } = loading;
  hadFocus ||= document.activeElement !== document.body;
  Object.assign(now, { view: null, clicks: [], problem: null, refusal: null });
  analysis.forget();
  showButtons();
  showRecord(find("record"), now.state, sideToMove());
  find("notice").textContent = now.notice ? t(now.notice) : "";
  now.notice = null;
  find("board").setAttribute("aria-busy", "true");
  const patience = setTimeout(() => {
    if (!now.view && !now.problem) {
      find("due").textContent = t("due.loading");
    }
  }, PATIENCE);
  signal.addEventListener("abort", () => clearTimeout(patience));
  try {
    await loadPosition(signal);
  } catch (error) {
    if (!signal.aborted && !isAbort(error)) {
      if (!(error instanceof ApiError)) {
        console.error(error); // a mistake of this page
      }
      now.problem = error;
      now.replied = null;
      analysis.clear();
      showAll();
    }
  }
  if (!signal.aborted) {
    find("board").removeAttribute("aria-busy");
    keepFocus();
  }
}

/** Give the board the keyboard's focus if what had it has gone: else that is nowhere. */
function keepFocus() {
  if (hadFocus && document.activeElement === document.body && !setup.open) {
    find("board").querySelector('[tabindex="0"]')?.focus({ preventScroll: true });
  }
  hadFocus = false;
}

async function loadPosition(signal) {
  now.catalogue ??= await askVariants(signal);
  const variant = await variantOf(now.state, signal);
  signal.throwIfAborted();
  now.variant = variant;
  now.ruled = now.state;
  const view = await askPosition("turns", now.state, variant.start, signal);
  signal.throwIfAborted();
  now.view = view;
  // Meanwhile another language may have been chosen.
  now.state = { ...now.state, moves: view.played };
  now.told = { state: now.state, side: view.side };
  if (now.refusal?.key === "refusal.loading") {
    now.refusal = null;
  }
  checkLevel();
  analysis.hide(isHidden());
  showAll();
  document.body.dataset.ready = "true";
  if (isProgramToMove(now.state, now.view)) {
    await letProgramPlay(signal);
  } else {
    await analyse(signal);
  }
}

/** The variant of a state, its options applied. Until it is known, the one before goes on. */
async function variantOf(state, signal) {
  const usual = now.catalogue.variants.find(({ variant }) => variant === state.variant);
  try {
    if (!usual) {
      const error = t("error.variant", { name: state.variant });
      throw new ApiError(404, { kind: "no variant", error });
    }
    return state.options.length ? await askRules(state, signal) : usual;
  } catch (error) {
    if (error instanceof ApiError && !error.passes) {
      now.variant = null; // there is none as the URL asks for
    }
    throw error;
  }
}

async function analyse(signal) {
  const { state, variant, view } = now;
  await analysis.load({ state, variant, view, board: board() }, signal);
}

function checkLevel() {
  const { opponent } = now.state;
  if (opponent && !now.catalogue.levels.some(({ name }) => name === opponent)) {
    dismissProgram("refusal.level", { name: opponent });
  }
}

async function letProgramPlay(signal) {
  try {
    const move = await programsMove(now.state, now.variant.start, signal);
    now.replied = move;
    go(withMove(now.state, move), "replace");
  } catch (error) {
    if (!(error.kind in NO_PROGRAM)) {
      throw error;
    }
    signal.throwIfAborted();
    dismissProgram(NO_PROGRAM[error.kind]);
    showAll();
    await analyse(signal);
  }
}

/** What is said where the program cannot play, by the kind of error. */
const NO_PROGRAM = Object.freeze({
  "missing table": "missing.opponent",
  "damaged table": "damaged.opponent",
});

/** Let two people go on, where the program cannot play. */
function dismissProgram(key, facts = {}) {
  now.state = { ...now.state, opponent: null };
  keep();
  now.refusal = { key, facts };
}

// -- clicks on the board --------------------------------------------------------------------------

function onPoint(point) {
  if (setup.open) {
    setup.click(point);
  } else if (!now.view) {
    refuse(now.problem ? "refusal.problem" : "refusal.loading");
  } else if (isProgramToMove(now.state, now.view)) {
    refuse("refusal.theirs", { colour: now.view.side });
  } else if (isOver(now.state, now.view)) {
    refuse("refusal.over");
  } else {
    clickPoint(point);
  }
}

function clickPoint(point) {
  const { view, variant } = now;
  const outcome = click(view, now.clicks, point, board(), variant.fields.flying_at);
  now.refusal = outcome.refusal;
  now.replied = null;
  // A turn that is complete is shown until the server has answered.
  now.clicks = outcome.move ? [...now.clicks, point] : outcome.clicks;
  showBoard();
  if (outcome.move) {
    go(withMove(now.state, outcome.move.move));
  }
}

/** A stone begins to be dragged: in a game that is a click on it. */
function lift({ point }) {
  if (!setup.open) {
    letGo();
    if (point !== null) {
      onPoint(point);
    }
  }
}

/** A stone was let go: in a game that is a click where it was, if it was on another point. */
function drop(source, target) {
  if (setup.open) {
    setup.drag(source, target);
  } else if (target !== null && target !== source.point) {
    onPoint(target);
  }
}

function refuse(key, facts = {}) {
  now.refusal = { key, facts };
  showBoard();
}

// -- what people do -------------------------------------------------------------------------------

/** Say what the value being known, or not, means for the page. */
function onValues() {
  const { error } = analysis;
  if (error?.passes) {
    now.problem = error;
    showAll();
  } else if (error?.kind in NO_PROGRAM && now.state.opponent) {
    dismissProgram(NO_PROGRAM[error.kind]);
    showAll();
  }
}

function toggleReveal() {
  now.reveal = isHidden();
  analysis.hide(isHidden());
}

/** Lead to a new game under other rules; what was played can be come back to. */
function goToNewGame(changes) {
  now.notice = now.state.moves.length || now.state.position ? "notice.new-game" : null;
  go(newGame(now.state, changes));
}

function chooseOpponent(name) {
  now.reveal = null;
  const why = NO_PROGRAM[analysis.error?.kind];
  if (name && why && !setup.open) {
    find("opponent").value = "";
    refuse(why);
  } else {
    change({ opponent: name || null });
  }
}

/** Change what the position does not depend on: stones that are being set up stay. */
function change(changes) {
  if (setup.open) {
    now.state = { ...now.state, ...changes };
    keep();
    showAll();
  } else {
    go({ ...now.state, ...changes });
  }
}

function chooseOptions() {
  const { variant } = now.state;
  const usual = now.catalogue.variants.find((each) => each.variant === variant);
  goToNewGame({ options: chosenOptions(find("options"), usual) });
}

/** Change a draw in play; the game goes on. */
function chooseLimit({ dataset, value }) {
  const isUsual = value === String(now.variant.fields[dataset.limit]);
  change({ [dataset.limit]: isUsual ? null : value });
}

function chooseLanguage(code) {
  setLanguage(code);
  now.language = code;
  now.state = { ...now.state, language: code };
  keep();
  showAll();
  setup.refresh();
}

function toggleSetup() {
  if (setup.open) {
    setup.end();
    load();
  } else if (!now.variant || !hasSameRules(now.ruled, now.state)) {
    refuse(now.problem ? "refusal.problem" : "refusal.loading");
  } else {
    const view = now.view ?? now.shown;
    loading.abort();
    Object.assign(now, { clicks: [], refusal: null, problem: null });
    find("board").removeAttribute("aria-busy");
    setup.begin(view, board(), now.variant.fields);
    showAll();
  }
}

async function copyPosition() {
  const text = setup.open ? find("setup-text").value : now.view?.position;
  if (text) {
    const isCopied = await copy(text);
    find("notice").textContent = t(isCopied ? "copy.done" : "copy.failed", { text });
  }
}

/** Leave set-up, let go of a stone, or take half a turn back. */
function escape() {
  if (setup.open) {
    toggleSetup();
  } else {
    letGo();
  }
}

/** Let go of a stone, or take half a turn back. */
function letGo() {
  if (now.view && !setup.open) {
    now.clicks = [];
    now.refusal = null;
    showBoard();
  }
}

function listen() {
  const on = (id, type, act) => find(id).addEventListener(type, act);
  listenToBoard(find("board"), (point, isDouble) => {
    // The second click of a double click: nobody takes back what is a moment old.
    if (setup.open || !isDouble || now.clicks.at(-1) !== point) {
      onPoint(point);
    }
  });
  const areas = ["board", "white-player", "black-player", "setup-panel"].map(find);
  listenToDrags(find("board"), areas, { lift, drop });
  listenToMoves(find("moves"), (turn) => previewTurn(find("board"), turn));
  on("undo", "click", undo);
  on("redo", "click", redo);
  on("new", "click", () => go(newGame(now.state)));
  on("setup", "click", toggleSetup);
  on("setup-cancel", "click", toggleSetup);
  on("copy", "click", copyPosition);
  on("retry", "click", load);
  on("reveal", "click", toggleReveal);
  on("variant", "change", ({ target }) =>
    goToNewGame({ variant: target.value, ...USUAL_RULES }),
  );
  on("options", "change", chooseOptions);
  on("limits", "change", ({ target }) => chooseLimit(target));
  on("opponent", "change", ({ target }) => chooseOpponent(target.value));
  on("side", "change", ({ target }) => change({ side: target.value }));
  on("language", "change", ({ target }) => chooseLanguage(target.value));
  listenToLinks((query) => follow(query));
  listenToSkip(document.querySelector(".skip"), find("board"));
  listenToKeys({ Escape: escape, u: undo, r: redo, ArrowLeft: undo, ArrowRight: redo });
  window.addEventListener("popstate", () => {
    if (urlOf(now.state) !== location.pathname + location.search) {
      follow(location.search, "replace", keptFuture());
    }
  });
}

Object.assign(leads, { go, values: onValues });
setLanguage(preferredLanguage(now.state.language), { remember: false });
listen();
showAll();
load();
