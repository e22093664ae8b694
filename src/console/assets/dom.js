// Elements. Names, messages and values come from servers and are text, never markup: there is no
// other way to put them on the page than textContent.

const SVG = 'http://www.w3.org/2000/svg';

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(name, '');
    else if (value !== false && value !== undefined) node.setAttribute(name, String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

export const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

export const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

// Only what differs is written: a screen reader's place and a selection stay.
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// Puts these children in, and leaves those alone that have not changed; where a table was scrolled to
// and what has the focus stays.
export function refill(parent, nodes) {
  nodes.forEach((node, at) => {
    const old = parent.children[at];
    if (!old) parent.append(node);
    if (!old || old.isEqualNode(node)) return;
    const before = [...old.querySelectorAll('.scroll')];
    const places = before.map((one) => one.scrollLeft);
    const focused = before.indexOf(document.activeElement);
    old.replaceWith(node);
    const after = [...node.querySelectorAll('.scroll')];
    after.forEach((one, i) => { one.scrollLeft = places[i] ?? 0; });
    after[focused]?.focus({preventScroll: true});
  });
  while (parent.children.length > nodes.length) parent.lastElementChild.remove();
}

export function facts(pairs) {
  const list = el('dl');
  for (const [name, value] of pairs) {
    if (value !== null && value !== undefined) list.append(el('dt', {}, name), el('dd', {}, value));
  }
  return list;
}

export function announce(text) {
  setText(document.getElementById('news'), text);
}
