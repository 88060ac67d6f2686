/** Elements of SVG pictures. */

const NAMESPACE = "http://www.w3.org/2000/svg";

/**
 * Make an element.
 *
 * @param {string} name
 * @param {Object<string, string|number>} attributes
 * @param {(Node|string)[]} [children]
 * @returns {SVGElement}
 */
export function element(name, attributes, children = []) {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [attribute, value] of Object.entries(attributes)) {
    made.setAttribute(attribute, value);
  }
  made.append(...children);
  return made;
}
