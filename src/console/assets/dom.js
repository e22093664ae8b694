// Elements. Names, messages and values come from servers and are text, never markup: there is no
// other way to put them on the page than textContent.

const SVG = 'http://www.w3.org/2000/svg';

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(name, '');
    else if (value !== false && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter(Boolean));
  return node;
}

export const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

export const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

// label: for a screen reader, where the text alone says too little.
export function button(text, act, kind = '', label = undefined) {
  const made = el('button', {type: 'button', class: kind, 'aria-label': label}, text);
  made.addEventListener('click', () => act(made));
  return made;
}

export const input = (id, more) => el('input', {id, autocomplete: 'off', spellcheck: 'false', ...more});

// Only what differs is written: a screen reader's place and a selection stay.
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function setState(node, word, kind) {
  setText(node, word);
  node.className = `state ${kind}`;
}

// What came of it, or why nothing did.
export async function tell(node, work) {
  setText(node, 'Asking…');
  setText(node, await work().catch((error) => error.message));
}

// The first ones stay.
export function cut(parent, most) {
  while (parent.children.length > most) parent.lastElementChild.remove();
}

const partsOf = (node) => [...node.querySelectorAll('.scroll, button, a')];

// Puts these children in, and leaves those alone that have not changed; where something was scrolled
// to and what has the focus stays.
export function refill(parent, nodes = []) {
  nodes = nodes.filter(Boolean);
  nodes.forEach((node, at) => {
    const old = parent.children[at];
    if (!old) parent.append(node);
    if (!old || old === node || old.isEqualNode(node)) return;
    const before = partsOf(old);
    const places = before.map((one) => one.scrollTop);
    const focused = before.indexOf(document.activeElement);
    old.replaceWith(node);
    const after = partsOf(node);
    after.forEach((one, i) => { one.scrollTop = places[i] ?? 0; });
    after[focused]?.focus({preventScroll: true});
  });
  cut(parent, nodes.length);
}

// What has no value is left out.
export const facts = (pairs) => el('dl', {}, ...pairs.filter(([, value]) => value)
  .flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));

export const heading = (text) => el('h1', {id: 'title'}, text);

// All of a page.
export const section = (...children) => el('section', {'aria-labelledby': 'title'}, ...children);

export const region = (title, ...children) => el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': title}, ...children);

// A table that is a list of small cards on a phone: each cell knows the name of its column.
export function table(title, columns, rows) {
  const head = el('thead', {}, el('tr', {}, ...columns.map((name, i) =>
    el('th', {scope: 'col', class: i > 0 && 'number'}, name))));
  const body = el('tbody', {}, ...rows.map(([first, ...others]) => el('tr', {}, el('th', {scope: 'row'}, first),
    ...others.map((cell, i) => el('td', {class: 'number', 'data-of': columns[i + 1]}, cell)))));
  return region(title, el('table', {}, head, body));
}

export const card = (title, ...children) => el('section', {class: 'card'}, title && el('h2', {}, title), ...children);

export const tableCard = (title, columns, rows, ...more) => card(title, table(title, columns, rows), ...more);

export const quiet = (...text) => el('p', {class: 'quiet'}, ...text);

export const aside = (text) => el('span', {class: 'quiet'}, text);

export const fold = (title, ...children) => el('details', {class: 'card'}, el('summary', {}, title), ...children);

// Something that is asked for when it is opened.
export function opened(title, ask) {
  const body = el('div');
  const root = fold(title, body);
  root.addEventListener('toggle', async () => {
    if (!root.open) return;
    body.replaceChildren(quiet('Asking…'));
    try {
      refill(body, await ask());
    } catch (error) {
      body.replaceChildren(el('p', {class: 'fault'}, error.message));
    }
  });
  return root;
}

export function announce(text) {
  setText(document.getElementById('news'), text);
}
