/** The images of a position under the symmetries of its board, as small boards that are links. */

import { isPlainClick } from "./listening.js";
import { symmetryWords } from "./sentences.js";
import { element } from "./svg.js";
import { t } from "./text.js";

const PITCH = 20;
const MARGIN = 14;
const STONE = 7.5;

/**
 * Show every image that differs from those before it.
 * @param {HTMLElement} element what to fill
 * @param {object[]} images of `/symmetries`
 * @param {object} boardData `points` and `edges` of the board
 * @param {(image: object) => string} hrefOf the page's address with an image as its position
 * @param {(image: object) => void} onChoose what a plain click does
 */
export function showSymmetries(element, images, boardData, hrefOf, onChoose) {
  const different = distinctImages(images);
  const note = document.createElement("p");
  note.className = "note";
  const count = different.length;
  note.textContent = count === 1 ? t("symmetries.one") : t("symmetries.count", { count });
  const list = document.createElement("ul");
  list.className = "image-list";
  list.append(...different.map((image) => itemOf(image, boardData, hrefOf, onChoose)));
  element.replaceChildren(note, list);
}

/**
 * The images without those that equal an earlier one.
 * @param {object[]} images
 * @returns {object[]}
 */
export function distinctImages(images) {
  const seen = new Set();
  return images.filter(({ position }) => !seen.has(position) && seen.add(position));
}

/**
 * The stones of a position text such as "w:Wa4,b6:Ba1:H2,2".
 * @param {string} position as the server writes it
 * @returns {{white: string[], black: string[]}}
 */
export function stonesOf(position) {
  const [, white, black] = position.split(":");
  const points = (text) => text.slice(1).split(",").filter(Boolean);
  return { white: points(white), black: points(black) };
}

function itemOf(image, boardData, hrefOf, onChoose) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = hrefOf(image);
  link.dataset.image = image.position;
  const words = document.createElement("span");
  words.textContent = symmetryWords(image);
  link.append(smallBoard(boardData, stonesOf(image.position)), words);
  link.addEventListener("click", (event) => {
    if (!isPlainClick(event)) return;
    event.preventDefault();
    onChoose(image);
  });
  item.append(link);
  return item;
}

function smallBoard({ points, edges }, stones) {
  const at = new Map(points.map(({ name, x, y }) => [name, { x: x * PITCH, y: y * PITCH }]));
  const width = Math.max(...points.map(({ x }) => x)) * PITCH + 2 * MARGIN;
  const height = Math.max(...points.map(({ y }) => y)) * PITCH + 2 * MARGIN;
  const svg = element("svg", {
    class: "small-board",
    viewBox: `${-MARGIN} ${-MARGIN} ${width} ${height}`,
    "aria-hidden": "true",
  });
  const ground = { class: "ground", x: -MARGIN, y: -MARGIN, width, height, rx: 4 };
  svg.append(
    element("rect", ground),
    ...edges.map((edge) => line(edge, at)),
    ...points.map(({ name }) => element("circle", { class: "spot", ...centre(at, name), r: 2 })),
    ...["white", "black"].flatMap((side) => stones[side].map((name) => stone(side, name, at))),
  );
  return svg;
}

function line([from, to], at) {
  const [start, end] = [at.get(from), at.get(to)];
  return element("line", { class: "edge", x1: start.x, y1: start.y, x2: end.x, y2: end.y });
}

function stone(side, name, at) {
  const made = element("g", { class: `stone ${side}` });
  const sign =
    side === "white" ? { r: STONE * 0.55, fill: "none" } : { r: STONE * 0.22 };
  made.append(
    element("circle", { class: "face", ...centre(at, name), r: STONE }),
    element("circle", { class: "sign", ...centre(at, name), ...sign }),
  );
  return made;
}

function centre(at, name) {
  const { x, y } = at.get(name);
  return { cx: x, cy: y };
}
