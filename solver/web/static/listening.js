/** What people do anywhere on the page: keys, links, and copying. */

/**
 * Call what a key stands for, unless somebody is typing, or what has the focus knows the key itself.
 *
 * @param {Object<string, () => void>} actions by key, such as `Escape`.
 */
export function listenToKeys(actions) {
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, select, textarea");
    const isCommand = event.ctrlKey || event.metaKey || event.altKey;
    const isTaken = isTyping || isCommand || event.defaultPrevented;
    if (!isTaken && Object.hasOwn(actions, event.key)) {
      actions[event.key]();
    }
  });
}

/**
 * Whether a click on a link is for the page; others ask the browser for a new tab or window.
 *
 * @param {MouseEvent} event
 * @returns {boolean}
 */
export function isPlainClick(event) {
  return !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button);
}

/**
 * Follow links to the page itself without loading it again; all others, and those that are to open
 * in another tab or window, are the browser's business.
 *
 * @param {(query: string) => void} follow is told the query of the link's URL.
 */
export function listenToLinks(follow) {
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    const isOurs =
      link?.origin === location.origin && link.pathname === location.pathname && !link.hash;
    if (isOurs && isPlainClick(event) && !event.defaultPrevented) {
      event.preventDefault();
      follow(link.search);
    }
  });
}

/**
 * Lead from the link that skips what stands before the board to a point of it, where keys work.
 *
 * @param {HTMLElement} link
 * @param {SVGElement} board
 */
export function listenToSkip(link, board) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    board.querySelector('[tabindex="0"]')?.focus();
  });
}

/**
 * Copy a text.
 *
 * @param {string} text
 * @returns {Promise<boolean>} whether the browser did; it does not for pages that came an unsafe way.
 */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // the page then shows the text instead
  }
}
