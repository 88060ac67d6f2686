/**
 * How long the games of a sector last: wins above the axis, losses below it, by plies to the end,
 * and the shares of wins, draws and losses. The picture of solver/histogram.py, small.
 *
 * The position's own bar, or its part of the shares, has an outline, a pointer and a label.
 */

import { percent } from "./sentences.js";
import { element } from "./svg.js";
import { formatNumber, t } from "./text.js";

const WIDTH = 340;
const LEFT = 40;
const RIGHT = 8;
/** The shares: where their bar begins, and how high it is. */
const SHARES = 24;
const SHARE_HEIGHT = 20;
/** The plot: where it begins, how high each half is, and the numbers between the halves. */
const TOP = 98;
const HALF = 84;
const AXIS = 20;
const BOTTOM = TOP + 2 * HALF + AXIS;
const FONT = 13;
/** The axis reaches as far at least, or bars would be as broad as high. */
const FEWEST_PLIES = 10;
/** Counts of which the largest is so many times the smallest are drawn on a logarithmic scale. */
const DECADES = 100;
const VALUES = Object.freeze(["win", "draw", "loss"]);
const PLURALS = Object.freeze({ win: "wins", draw: "draws", loss: "losses" });

/**
 * Draw a sector's histogram.
 * @param {SVGSVGElement} svg what to fill; it gets a title and a description
 * @param {object} record of `/sectors/{sector}`
 * @param {{value?: string, dtw?: number|null}} [result] of the position to mark
 */
export function showHistogram(svg, record, result = {}) {
  const counts = countsOf(record);
  const hasDistances = counts.size > 0;
  const marked = hasDistances && typeof result.dtw === "number" ? result.dtw : null;
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${hasDistances ? BOTTOM + 38 : 70}`);
  svg.setAttribute("role", "img");
  const parts = [
    shape("title", {}, t("histogram.title", { sector: record.sector })),
    shape("desc", {}, histogramWords(record, result).join(" ")),
    ...drawShares(record.distinct, marked === null ? result.value : undefined),
  ];
  if (hasDistances) parts.push(...drawPlot(counts, marked));
  svg.replaceChildren(...parts);
}

/**
 * What the picture shows, in sentences.
 * @param {object} record of `/sectors/{sector}`
 * @param {{value?: string, dtw?: number|null}} [result] of the position
 * @returns {string[]}
 */
export function histogramWords(record, result = {}) {
  const { wins, draws, losses } = record.distinct;
  const counts = countsOf(record);
  const words = [t("histogram.shares", { wins, draws, losses })];
  if (record.metric !== "dtw") words.push(t("histogram.wdl"));
  else if (!counts.size) words.push(t("histogram.none"));
  for (const value of ["win", "loss"]) {
    const depth = Math.max(...depthsOf(counts, value));
    if (Number.isFinite(depth)) {
      words.push(t(`histogram.deepest.${value}`, { depth, count: counts.get(depth) }));
    }
  }
  const place = placeWords(record, counts, result);
  return place ? [...words, place] : words;
}

/** Where the position stands among those of its sector; null if that is not known. */
function placeWords({ distinct }, counts, { value, dtw }) {
  if (value === "draw" && distinct.draws) {
    return t("histogram.place.draw", { share: percent(distinct.draws, distinct.total) });
  }
  if (typeof dtw !== "number" || !counts.has(dtw)) return null;
  const depths = depthsOf(counts, value);
  const sum = (some) => some.reduce((total, depth) => total + counts.get(depth), 0);
  const share = percent(sum(depths.filter((depth) => depth >= dtw)), sum(depths));
  return t(`histogram.place.${value}`, { depth: dtw, share });
}

/** How many distinct positions have each distance; none where the table knows no distances. */
function countsOf({ metric, histogram }) {
  const entries = metric === "dtw" ? Object.entries(histogram.distinct) : [];
  return new Map(entries.filter(([, count]) => count).map(([depth, count]) => [+depth, count]));
}

/** The distances of wins, which are odd, or those of losses. */
function depthsOf(counts, value) {
  return [...counts.keys()].filter((depth) => (depth % 2 === 1) === (value === "win"));
}

// -- shares -----------------------------------------------------------------------------------------

function drawShares(distinct, marked) {
  const across = WIDTH - 2 * RIGHT;
  const parts = [];
  const third = across / VALUES.length;
  let x = RIGHT;
  VALUES.forEach((value, place) => {
    const count = distinct[PLURALS[value]];
    const width = distinct.total ? (across * count) / distinct.total : 0;
    if (width) parts.push(shareBar(value, x, width, value === marked));
    if (value === marked && width) parts.push(sharePointer(value, x + width / 2));
    parts.push(legend(value, count, distinct.total, RIGHT + place * third));
    x += width;
  });
  return parts;
}

function shareBar(value, x, width, isMarked) {
  return shape("rect", {
    class: `share ${value}${isMarked ? " marked" : ""}`,
    x: round(x),
    y: SHARES,
    width: round(Math.max(width, 0.5)),
    height: SHARE_HEIGHT,
    "data-value": value,
  });
}

function sharePointer(value, x) {
  const group = shape("g", { class: "pointer" });
  const at = Math.min(Math.max(x, 44), WIDTH - 44);
  group.append(
    shape("path", { d: `M${round(x)} ${SHARES - 1}l-5 -6h10z` }),
    label(t(`histogram.here.${value}`), at, SHARES - 11, "middle"),
  );
  return group;
}

/** The letter of a value and its share, in words under the bar, whatever the bar's width. */
function legend(value, count, total, x) {
  const group = shape("g", { class: `legend ${value}` });
  const y = SHARES + SHARE_HEIGHT + 6;
  const share = t("histogram.share", { share: total ? percent(count, total) : "0" });
  group.append(
    shape("rect", { class: `share ${value}`, x, y, width: 18, height: 16, rx: 3 }),
    label(t(`value.letter.${value}`), x + 9, y + FONT, "middle", "letter"),
    label(share, x + 24, y + FONT + 0.5, "start"),
    shape("title", {}, `${t(`histogram.${PLURALS[value]}`)}: ${formatNumber(count)}`),
  );
  return group;
}

// -- distances --------------------------------------------------------------------------------------

function drawPlot(counts, marked) {
  const scale = scaleOf([...counts.values()]);
  const last = Math.max(FEWEST_PLIES, ...counts.keys());
  const step = (WIDTH - LEFT - RIGHT) / (last + 2);
  const xOf = (depth) => LEFT + step * (depth + 1);
  // The names of the halves keep out of the way of what the pointer says.
  const isLeft = marked === null || marked > last / 2;
  const named = (value, y) => {
    const [x, anchor] = isLeft ? [LEFT, "start"] : [WIDTH - RIGHT, "end"];
    const some = depthsOf(counts, value).length > 0;
    const key = `histogram.${some ? "" : "no-"}${PLURALS[value]}`;
    return label(t(key), x, y, anchor, `name ${value}`);
  };
  return [
    ...drawGrid(scale),
    ...[...counts].map(([depth, count]) =>
      drawBar(depth, count, scale, xOf(depth), step, depth === marked),
    ),
    ...drawDistances(last, xOf),
    named("win", TOP - 8),
    named("loss", BOTTOM + 16),
    label(footOf(scale), WIDTH - RIGHT, BOTTOM + 32, "end", "foot"),
    ...(counts.has(marked) ? [drawPointer(marked, counts.get(marked), scale, xOf(marked))] : []),
  ];
}

function footOf({ logarithmic }) {
  const words = [t("histogram.axis"), ...(logarithmic ? [t("histogram.log")] : [])];
  return words.join(t("list.separator"));
}

/** What counts stand for what heights; like `_scale_of` of solver/histogram.py. */
function scaleOf(counts) {
  const most = Math.max(...counts);
  if (most >= DECADES * Math.min(...counts)) {
    const top = Math.ceil(Math.log10(most));
    const step = Math.ceil(top / 4);
    const ticks = [];
    for (let power = 0; power <= top; power += step) ticks.push(10 ** power);
    // One position must be seen, so the axis is at half a one.
    const height = (count) => (HALF * Math.log(2 * count)) / Math.log(2 * most * 1.15);
    return { logarithmic: true, height, ticks };
  }
  const step = Math.max(1, Math.round(roundStep(most / 3)));
  const ticks = Array.from({ length: Math.floor(most / step) }, (_, index) => (index + 1) * step);
  return { logarithmic: false, height: (count) => (HALF * count) / (most * 1.05), ticks };
}

/** The smallest of 1, 2, 5, 10, 20, 50 ... that is not below a number above 0. */
function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((digit) => digit * power).find((size) => size >= least);
}

function drawGrid({ ticks, height }) {
  const compact = new Intl.NumberFormat("en-US", { notation: "compact" });
  const parts = [];
  for (const tick of ticks.filter((each) => height(each) <= HALF)) {
    for (const y of [TOP + HALF - height(tick), TOP + HALF + AXIS + height(tick)]) {
      parts.push(
        shape("path", { class: "grid", d: `M${LEFT} ${round(y)}H${WIDTH - RIGHT}` }),
        label(compact.format(tick), LEFT - 5, y + 4, "end", "count"),
      );
    }
  }
  return parts;
}

function drawBar(depth, count, { height }, x, step, isMarked) {
  const value = depth % 2 === 1 ? "win" : "loss";
  const high = height(count);
  const bar = shape("rect", {
    class: `bar ${value}${isMarked ? " marked" : ""}`,
    x: round(x - 0.8 * step),
    y: round(value === "win" ? TOP + HALF - high : TOP + HALF + AXIS),
    width: round(1.6 * step),
    height: round(high),
    "data-depth": depth,
  });
  bar.append(shape("title", {}, t(`histogram.bar.${value}`, { depth, count })));
  return bar;
}

function drawDistances(last, xOf) {
  const every = Math.max(1, Math.round(roundStep(last / 9)));
  const lines = [TOP + HALF, TOP + HALF + AXIS].map((y) =>
    shape("path", { class: "axis", d: `M${LEFT} ${y}H${WIDTH - RIGHT}` }),
  );
  for (let depth = 0; depth <= last; depth += every) {
    lines.push(label(String(depth), xOf(depth), TOP + HALF + AXIS / 2 + 4.5, "middle"));
  }
  return lines;
}

/** A triangle at the end of the marked bar, and what it says beyond the plot. */
function drawPointer(depth, count, { height }, x) {
  const isWin = depth % 2 === 1;
  const away = isWin ? -1 : 1;
  const end = (isWin ? TOP + HALF : TOP + HALF + AXIS) + away * (height(count) + 2);
  const beyond = isWin ? TOP - 6 : BOTTOM + 6;
  const words = t("histogram.here", { count: depth });
  const at = Math.min(Math.max(x, LEFT + 24), WIDTH - RIGHT - 32);
  const group = shape("g", { class: "pointer" });
  group.append(
    shape("path", { d: `M${round(x)} ${round(end)}l-5 ${away * 7}h10z` }),
    shape("path", { class: "thread", d: `M${round(x)} ${round(end)}V${beyond}` }),
    label(words, at, isWin ? TOP - 9 : BOTTOM + 17, "middle"),
  );
  return group;
}

// -- SVG --------------------------------------------------------------------------------------------

function label(text, x, y, anchor, name = "") {
  const attributes = { x: round(x), y: round(y), "text-anchor": anchor, "font-size": FONT };
  return shape("text", name ? { ...attributes, class: name } : attributes, text);
}

function shape(name, attributes, text = null) {
  return element(name, attributes, text === null ? [] : [text]);
}

function round(number) {
  return Math.round(number * 100) / 100;
}
