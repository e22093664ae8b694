// The page of all connectors: the worst first.
import {el, setText} from './dom.js';
import {bytes, duration, rate} from './format.js';
import {idle, latest, verdict} from './model.js';

const ORDER = ['bad', 'warn', 'good', 'none'];
const COLUMNS = ['Connector', 'State', 'Lag', 'Lag in time', 'Records', 'Retained WAL', 'What it does'];

function rowOf(one) {
  const [word, kind] = verdict(one);
  const doing = one.slot?.problem ? `${one.slot.problem.reason}: ${one.slot.problem.message}`
    : one.last_error && !one.last_error.solved_at && kind === 'bad' ? `${one.last_error.reason}: ${one.last_error.message}`
    : one.stall ? `waiting for ${one.stall.waiting_for}`
      : one.waiting_for ? `${one.activity === 'none' ? '' : `${one.activity}, `}waiting for ${one.waiting_for}` : one.activity ?? one.error ?? '';
  return {name: one.name, word, kind, cells: [bytes(one.lag_bytes), duration(one.lag_seconds), rate(latest(one.name).rate),
    bytes(one.slot?.retained_wal_bytes), doing]};
}

function makeRow(name) {
  const cells = COLUMNS.slice(2).map((title, i) =>
    el('td', {class: i < 4 ? 'number' : 'more', 'data-of': i < 4 ? title : undefined}));
  const state = el('span', {class: 'state'});
  const row = el('tr', {}, el('th', {scope: 'row'}, el('a', {href: `#connector/${encodeURIComponent(name)}`}, name)),
    el('td', {}, state), ...cells);
  return {row, state, cells};
}

export class ListPage {
  constructor() {
    this.rows = new Map();
    this.body = el('tbody');
    this.caption = el('caption', {class: 'quiet'});
    this.empty = el('p', {hidden: true}, 'No connectors yet.');
    this.root = el('section', {'aria-labelledby': 'title'}, el('h2', {id: 'title'}, 'Connectors'),
      el('table', {class: 'list'}, this.caption,
        el('thead', {}, el('tr', {}, ...COLUMNS.map((title, i) =>
          el('th', {scope: 'col', class: i > 1 && i < 6 ? 'number' : ''}, title)))), this.body), this.empty);
  }

  show({status, known}) {
    const shown = [...status.connectors, ...idle(known, status.connectors, status.resting)].map(rowOf)
      .sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || (a.name < b.name ? -1 : 1));
    const names = new Set(shown.map((one) => one.name));
    for (const [name, made] of this.rows) {
      if (!names.has(name)) {
        made.row.remove();
        this.rows.delete(name);
      }
    }
    shown.forEach((one, at) => {
      const made = this.rows.get(one.name) ?? makeRow(one.name);
      this.rows.set(one.name, made);
      setText(made.state, one.word);
      made.state.className = `state ${one.kind}`;
      one.cells.forEach((text, i) => setText(made.cells[i], text));
      if (this.body.children[at] !== made.row) this.body.insertBefore(made.row, this.body.children[at] ?? null);
    });
    const bad = shown.filter((one) => one.kind === 'bad').length;
    setText(this.caption, `${shown.length} connectors, ${bad === 0 ? 'none in trouble' : `${bad} in trouble`}`);
    this.empty.hidden = shown.length > 0;
  }
}
