// The page of one connector.
import {Actions, signalForm} from './act.js';
import * as api from './api.js';
import {box, endsCard, gone, incrementalCard, outboxCard, slotCard, snapshotCard, solved, tablesCard, troubles, workCard} from './cards.js';
import {chart} from './chart.js';
import {command, shell, withUrl} from './commands.js';
import {announce, aside, card, cut, el, facts, heading, opened, quiet, refill, region, section, setState, setText} from './dom.js';
import {bytes, clock, duration, known, plural, rate} from './format.js';
import {elsewhere} from './group.js';
import {ParkedRows} from './outbox.js';
import {Tail} from './tail.js';

// Looks.
const HISTORY_EVERY = 5;
const KEPT_LINES = 200;

// What `walduct doctor NAME` prints: the process asks the servers.
async function examine(name) {
  const {connectors} = await api.doctor(name);
  const all = connectors.flatMap((one) => one.findings);
  return [quiet(`Asked: ${[...new Set(connectors.flatMap((one) => one.asked))].join(', ')}.`),
    el('p', {role: 'status'}, all.length === 0 ? 'Nothing was found.' : ['error', 'warning', 'notice']
      .map((kind) => plural(all.filter((one) => one.severity === kind).length, kind)).join(', ')),
    el('div', {class: 'stack'}, ...all.map((one) => box(one.severity, one.severity, one.reason, one.message, one.hint, name)))];
}

async function configured(name) {
  const {properties} = await api.config(name);
  return [facts(properties.map(([key, value]) => [key, el('code', {}, value)])),
    quiet('Secrets are masked; references are shown as they are written.')];
}

class Log {
  constructor(name) {
    [this.name, this.last] = [name, 0];
    this.lines = el('ol', {class: 'lines code'});
    this.none = quiet('No lines since the process was started.');
    this.root = card('Last lines of the log', this.none, region('Last lines of the log', this.lines));
  }

  async show() {
    const {lines} = await api.log(this.name, this.last);
    for (const {number, at, level, text} of lines) {
      this.last = number;
      this.lines.prepend(el('li', {class: level}, `${clock(at)} ${level} ${text}`));
    }
    cut(this.lines, KEPT_LINES);
    this.none.hidden = this.last > 0;
    this.lines.parentElement.hidden = this.last === 0;
  }
}

export class DetailPage {
  constructor(name, settings) {
    Object.assign(this, {name, writes: settings.write, turn: 0, past: {seconds: 10, points: []}});
    this.state = el('span');
    this.actions = new Actions(name);
    this.places = ['stack troubles', 'tiles', 'stack', 'stack'].map((kind) => el('div', {class: kind}));
    const [troubles, tiles, main, side] = this.places;
    this.log = new Log(name);
    this.parked = new ParkedRows(name, this.writes);
    this.signal = this.writes && signalForm(name);
    this.body = el('div', {class: 'page'}, el('div', {class: 'stack'}, this.parked.root, main, opened('Doctor: ask the servers', () => examine(name)),
      opened('Configuration', () => configured(name)), this.log.root, new Tail(name, settings.values).root),
    el('div', {class: 'stack'}, side, this.signal, card('On a terminal', ...['status', 'doctor'].map((word) => command(withUrl(`walduct ${word} ${shell(name)}`))))));
    this.root = section(el('div', {class: 'row tools'}, heading(name), this.state, !this.writes && aside('read-only'),
      el('span', {class: 'push'}, this.writes && this.actions.buttons)), this.actions.answer, troubles, tiles, this.body);
  }

  // Of each place what stands there: troubles, tiles, the wide column, the narrow one.
  put(...parts) {
    this.places.forEach((place, i) => refill(place, parts[i]));
  }

  async show() {
    const {rows: [row], status} = await api.detail(this.name);
    this.body.hidden = !row;
    this.actions.show(row);
    setState(this.state, row?.word ?? 'not there', row?.kind ?? 'none');
    if (!row) {
      const text = `There is no connector ${this.name}.`;
      announce(text);
      return this.put([el('p', {class: 'card'}, text)]);
    }
    if (this.signal) this.signal.hidden = row.other || row.state === 'STOPPED';
    const one = status.connectors[0] ?? status.resting[0];
    const {now} = status;
    this.parked.show(one?.outbox?.parked, now);
    const often = this.turn++ % HISTORY_EVERY === 0;
    if (often) await this.log.show();
    if (!one) return this.put([row.on && elsewhere(row), row.about ? el('p', {class: `card ${row.kind} message`}, row.about)
      : !row.on && el('p', {class: 'card'}, 'It has no task here: nothing runs.')]);
    if (often) this.past = await api.history(this.name).catch(() => this.past);
    const running = one.snapshot?.outcome === 'running';
    return this.put(troubles(one, now, this.writes && ((change) => this.actions.skip(change))), this.tiles(one, row),
      [solved(one, now), incrementalCard(one), running && snapshotCard(one), endsCard(one, now), tablesCard(one), !running && snapshotCard(one)],
      [workCard(one, now), one.outbox ? outboxCard(one) : slotCard(one)]);
  }

  tiles(one, row) {
    const tile = (title, big, small, key, text, now) => el('section', {class: 'card'}, el('h2', {}, title), el('p', {class: 'big'}, big), quiet(small),
      chart(title, this.past, key, text, now));
    const slot = one.slot ?? {};
    const lost = gone(slot);
    return [
      !lost && known(one.lag_seconds) && tile('Lag', duration(one.lag_seconds), known(one.lag_bytes) && `${bytes(one.lag_bytes)} of WAL behind`,
        'lag', duration, one.lag_seconds),
      (one.events > 0 || one.state === 'RUNNING') && tile('Rows read a second', rate(row.rate), `${plural(one.events, 'row')} read in all`, 'rate', rate, row.rate),
      slot.wal_status && slot.wal_status !== 'none' && tile('WAL kept', lost ? `slot ${slot.wal_status}` : bytes(slot.retained_wal_bytes), lost ? 'what it needs is gone'
        : slot.growth_bytes_per_second ? `grows by ${bytes(slot.growth_bytes_per_second)}/s` : 'does not grow', 'wal', bytes, lost ? null : slot.retained_wal_bytes)];
  }
}
