// The page of all connectors: found, sorted, sifted. What was chosen stays while the page is open.
import {spark} from './chart.js';
import {button, cut, el, heading, input, refill, section, setState, setText} from './dom.js';
import {bytes, duration, known, link, plural, rate} from './format.js';
import {groupCard} from './group.js';

const ORDER = {bad: 0, warn: 1, good: 2, none: 3};
const COLUMNS = [
  ['name', 'Connector'], ['trouble', 'State'], ['lag', 'Lag', duration], ['bytes', 'Behind', bytes], ['rate', 'Rows read', rate],
  ['wal', 'WAL kept', bytes],
];
const NUMBERS = COLUMNS.slice(2);
const SIFTS = [
  ['All', () => true], ['In trouble', (one) => one.kind === 'bad' || one.kind === 'warn'], ['Running', (one) => one.kind === 'good'],
  ['Paused', (one) => one.state === 'PAUSED'], ['Stopped', (one) => one.state === 'STOPPED'],
];
const chosen = {text: '', sift: 0, by: 'trouble', down: false};

const byName = (a, b) => (a.name < b.name ? -1 : 1);
// What is not known comes last, whichever way.
function compare(a, b) {
  const {by} = chosen;
  const sign = chosen.down ? -1 : 1;
  if (by === 'name') return sign * byName(a, b);
  const [x, y] = by === 'trouble' ? [ORDER[a.kind], ORDER[b.kind]] : [a[by], b[by]];
  return (known(x) && known(y) ? sign * (x - y) : known(y) - known(x)) || byName(a, b);
}

function makeRow(name) {
  const state = el('span', {class: 'state'});
  const numbers = NUMBERS.map(([, title]) => el('td', {class: 'number', 'data-of': title}));
  const glimpse = el('td');
  const about = el('span', {class: 'about'});
  const row = el('tr', {}, el('th', {scope: 'row'}, el('a', {href: link('connector', name)}, name)),
    el('td', {}, state), ...numbers, glimpse, el('td', {}, about));
  return {row, state, numbers, glimpse, about, trend: ''};
}

function showRow(made, one) {
  setState(made.state, one.word, one.kind);
  NUMBERS.forEach(([key, , text], i) => {
    setText(made.numbers[i], text(one[key]));
    made.numbers[i].className = known(one[key]) ? 'number' : 'number off';
  });
  setText(made.about, one.about ?? one.does ?? (one.on ? `on ${one.on}` : ''));
  made.about.className = `about ${one.about ? one.kind : ''}`;
  const {trend = ''} = one;
  if (made.trend === trend) return;
  made.trend = trend;
  made.glimpse.replaceChildren(trend && spark(trend));
}

export class ListPage {
  constructor() {
    this.made = new Map();
    this.body = el('tbody');
    this.count = el('p', {class: 'quiet', role: 'status'});
    this.search = input('search', {type: 'search', placeholder: 'Search by name', 'aria-label': 'Search by name', 'aria-keyshortcuts': '/'});
    this.search.value = chosen.text;
    this.search.addEventListener('input', () => this.choose({text: this.search.value}));
    this.sifts = SIFTS.map(([title], i) => button(title, () => this.choose({sift: i}), 'chip'));
    this.heads = COLUMNS.map(([key, title], i) => el('th', {scope: 'col', class: i > 1 && 'number'},
      button(title, () => this.sortBy(key))));
    this.order = el('select', {'aria-label': 'Sort by', class: 'narrow'}, ...COLUMNS.map(([key, title]) => el('option', {value: key}, `by ${title.toLowerCase()}`)));
    this.order.addEventListener('change', () => this.sortBy(this.order.value));
    this.table = el('div', {class: 'card list'}, el('table', {}, el('caption', {class: 'unseen'}, 'Connectors'),
      el('thead', {}, el('tr', {}, ...this.heads, el('th', {scope: 'col'}, 'Last hour'), el('th', {scope: 'col'}, 'What it does'))), this.body));
    this.empty = el('p', {class: 'card', hidden: true});
    this.group = el('div', {class: 'stack'});
    this.root = section(el('div', {class: 'row tools'}, heading('Connectors'), ...this.sifts, this.order, el('span', {class: 'push'}, this.search)),
    this.table, this.empty, this.count, this.group);
  }

  choose(what) {
    Object.assign(chosen, what);
    this.render();
  }

  sortBy(key) {
    // Of numbers the most comes first.
    this.choose({by: key, down: chosen.by === key ? !chosen.down : !['name', 'trouble'].includes(key)});
  }

  key(event) {
    if (event.key !== '/' || /INPUT|TEXTAREA|SELECT/.test(event.target.tagName)) return;
    event.preventDefault();
    this.search.focus();
  }

  show({rows, worker}) {
    this.rows = rows;
    this.render();
    refill(this.group, [groupCard(worker)]);
  }

  render() {
    const text = chosen.text.trim().toLowerCase();
    const found = this.rows.filter((one) => one.name.toLowerCase().includes(text));
    SIFTS.forEach(([title, fits], i) => {
      const number = found.filter(fits).length;
      this.sifts[i].setAttribute('aria-pressed', i === chosen.sift);
      this.sifts[i].hidden = number === 0 && i > 1 && i !== chosen.sift;
      setText(this.sifts[i], `${title} ${number}`);
    });
    this.heads.forEach((head, i) => head.setAttribute('aria-sort',
      COLUMNS[i][0] !== chosen.by ? 'none' : chosen.down ? 'descending' : 'ascending'));
    this.order.value = chosen.by;
    const shown = found.filter(SIFTS[chosen.sift][1]).sort(compare);
    shown.forEach((one, at) => {
      const made = this.made.get(one.name) ?? makeRow(one.name);
      this.made.set(one.name, made);
      showRow(made, one);
      if (this.body.children[at] !== made.row) this.body.insertBefore(made.row, this.body.children[at] ?? null);
    });
    cut(this.body, shown.length);
    this.table.hidden = shown.length === 0;
    this.empty.hidden = shown.length > 0;
    setText(this.empty, this.rows.length === 0 ? 'No connectors yet.' : 'No connector fits: change the search or the filter.');
    setText(this.count, shown.length === this.rows.length ? '' : `${shown.length} of ${plural(this.rows.length, 'connector')} shown`);
  }
}
