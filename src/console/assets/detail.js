// The page of one connector.
import {Actions, signalForm} from './act.js';
import * as api from './api.js';
import {endsCard, incrementalCard, slotCard, snapshotCard, solved, tablesCard, troubles, workCard} from './cards.js';
import {chart} from './chart.js';
import {command, reasonLink, shell, whatToDo, withUrl} from './commands.js';
import {announce, card, el, facts, quiet, refill, setText} from './dom.js';
import {bytes, duration, known, plural, rate} from './format.js';
import {elsewhere} from './group.js';
import {Tail} from './tail.js';

const HISTORY_EVERY = 5;  // looks
const KEPT_LINES = 200;
const KINDS = {error: 'bad', warning: 'warn', notice: ''};

// Something that is asked for when it is opened.
function opened(title, ask) {
  const body = el('div');
  const root = el('details', {class: 'card'}, el('summary', {}, title), body);
  root.addEventListener('toggle', async () => {
    if (!root.open) return;
    body.replaceChildren(quiet('Asking…'));
    try {
      body.replaceChildren(...await ask());
    } catch (error) {
      body.replaceChildren(el('p', {class: 'fault'}, error.message));
    }
  });
  return root;
}

// What `walduct doctor NAME` prints: the process asks the servers.
async function examine(name) {
  const {connectors} = await api.doctor(name);
  const all = connectors.flatMap((one) => one.findings);
  return [quiet(`Asked: ${[...new Set(connectors.flatMap((one) => one.asked))].join(', ')}.`),
    el('p', {role: 'status'}, all.length === 0 ? 'Nothing was found.' : ['error', 'warning', 'notice']
      .map((kind) => plural(all.filter((one) => one.severity === kind).length, kind)).join(', ')),
    el('div', {class: 'stack'}, ...all.map((one) => el('div', {class: `card ${KINDS[one.severity] ?? ''}`}, el('p', {class: 'as-title'}, `${one.severity}: `,
      reasonLink(one.reason)), el('p', {class: 'message'}, one.message), whatToDo(one.hint, name))))];
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
    this.root = card('Last lines of the log', this.none, el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Last lines of the log'}, this.lines));
  }

  async show() {
    const {lines} = await api.log(this.name, this.last);
    for (const {number, at, level, text} of lines) {
      this.last = number;
      this.lines.prepend(el('li', {class: level}, `${at.slice(0, 10)} ${at.slice(11, 19)} ${level} ${text}`));
    }
    while (this.lines.children.length > KEPT_LINES) this.lines.lastElementChild.remove();
    this.none.hidden = this.last > 0;
    this.lines.parentElement.hidden = this.last === 0;
  }
}

function tile(title, big, small, line) {
  return el('section', {class: 'card'}, el('h2', {}, title), el('p', {class: 'big'}, big), quiet(small), line);
}

export class DetailPage {
  constructor(name, settings) {
    Object.assign(this, {name, settings, turn: 0, past: {seconds: 10, points: []}});
    this.state = el('span', {class: 'state'});
    this.actions = new Actions(name);
    this.note = el('span', {class: 'quiet'});
    [this.troubles, this.tiles, this.main, this.side] = ['stack troubles', 'tiles', 'stack', 'stack'].map((kind) => el('div', {class: kind}));
    this.log = new Log(name);
    this.signal = settings.worker && settings.write ? signalForm(name) : null;
    this.fixed = el('div', {class: 'stack'}, ...[this.signal, card('On a terminal', ...['status', 'doctor'].map((word) => command(withUrl(`walduct ${word} ${shell(name)}`))))].filter(Boolean));
    this.body = el('div', {class: 'page'}, el('div', {class: 'stack'}, this.main, opened('Doctor: ask the servers', () => examine(name)), opened('Configuration', () => configured(name)),
      this.log.root, new Tail(name, settings.values).root),
      el('div', {class: 'stack'}, this.side, this.fixed));
    this.root = el('section', {'aria-labelledby': 'title'}, el('div', {class: 'row tools'}, el('h1', {id: 'title'}, name), this.state, this.note,
      el('span', {class: 'push'}, settings.write ? this.actions.buttons : null)), this.actions.answer, this.troubles, this.tiles, this.body);
  }

  async show() {
    const {rows: [row], status} = await api.detail(this.name);
    this.body.hidden = !row;
    if (!row) return this.showNothing();
    setText(this.state, row.word);
    this.state.className = `state ${row.kind}`;
    setText(this.note, this.settings.write ? '' : 'read-only');
    if (this.settings.write) this.actions.show(row);
    if (this.signal) this.signal.hidden = row.other || row.state === 'STOPPED';
    const one = status.connectors[0] ?? status.resting[0];
    if (!one) return this.showIdle(row);
    if (this.turn++ % HISTORY_EVERY === 0) {
      this.past = await api.history(this.name).catch(() => this.past);
      await this.log.show();
    }
    const now = status.now;
    refill(this.troubles, troubles(one, now, this.settings.write && ((change) => this.actions.skip(change))));
    this.showTiles(one, row);
    const running = one.snapshot?.outcome === 'running';
    refill(this.main, [solved(one, now), incrementalCard(one), running && snapshotCard(one), endsCard(one, now), tablesCard(one), !running && snapshotCard(one)]);
    refill(this.side, [workCard(one, now), slotCard(one)]);
  }

  showTiles(one, row) {
    const draw = (title, key, text, now) => chart(title, this.past, key, text, now);
    const slot = one.slot ?? {};
    const lost = ['lost', 'missing'].includes(slot.wal_status);
    refill(this.tiles, [
      !lost && known(one.lag_seconds) && tile('Lag', duration(one.lag_seconds), known(one.lag_bytes) ? `${bytes(one.lag_bytes)} of WAL behind` : '',
        draw('Lag', 'lag', duration, one.lag_seconds)),
      (one.events > 0 || one.state === 'RUNNING') && tile('Rows read a second', rate(row.rate), `${plural(one.events, 'row')} read in all`, draw('Rows read a second', 'rate', rate, row.rate)),
      slot.wal_status && slot.wal_status !== 'none' && tile('WAL kept', lost ? `slot ${slot.wal_status}` : bytes(slot.retained_wal_bytes), lost ? 'what it needs is gone'
        : slot.growth_bytes_per_second ? `grows by ${bytes(slot.growth_bytes_per_second)}/s` : 'does not grow', draw('WAL kept', 'wal', bytes, lost ? null : slot.retained_wal_bytes))]);
  }

  showIdle(row) {
    refill(this.tiles, []);
    refill(this.troubles, [row.on && elsewhere(row), row.about ? el('p', {class: `card ${row.kind} message`}, row.about) : !row.on && el('p', {class: 'card'}, 'It has no task here: nothing runs.')]);
    refill(this.main, []);
    refill(this.side, []);
    return this.turn++ % HISTORY_EVERY === 0 ? this.log.show() : undefined;
  }

  showNothing() {
    setText(this.state, 'not there');
    this.state.className = 'state none';
    this.actions.show(null);
    refill(this.tiles, []);
    refill(this.troubles, [el('p', {class: 'card'}, `There is no connector ${this.name}.`)]);
    announce(`There is no connector ${this.name}.`);
  }
}
