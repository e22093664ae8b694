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

export function button(text, act, kind = '') {
  const made = el('button', {type: 'button', class: kind}, text);
  made.addEventListener('click', () => act(made));
  return made;
}

// Only what differs is written: a screen reader's place and a selection stay.
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// Puts these children in, and leaves those alone that have not changed; where something was scrolled
// to and what has the focus stays.
export function refill(parent, nodes) {
  nodes = nodes.filter((node) => node);
  nodes.forEach((node, at) => {
    const old = parent.children[at];
    if (!old) parent.append(node);
    if (!old || old === node || old.isEqualNode(node)) return;
    const before = [...old.querySelectorAll('.scroll, button, a')];
    const places = before.map((one) => one.scrollTop);
    const focused = before.indexOf(document.activeElement);
    old.replaceWith(node);
    const after = [...node.querySelectorAll('.scroll, button, a')];
    after.forEach((one, i) => { one.scrollTop = places[i] ?? 0; });
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

// A table that is a list of small cards on a phone: each cell knows the name of its column.
export function table(title, columns, rows) {
  const head = el('thead', {}, el('tr', {}, ...columns.map((name, i) =>
    el('th', {scope: 'col', class: i === 0 ? '' : 'number'}, name))));
  const body = el('tbody', {}, ...rows.map(([first, ...others]) => el('tr', {}, el('th', {scope: 'row'}, first),
    ...others.map((cell, i) => el('td', {class: 'number', 'data-of': columns[i + 1]}, cell)))));
  return el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': title}, el('table', {}, head, body));
}

export const card = (title, ...children) => el('section', {class: 'card'}, title && el('h2', {}, title), ...children);

export const quiet = (...text) => el('p', {class: 'quiet'}, ...text);

export function announce(text) {
  setText(document.getElementById('news'), text);
}
