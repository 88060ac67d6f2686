/** Elements of the page. */

/**
 * Make an element.
 *
 * @param {string} name
 * @param {object} [properties] such as `textContent`
 * @returns {HTMLElement}
 */
export function made(name, properties = {}) {
  return Object.assign(document.createElement(name), properties);
}
