/**
 * The board as SVG: lines, points, stones, and what is marked on them.
 *
 * It is drawn anew only for another board. Otherwise its points stay, and with them the keyboard's
 * focus; what stands on them changes.
 */

import { element } from "./svg.js";

/**
 * @typedef {object} Marks
 * @property {Set<string>} legal the points where a click goes on with a legal turn.
 * @property {string|null} chosen the stone that is to move.
 * @property {Set<string>} grabbable the points whose stones can be dragged.
 * @property {{from: string|null, to: string, captures: string[]}|null} last the last turn.
 * @property {Map<string, string>} labels what each point is called aloud.
 */

/** From one file to the next at least, and from the first to the last: the unit of all lengths. */
const PITCH = 100;
const WIDTH = 360;
const CELLS_WIDTH = 260;
/** Around the outermost points at least; wider where the names of ranks and files stand. */
const MARGIN = 53;
const NAMES = 19;
const STONE = 36;
const CROSS = "M-16-16 16 16M-16 16 16-16";
/** From one stone in a hand to the next; how much smaller they are shown; how many at most. */
const HAND_PITCH = 78;
const HAND_SCALE = 0.21;
const MOST_IN_HAND = 12;

/**
 * Show a position.
 *
 * @param {SVGSVGElement} svg
 * @param {{name: string, points: {name: string, x: number, y: number}[], edges: string[][],
 *   lines: string[][]}} board
 * @param {{white: string[], black: string[], mills: {side: string, points: string[]}[]}} view
 * @param {Marks} marks
 */
export function drawBoard(svg, board, view, marks) {
  if (svg.dataset.board !== board.name) {
    drawEmpty(svg, board);
  }
  const showWay = wayOfStone(svg, marks.last);
  previewTurn(svg, null);
  drawMills(svg, board, view.mills);
  for (const group of svg.querySelectorAll(".point")) {
    drawPoint(group, view, marks);
  }
  showWay?.();
}

/**
 * Show what a turn would do: an arrow or a ring, and crosses on what it takes.
 *
 * @param {SVGSVGElement} svg
 * @param {string|null} turn such as `c3-d3xa7`; null: none is shown any more.
 */
export function previewTurn(svg, turn) {
  const [step, ...captures] = turn?.split("x") ?? [""];
  const [to, from] = step.split("-").reverse();
  const target = to && placeOf(svg, to);
  svg.querySelector(".preview")?.replaceChildren(
    ...(from ? [arrow(placeOf(svg, from), target)] : []),
    ...(target && !from ? [element("circle", { class: "ring", r: STONE, cx: target.x, cy: target.y })] : []),
    ...captures.map((point) => cross(placeOf(svg, point))),
  );
}

/**
 * Let people click points, with a pointer or with the keyboard.
 *
 * @param {SVGSVGElement} svg
 * @param {(point: string, isDouble: boolean) => void} onClick is told whether this is the second
 *   click of a double click, or a later one.
 */
export function listenToBoard(svg, onClick) {
  const pointOf = (event) => event.target.closest?.(".point");
  svg.addEventListener("click", (event) => {
    const group = pointOf(event);
    if (group) {
      rove(svg, group);
      onClick(group.dataset.point, event.detail > 1);
    }
  });
  // Not on the board itself: browsers take a picture that listens to the focus for one that has it.
  svg.parentElement.addEventListener("focusin", (event) => rove(svg, pointOf(event)));
  svg.addEventListener("keydown", (event) => {
    const group = pointOf(event);
    if (!group || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      onClick(group.dataset.point, false);
    } else if (event.key in DIRECTIONS) {
      event.preventDefault();
      nearest(svg, group, DIRECTIONS[event.key])?.focus();
    }
  });
}

const DIRECTIONS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/**
 * Fill a picture with the stones of a hand. What fills it already stays: a finger may be dragging
 * one of them.
 *
 * @param {SVGSVGElement} svg
 * @param {"white"|"black"} colour
 * @param {number} count
 */
export function fillHand(svg, colour, count) {
  const shown = Math.min(count, MOST_IN_HAND);
  if (svg.childElementCount === shown) {
    return;
  }
  const width = shown * HAND_PITCH;
  svg.setAttribute("viewBox", `0 0 ${width || 1} ${HAND_PITCH}`);
  svg.setAttribute("width", width * HAND_SCALE);
  svg.setAttribute("height", HAND_PITCH * HAND_SCALE);
  const middle = HAND_PITCH / 2;
  const stones = Array.from({ length: shown }, (_, place) => {
    const drawn = stone(colour);
    drawn.setAttribute("transform", `translate(${place * HAND_PITCH + middle} ${middle})`);
    return drawn;
  });
  svg.replaceChildren(...stones);
}

/**
 * One stone as a picture of its own, which says nothing aloud.
 *
 * @param {"white"|"black"} colour
 * @param {number} [scale] pixels for each unit of the board; a stone of a hand if it is left out.
 * @returns {SVGSVGElement}
 */
export function bareStone(colour, scale = HAND_SCALE) {
  const size = HAND_PITCH * scale;
  const box = `${-HAND_PITCH / 2} ${-HAND_PITCH / 2} ${HAND_PITCH} ${HAND_PITCH}`;
  const attributes = { viewBox: box, width: size, height: size, "aria-hidden": "true" };
  return element("svg", { class: "hand", ...attributes }, [stone(colour)]);
}

/** Make a point the one that the tab key goes to. */
function rove(svg, group) {
  if (group) {
    svg.querySelector('.point[tabindex="0"]')?.setAttribute("tabindex", "-1");
    group.setAttribute("tabindex", "0");
  }
}

/** The nearest point in a direction; what lies off it counts more than what lies along it. */
function nearest(svg, group, [right, down]) {
  let best = null;
  let least = Infinity;
  for (const other of svg.querySelectorAll(".point")) {
    const x = other.dataset.x - group.dataset.x;
    const y = other.dataset.y - group.dataset.y;
    const along = x * right + y * down;
    const distance = along + 3 * Math.abs(x * down + y * right);
    if (along > 0 && distance < least) {
      [best, least] = [other, distance];
    }
  }
  return best;
}

function drawEmpty(svg, board) {
  const pitch = pitchOf(board);
  const width = pitch * Math.max(...board.points.map(({ x }) => x));
  const height = pitch * Math.max(...board.points.map(({ y }) => y));
  const { plain, named } = marginsOf(board);
  const box = [-named, -plain, width + plain + named, height + plain + named];
  svg.setAttribute("viewBox", box.join(" "));
  svg.dataset.board = board.name;
  const [x, y, across, down] = box;
  svg.replaceChildren(
    element("rect", { class: "ground", x, y, width: across, height: down, rx: 12 }),
    drawLines(board),
    drawNames(board, height),
    element("g", { class: "mills" }),
    element(
      "g",
      { class: "points" },
      board.points.map((point, place) => emptyPoint(point, place, pitch)),
    ),
    element("g", { class: "preview" }),
  );
}

/** What stones move along; of a board of cells, what parts these. */
function drawLines(board) {
  const at = placesOf(board);
  const segments = hasCells(board)
    ? cellBorders(board)
    : board.edges.map(([from, to]) => [at.get(from), at.get(to)]);
  const lines = segments.map(([from, to]) =>
    element("line", { x1: from.x, y1: from.y, x2: to.x, y2: to.y }),
  );
  return element("g", { class: hasCells(board) ? "lines cells" : "lines" }, lines);
}

function cellBorders(board) {
  const pitch = pitchOf(board);
  const half = pitch / 2;
  const columns = distinct(board.points.map(({ x }) => x * pitch));
  const rows = distinct(board.points.map(({ y }) => y * pitch));
  const [right, bottom] = [columns.at(-1) + half, rows.at(-1) + half];
  return [
    ...columns.slice(1).map((x) => [{ x: x - half, y: -half }, { x: x - half, y: bottom }]),
    ...rows.slice(1).map((y) => [{ x: -half, y: y - half }, { x: right, y: y - half }]),
  ];
}

/** The letters of the files below and the numbers of the ranks at the left, in the margin. */
function drawNames(board, height) {
  const pitch = pitchOf(board);
  const margin = marginsOf(board).named;
  const files = new Map(board.points.map(({ name, x }) => [x, name[0]]));
  const ranks = new Map(board.points.map(({ name, y }) => [y, name.slice(1)]));
  const named = (text, x, y) => element("text", { x, y, "text-anchor": "middle" }, [text]);
  return element("g", { class: "coordinates", "aria-hidden": "true", "font-size": 20 }, [
    ...[...files].map(([x, file]) => named(file, x * pitch, height + margin - 7)),
    ...[...ranks].map(([y, rank]) => named(rank, 11 - margin, y * pitch + 7)),
  ]);
}

function emptyPoint({ name, x, y }, place, pitch) {
  return element(
    "g",
    {
      class: "point",
      role: "button",
      tabindex: place === 0 ? "0" : "-1",
      transform: `translate(${x * pitch} ${y * pitch})`,
      "data-point": name,
      "data-x": x,
      "data-y": y,
    },
    [
      element("circle", { class: "hit", r: pitch / 2, fill: "transparent" }),
      element("circle", { class: "spot", r: 8 }),
      element("circle", { class: "focus-ring", r: 46, fill: "none" }),
    ],
  );
}

function drawMills(svg, board, mills) {
  const at = placesOf(board);
  const bands = mills.map(({ side, points }) => {
    const [from, to] = [at.get(points[0]), at.get(points.at(-1))];
    const ends = { x1: from.x, y1: from.y, x2: to.x, y2: to.y };
    return element("line", { class: side, "data-mill": points.join(" "), ...ends });
  });
  svg.querySelector(".mills").replaceChildren(...bands);
}

function drawPoint(group, view, marks) {
  const { point } = group.dataset;
  const { legal, chosen, grabbable, last, labels } = marks;
  const isCaptured = Boolean(last?.captures.includes(point));
  group.classList.toggle("legal", legal.has(point));
  group.classList.toggle("chosen", point === chosen);
  group.classList.toggle("grabbable", grabbable.has(point));
  group.classList.toggle("last", last?.to === point);
  group.classList.toggle("origin", last?.from === point);
  group.classList.toggle("captured", isCaptured);
  group.setAttribute("aria-label", labels.get(point) ?? point);
  const colour = ["white", "black"].find((side) => view[side].includes(point));
  const shown = [
    legal.has(point) && element("circle", { class: "mark legal-mark", r: colour ? 43 : 18 }),
    point === chosen && element("circle", { class: "mark chosen-mark", r: 43 }),
    last?.to === point && element("circle", { class: "mark last-mark", r: 41 }),
    last?.from === point && element("circle", { class: "mark origin-mark", r: STONE - 6 }),
    isCaptured && element("path", { class: "mark captured-mark", d: CROSS }),
  ].filter(Boolean);
  // What stays: where to click, the spot, the focus, and a stone, as a finger may be dragging it.
  for (const old of group.querySelectorAll(".mark")) {
    old.remove();
  }
  const old = group.querySelector(".stone");
  if (!colour || !old?.classList.contains(colour)) {
    old?.remove();
    group.append(...(colour ? [stone(colour)] : []));
  }
  group.append(...shown);
}

/**
 * What shows a stone on its way, if the last turn moves one that is still seen where it came from.
 * To be called before the board is drawn; what it returns, after that.
 */
function wayOfStone(svg, last) {
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const from = last?.from ? groupOf(svg, last.from) : null;
  if (isStill || !from?.querySelector(".stone") || from.classList.contains("carried")) {
    return null;
  }
  const to = groupOf(svg, last.to);
  if (to.querySelector(".stone")) {
    return null;
  }
  const [old, place] = [placeOf(svg, last.from), placeOf(svg, last.to)];
  const start = `translate(${old.x - place.x}px, ${old.y - place.y}px)`;
  const way = [{ transform: start }, { transform: "none" }];
  return () => to.querySelector(".stone")?.animate(way, { duration: 200, easing: "ease-out" });
}

/** A stone; a white one has a ring on it and a black one a dot, so that no eye needs the colour. */
function stone(colour) {
  const mark =
    colour === "white"
      ? { class: "sign", r: STONE * 0.58, fill: "none" }
      : { class: "sign", r: STONE * 0.2 };
  return element("g", { class: `stone ${colour}` }, [
    element("circle", { class: "face", r: STONE }),
    element("circle", mark),
  ]);
}

function arrow(from, to) {
  const [x, y] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(x, y);
  const angle = (Math.atan2(y, x) * 180) / Math.PI;
  const tip = length - 8;
  const d = `M${STONE} 0H${tip - 22}V-15L${tip} 0L${tip - 22} 15V0`;
  return element("path", { class: "arrow", d, transform: `translate(${from.x} ${from.y}) rotate(${angle})` });
}

function cross({ x, y }) {
  return element("path", { class: "captured-mark", d: CROSS, transform: `translate(${x} ${y})` });
}

function groupOf(svg, point) {
  return svg.querySelector(`.point[data-point="${point}"]`);
}

/** Where a point of the board that is drawn is. */
function placeOf(svg, point) {
  const group = groupOf(svg, point);
  const pitch = 2 * group.querySelector(".hit").getAttribute("r");
  return { x: group.dataset.x * pitch, y: group.dataset.y * pitch };
}

function placesOf(board) {
  const pitch = pitchOf(board);
  return new Map(board.points.map(({ name, x, y }) => [name, { x: x * pitch, y: y * pitch }]));
}

/** Whether stones stand in cells, and not where lines meet. */
function hasCells({ name }) {
  return name === "grid3" || name === "grid6x5";
}

function marginsOf(board) {
  const plain = hasCells(board) ? Math.max(MARGIN, pitchOf(board) / 2 + 3) : MARGIN;
  return { plain, named: plain + NAMES };
}

/** From one file to the next: more on a small board, or its stones would be as large as plates. */
function pitchOf(board) {
  const width = hasCells(board) ? CELLS_WIDTH : WIDTH;
  return Math.max(PITCH, width / Math.max(...board.points.map(({ x }) => x)));
}

function distinct(numbers) {
  return [...new Set(numbers)].sort((first, second) => first - second);
}
