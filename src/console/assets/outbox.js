// Rows of polled outbox tables that could not be published: listed, tried again, left out for good.
import {confirm} from './act.js';
import * as api from './api.js';
import {command, shell, withUrl} from './commands.js';
import {button, el, opened, quiet, setText, table, tell} from './dom.js';
import {clock, known, plural, since} from './format.js';
import {glimpse} from './tail.js';

const COLUMNS = ['Row', 'Key', 'State', 'Last error', 'Written'];
const ACTS = {
  Retry: ['Try it again', 'It has all its attempts again, the first one now. Where later events of its key are published already, it comes behind them.'],
  Skip: ['Leave it out', 'It is never published: walduct.outbox.done says whether it is marked as if it were, deleted, or moved to the archive.'],
};

export class ParkedRows {
  constructor(name, writes) {
    Object.assign(this, {name, writes});
    this.root = opened('', () => this.list());
    this.root.classList.add('warn');
    this.answer = el('p', {role: 'status', class: 'message'});
    this.root.append(this.answer);
    this.show();
  }

  // It stays while somebody reads it.
  show(parked = 0, now) {
    this.now = now;
    this.root.hidden = !parked && !this.root.open;
    setText(this.root.firstChild, `Parked, as they could not be published: ${plural(parked, 'row')}`);
  }

  async list() {
    const {tables} = await api.outbox(this.name);
    return tables.flatMap(({table: place, rows, more, note}) => [
      quiet(`${place}: ${note || `${plural(rows.length, 'row')}${more ? ', and more,' : ''} parked or waiting for the next attempt`}`),
      rows.length > 0 && table(place, this.writes ? [...COLUMNS, 'What to do'] : COLUMNS, rows.map((row) => this.cells(place, row)))]);
  }

  cells(place, {row, key, state, attempts, error, written}) {
    // Without a zone nobody can tell how old it is.
    const age = written?.endsWith('Z') ? `${since(written, this.now)} ago` : written && clock(written);
    return [row, key ?? '–', known(attempts) ? `${state}, ${plural(attempts, 'attempt')}` : state, glimpse(error ?? '–'), age ?? '–', this.writes
      && el('span', {class: 'row'}, ...Object.keys(ACTS).map((word) => button(word, () => this.run(word, place, row), 'small', `${word} row ${row} of ${place}`)))];
  }

  async run(word, place, row) {
    const [sure, about] = ACTS[word];
    const verb = word.toLowerCase();
    if (!await confirm(`${word} row ${row} of ${place}?`, sure, el('p', {}, about),
      command(withUrl(`walduct outbox ${verb} ${shell(this.name)} ${shell(row)} --table ${shell(place)}`)))) return;
    await tell(this.answer, async () => {
      const {tables} = await api.pull.Rows(this.name, {do: verb, table: place, rows: [row]});
      return `Row ${row} ${tables[0].rows[0].message}.`;
    });
    this.root.firstChild.focus();
    this.root.dispatchEvent(new Event('toggle'));
  }
}
