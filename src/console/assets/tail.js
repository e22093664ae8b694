// The last records of a connector. Asks while it is open and seen, and only then: the process keeps
// records for who looks on.
import * as api from './api.js';
import {el, quiet, setText} from './dom.js';
import {bytes, count} from './format.js';

const EVERY_MS = 1000;
const KEPT = 200;
const COLUMNS = ['Time', 'Operation', 'Topic', 'LSN', 'Key', 'Value'];

const GLIMPSE = 40;

// What is hidden or no text is only measured; what is long is opened by hand.
function textOf(text, size) {
  if (text === undefined) return size === undefined ? 'null' : bytes(size);
  if (text.length <= GLIMPSE) return el('code', {}, text);
  const whole = el('code', {class: 'message'}, text, text.length < size ? el('span', {class: 'quiet'}, ` … of ${bytes(size)}`) : null);
  return el('details', {}, el('summary', {}, el('code', {}, `${text.slice(0, GLIMPSE)}…`)), whole);
}

export class Tail {
  constructor(name, values) {
    this.name = name;
    this.after = 0;    // number of the last one that is shown, or known to be left out
    this.written = 0;  // of all, at the last look
    this.running = false;
    this.body = el('tbody');
    this.note = quiet('Nothing yet.');
    this.filter = el('input', {type: 'search', id: 'tail-topic', autocomplete: 'off', spellcheck: 'false'});
    this.filter.addEventListener('input', () => this.sift());
    this.root = el('details', {class: 'card wide'}, el('summary', {}, 'Live events'),
      quiet(values ? 'The beginnings of keys and values as records have them.'
        : 'Keys and values are hidden: walduct.console.values=true shows them.'),
      el('label', {for: 'tail-topic'}, 'Only topics with', this.filter), this.note,
      el('div', {class: 'scroll tail', tabindex: 0, role: 'region', 'aria-label': 'Live events'}, el('table', {},
        el('thead', {}, el('tr', {}, ...COLUMNS.map((column) => el('th', {scope: 'col'}, column)))), this.body)));
    this.root.addEventListener('toggle', () => this.begin());
  }

  begin() {
    if (!this.root.open || this.running) return;
    this.running = true;
    this.loop();
  }

  async loop() {
    if (!this.root.open || !this.root.isConnected) {
      this.running = false;
      return;
    }
    if (document.visibilityState === 'visible') await this.look();
    setTimeout(() => this.loop(), EVERY_MS);
  }

  async look() {
    try {
      const {records, entries} = await api.tail(this.name, this.after);
      if (records < this.after) this.after = this.written = 0;  // it began anew
      for (const entry of entries) this.add(entry);
      // What was written before the last look and has not come is not kept.
      if (this.after < this.written) this.miss(this.written);
      this.written = records;
      while (this.body.children.length > KEPT) this.body.lastElementChild.remove();
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
    const row = el('tr', {'data-topic': entry.topic}, el('td', {}, el('code', {}, entry.at.slice(11, 23))),
      el('td', {}, entry.operation ?? 'none'), el('td', {}, entry.topic), el('td', {}, el('code', {}, entry.lsn ?? '–')),
      el('td', {}, textOf(entry.key, entry.key_bytes)), el('td', {}, textOf(entry.value, entry.value_bytes)));
    row.hidden = !entry.topic.includes(this.filter.value);
    this.body.prepend(row);
  }

  sift() {
    for (const row of this.body.children) row.hidden = !(row.dataset.topic ?? '').includes(this.filter.value);
  }
}
