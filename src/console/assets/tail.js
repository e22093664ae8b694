// The last records of a connector. Asks while it is open and seen, and only then: the process keeps
// records for who looks on.
import * as api from './api.js';
import {aside, cut, el, fold, input, quiet, region, setText} from './dom.js';
import {bytes, count} from './format.js';

const EVERY_MS = 1000;
const KEPT = 200;
const COLUMNS = ['Time', 'Operation', 'Topic', 'LSN', 'Key', 'Value'];

const GLIMPSE = 40;

// What is long is opened by hand. size: of what this is the beginning of.
export function glimpse(text, size = 0) {
  if (text.length <= GLIMPSE) return el('code', {}, text);
  const whole = el('code', {class: 'message'}, text, text.length < size && aside(` … of ${bytes(size)}`));
  return el('details', {}, el('summary', {}, el('code', {}, `${text.slice(0, GLIMPSE)}…`)), whole);
}

// What is hidden or no text is only measured.
const textOf = (text, size) => (text === undefined ? size === undefined ? 'null' : bytes(size) : glimpse(text, size));

export class Tail {
  constructor(name, values) {
    // after: number of the last one that is shown, or known to be left out; written: of all, at the last look.
    Object.assign(this, {name, after: 0, written: 0, running: false});
    this.body = el('tbody');
    this.note = quiet('Nothing yet.');
    this.filter = input('tail-topic', {type: 'search'});
    this.filter.addEventListener('input', () => this.sift());
    this.root = fold('Live events',
      quiet(values ? 'The beginnings of keys and values as records have them.'
        : 'Keys and values are hidden: walduct.console.values=true shows them.'),
      el('label', {for: 'tail-topic'}, 'Only topics with', this.filter), this.note,
      region('Live events', el('table', {class: 'tail'},
        el('thead', {}, el('tr', {}, ...COLUMNS.map((column) => el('th', {scope: 'col'}, column)))), this.body)));
    this.root.addEventListener('toggle', () => this.running || this.loop());
  }

  async loop() {
    this.running = this.root.open && this.root.isConnected;
    if (!this.running) return;
    if (document.visibilityState === 'visible') await this.look();
    setTimeout(() => this.loop(), EVERY_MS);
  }

  async look() {
    try {
      const {records, entries} = await api.tail(this.name, this.after);
      // It began anew.
      if (records < this.after) this.after = this.written = 0;
      for (const entry of entries) this.add(entry);
      // What was written before the last look and has not come is not kept.
      if (this.after < this.written) this.miss(this.written);
      this.written = records;
      cut(this.body, KEPT);
      setText(this.note, `${count(records)} records since the start, the newest first.`);
    } catch (error) {
      setText(this.note, error.status === 404 ? 'It does not run.' : error.message);
    }
  }

  // Those up to that number came faster than they are shown; before the first look nobody asked.
  miss(number) {
    const missed = number - this.after;
    if (this.body.children.length > 0 && missed > 0) {
      this.body.prepend(el('tr', {class: 'quiet'}, el('td', {colspan: COLUMNS.length}, `${count(missed)} more, not shown`)));
    }
    this.after = number;
  }

  add(entry) {
    this.miss(entry.number - 1);
    this.after = entry.number;
    const cells = [el('code', {}, entry.at.slice(11, 23)), entry.operation ?? 'none', entry.topic, el('code', {}, entry.lsn ?? '–'),
      textOf(entry.key, entry.key_bytes), textOf(entry.value, entry.value_bytes)];
    const row = el('tr', {'data-topic': entry.topic}, ...cells.map((cell) => el('td', {}, cell)));
    row.hidden = !entry.topic.includes(this.filter.value);
    this.body.prepend(row);
  }

  sift() {
    for (const row of this.body.children) row.hidden = !(row.dataset.topic ?? '').includes(this.filter.value);
  }
}
