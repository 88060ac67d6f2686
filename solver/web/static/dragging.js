/**
 * Stones that are dragged: from a point of the board, or from a hand or a button that has spare
 * ones. Whoever only clicks notices nothing of it.
 *
 * What can be dragged is an element of the class `grabbable`: a point with its stone, or whatever
 * names a colour as `data-spare`.
 */

import { bareStone } from "./board.js";

/**
 * @typedef {object} Source of a dragged stone.
 * @property {"white"|"black"} colour
 * @property {string|null} point where it stands; null: it is a spare one.
 */

/** How far a pointer must go, in pixels, before it drags what it is pressed on. */
const SLACK = 6;

/**
 * Let people drag stones.
 *
 * @param {SVGSVGElement} board
 * @param {Element[]} areas what holds everything that can be dragged, the board among it.
 * @param {object} hooks
 * @param {(source: Source) => void} hooks.lift is told when a stone begins to be dragged.
 * @param {(source: Source, target: string|null) => void} hooks.drop is told the point where it was
 *   let go; null: beside the board.
 */
export function listenToDrags(board, areas, hooks) {
  let drag = null;

  const end = () => {
    drag?.ghost?.remove();
    drag?.element.classList.remove("lifted");
    document.body.classList.remove("dragging");
    drag = null;
  };

  const lift = () => {
    drag.ghost = ghostOf(board, drag.source.colour);
    drag.element.classList.add("lifted");
    document.body.classList.add("dragging");
    hooks.lift(drag.source);
  };

  const drop = ({ clientX, clientY }) => {
    const { source, element } = drag;
    const below = document.elementFromPoint(clientX, clientY)?.closest(".point");
    const target = below?.dataset.point ?? null;
    end();
    element.classList.add("carried"); // it need not be seen to go where it has been brought
    hooks.drop(source, target);
    element.classList.remove("carried");
  };

  document.addEventListener("pointerdown", (event) => {
    const element = event.target.closest?.(".grabbable");
    end();
    if (element && event.isPrimary && event.button === 0) {
      const { pointerId: pointer, clientX: x, clientY: y } = event;
      drag = { element, source: sourceOf(element), pointer, x, y, ghost: null };
    }
  });
  document.addEventListener("pointermove", (event) => {
    if (event.pointerId !== drag?.pointer) {
      return;
    }
    if (!(event.buttons & 1)) {
      end(); // it was let go where this page is not told of it
      return;
    }
    const { clientX: x, clientY: y } = event;
    if (!drag.ghost && Math.hypot(x - drag.x, y - drag.y) > SLACK) {
      lift();
    }
    if (drag.ghost) {
      drag.ghost.style.translate = `${x}px ${y}px`;
    }
  });
  document.addEventListener("pointerup", (event) => {
    if (event.pointerId === drag?.pointer) {
      if (drag.ghost) {
        swallowClick();
        drop(event);
      } else {
        end();
      }
    }
  });
  document.addEventListener("pointercancel", end);
  for (const area of areas) {
    // A finger that drags a stone must not scroll the page.
    area.addEventListener("touchmove", (event) => drag && event.preventDefault(), {
      passive: false,
    });
  }
  window.addEventListener("blur", end);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && drag?.ghost) {
      event.preventDefault(); // for whoever else knows this key
      end();
    }
  });
  // A press that has become a drag must not select texts, or drag what browsers would drag.
  document.addEventListener("dragstart", (event) => drag && event.preventDefault());
}

function sourceOf(element) {
  const { point = null, spare } = element.dataset;
  return { point, colour: spare ?? colourOf(element) };
}

function colourOf(group) {
  return group.querySelector(".stone.white") ? "white" : "black";
}

/** The stone that follows the pointer, as large as those on the board. */
function ghostOf(board, colour) {
  const ghost = bareStone(colour, board.getScreenCTM().a);
  ghost.classList.add("ghost");
  document.body.append(ghost);
  return ghost;
}

/** A drag ends with a click on whatever is around both of its ends; it means nothing. */
function swallowClick() {
  const swallow = (event) => {
    event.stopPropagation();
    event.preventDefault();
  };
  document.addEventListener("click", swallow, { capture: true, once: true });
  setTimeout(() => document.removeEventListener("click", swallow, { capture: true }));
}
