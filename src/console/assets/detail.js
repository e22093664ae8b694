// The page of one connector.
import * as api from './api.js';
import {chart} from './chart.js';
import {announce, el, facts, refill, setText} from './dom.js';
import {bytes, count, duration, rate, since} from './format.js';
import {latest, samplesOf, verdict} from './model.js';
import {Tail} from './tail.js';

const LASTS_MS = 1500;  // what fails at once has failed by then
const sum = (rows) => Object.values(rows).reduce((all, one) => all + one, 0);
const nameOf = (one) => (one.schema === '' && one.table === '' ? 'all other tables' : `${one.schema}.${one.table}`);

function table(title, columns, rows) {
  const head = el('thead', {}, el('tr', {}, ...columns.map((name, i) =>
    el('th', {scope: 'col', class: i === 0 ? '' : 'number'}, name))));
  const body = el('tbody', {}, ...rows.map(([first, ...others]) => el('tr', {}, el('th', {scope: 'row'}, first),
    ...others.map((cell) => el('td', {class: 'number'}, cell)))));
  return el('div', {}, el('h3', {}, title),
    el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': title}, el('table', {}, head, body)));
}

function trouble(one, now) {
  const parts = [];
  if (one.stall) {
    parts.push(el('div', {class: 'card warn wide'}, el('h3', {}, `Stalled for ${since(one.stall.since, now)}`),
      el('p', {class: 'message'}, `Waiting for ${one.stall.waiting_for}`)));
  }
  for (const problem of one.capture?.problems ?? []) {
    if (problem.severity !== 'warning') continue;
    parts.push(el('div', {class: 'card bad wide'}, el('h3', {}, `For ${since(problem.since, now)}: `, el('code', {}, problem.reason)),
      el('p', {class: 'message'}, `${problem.tables.join(', ')}: ${problem.message}`),
      problem.hint ? el('p', {class: 'message'}, el('strong', {}, 'What to do: '), problem.hint) : null));
  }
  const problem = one.slot?.problem;
  if (problem && one.last_error?.reason !== problem.reason) {
    parts.push(el('div', {class: 'card bad wide'}, el('h3', {}, 'Slot: ', el('code', {}, problem.reason)),
      el('p', {class: 'message'}, problem.message), el('p', {class: 'message'}, el('strong', {}, 'What to do: '), problem.hint)));
  }
  const error = one.last_error;
  if (error?.solved_at) {
    if (Date.parse(now) - Date.parse(error.solved_at) < 600000) {
      parts.push(el('p', {class: 'quiet wide'}, `Last error, ${since(error.at, now)} ago, solved ${since(error.solved_at, now)} ago: `,
        el('code', {}, error.reason), ` ${error.message}`));
    }
  } else if (error) {
    parts.push(el('div', {class: one.state === 'FAILED' ? 'card bad wide' : 'card warn wide'},
      el('h3', {}, `Last error, ${since(error.at, now)} ago: `, el('code', {}, error.reason)),
      el('p', {class: 'message'}, error.message),
      error.hint ? el('p', {class: 'message'}, el('strong', {}, 'What to do: '), error.hint) : null));
  }
  return parts;
}

function slotCard(one) {
  const slot = one.slot;
  if (!slot) return el('div', {class: 'card'}, el('h3', {}, 'Slot and WAL'), el('p', {class: 'quiet'}, 'Not looked at yet.'));
  const card = el('div', {class: 'card'}, el('h3', {}, 'Slot and WAL'), facts([
    ['WAL status', slot.last_wal_status ? `${slot.wal_status} (was ${slot.last_wal_status})` : slot.wal_status], ['Retained WAL', bytes(slot.retained_wal_bytes)],
    ['Growth', `${bytes(slot.growth_bytes_per_second)}/s`],
    ['Until lost', ['lost', 'missing'].includes(slot.wal_status) ? 'it is lost' : slot.safe_wal_bytes <= 0 ? 'nothing left'
      : slot.seconds_until_lost === undefined ? 'no limit in sight' : duration(slot.seconds_until_lost)],
    ...(slot.oldest_transaction === undefined ? [] : [['Oldest transaction',
      `${slot.oldest_transaction}, open for ${duration(slot.oldest_transaction_seconds)}`]]),
    ['Received', el('code', {}, one.received_lsn)], ['Stored', el('code', {}, one.stored_lsn)],
    ['Confirmed', el('code', {}, one.confirmed_lsn)], ['Looked at', `${duration(slot.age_seconds)} ago`]]));
  if (slot.safe_wal_bytes !== undefined) {
    const whole = slot.retained_wal_bytes + Math.max(0, slot.safe_wal_bytes);
    const text = `${bytes(slot.retained_wal_bytes)} of ${bytes(whole)} that the server keeps`;
    card.append(el('p', {}, el('label', {}, text, el('meter', {min: 0, max: 1, low: 0.6, high: 0.85, optimum: 0,
      value: whole > 0 ? slot.retained_wal_bytes / whole : 0}))));
  }
  return card;
}

// By the blocks of its files, or by the server's estimate of its rows.
function read(row) {
  return el('label', {}, `${row.percent.toFixed(1)} % by ${row.percent_by} `,
    el('progress', {max: 100, value: row.percent, 'aria-label': `of ${nameOf(row)}`}));
}

function snapshotCard(one) {
  const snapshot = one.snapshot;
  if (!snapshot) return null;
  const left = snapshot.seconds_left === undefined ? ''
    : `, ${snapshot.at_least ? 'at least ' : ''}${duration(snapshot.seconds_left)} left`;
  const bar = (row) => (row.percent !== undefined && row.state === 'reading' ? read(row) : row.state);
  const speed = snapshot.rows_per_second === undefined ? '' : `, ${count(Math.round(snapshot.rows_per_second))} rows/s`;
  return el('div', {class: 'card wide'}, table(`Snapshot ${snapshot.outcome}: ${count(snapshot.rows)} rows in `
      + `${duration(snapshot.seconds)}${speed}${left}`, ['Table', 'Rows', 'Estimated', 'State'],
  snapshot.tables.slice(0, 500).map((row) => [nameOf(row), count(row.rows), count(row.estimated_rows), bar(row)])));
}

function incrementalCard(one) {
  const snapshot = one.incremental_snapshot;
  if (!snapshot) return null;
  const name = nameOf(snapshot);
  const of = snapshot.estimated_rows === undefined ? count(snapshot.rows)
    : `${count(snapshot.rows)} of about ${count(snapshot.estimated_rows)}`;
  const more = snapshot.tables_waiting - snapshot.waiting.length;
  return el('div', {class: snapshot.held_by === undefined ? 'card wide' : 'card warn wide'}, el('h3', {}, 'Incremental snapshot'), facts([
    ['Reads', name], ['Rows', of], ['Read', snapshot.percent === undefined ? null : read(snapshot)], ['Chunks', count(snapshot.chunks)],
    ['Rows/s', snapshot.rows_per_second === undefined ? null : count(Math.round(snapshot.rows_per_second))], ['For', duration(snapshot.seconds)],
    ['Left', snapshot.seconds_left === undefined ? null : duration(snapshot.seconds_left)],
    ['Held by', snapshot.held_by && `${snapshot.held_by}, for ${duration(snapshot.held_seconds)}`],
    ['Then', snapshot.tables_waiting === 0 ? null : snapshot.waiting.join(', ') + (more > 0 ? ` and ${count(more)} more` : '')],
    ['Signal', el('code', {}, snapshot.id)]]));
}

// How snapshots began and ended, and signals that came to nothing.
function endsCard(one, now) {
  const ends = one.last_snapshots ?? [];
  if (ends.length === 0) return null;
  const told = (end) => [end.data_collections ?? end.scanned_collection, end.status, end.message].filter(Boolean).join(', ');
  return el('div', {class: 'card wide'}, table('Snapshots and signals', ['When', 'What', 'Event', 'About'],
    ends.map((end) => [`${since(end.at, now)} ago`, end.what, end.event, told(end)])));
}

function tablesCard(one) {
  const rows = one.tables.sort((a, b) => sum(b.rows) - sum(a.rows));
  if (rows.length === 0) return null;
  const cell = (row, kind) => count(row.rows[kind] ?? 0);
  return el('div', {class: 'card wide'}, table('Tables: published since the start',
    ['Table', 'Read', 'Created', 'Updated', 'Deleted', 'Truncated', 'Bytes'],
    rows.map((row) => [nameOf(row), ...['read', 'create', 'update', 'delete', 'truncate'].map((kind) => cell(row, kind)),
      bytes(row.bytes)])));
}

export class DetailPage {
  constructor(name, settings) {
    this.name = name;
    this.state = el('span', {class: 'state'});
    this.answer = el('span', {role: 'status'});
    this.cards = el('div', {class: 'cards'});
    this.buttons = settings.write ? Object.keys(api.levers).map((word) => this.lever(word)) : [];
    this.root = el('section', {'aria-labelledby': 'title'}, el('h2', {id: 'title'}, name),
      el('div', {class: 'row'}, this.state, ...this.buttons, this.answer,
        settings.write ? null : el('span', {class: 'quiet'}, 'read-only')), this.cards,
      new Tail(name, settings.values).root);
  }

  lever(word) {
    const button = el('button', {type: 'button'}, word);
    button.addEventListener('click', async () => {
      this.buttons.forEach((one) => { one.disabled = true; });
      setText(this.answer, `${word}: asked…`);
      try {
        await api.levers[word](this.name);
        setText(this.answer, `${word}: accepted…`);
        setText(this.answer, `${word}: ${await this.lasting()}`);
      } catch (error) {
        setText(this.answer, `${word}: ${error.message}`);
      }
      this.buttons.forEach((one) => { one.disabled = false; });
      button.focus();
    });
    return button;
  }

  // The state that lasts: what begins may fail at once.
  async lasting() {
    await new Promise((done) => { setTimeout(done, LASTS_MS); });
    const {connectors: [one]} = await api.detail(this.name);
    if (!one) return 'accepted';
    const failed = one.state === 'FAILED' && one.last_error ? `: ${one.last_error.message}` : '';
    return `accepted, it is ${one.state}${failed}`;
  }

  async show({known}) {
    const {now, connectors: [one]} = await api.detail(this.name);
    if (!one) return this.showIdle(known[this.name]?.status.connector);
    const [word, kind] = verdict(one);
    setText(this.state, word);
    this.state.className = `state ${kind}`;
    const {rate: records, flow} = latest(this.name);
    const work = el('div', {class: 'card'}, el('h3', {}, 'Work'), facts([
      ['Does', one.activity === 'none' ? null : `${one.activity} for ${since(one.activity_since, now)}`],
      ['Waits for', one.waiting_for && one.state !== 'FAILED' && `${one.waiting_for} for ${since(one.waiting_since, now)}`],
      ['In this state', `for ${since(one.state_since, now)}`],
      ['Lag', `${bytes(one.lag_bytes)}, ${duration(one.lag_seconds)}`],
      ['Records', `${count(one.records)}, ${rate(records)}`],
      ['Bytes', `${bytes(one.bytes)}, ${flow === null ? '–' : `${bytes(flow)}/s`}`],
      ['In flight', `${count(one.in_flight_records)} records, ${bytes(one.in_flight_bytes)} of `
        + bytes(one.in_flight_limit_bytes)]]));
    const samples = samplesOf(this.name);
    refill(this.cards, [...trouble(one, now), work, slotCard(one),
      el('div', {class: 'cards pair wide'},
        el('div', {class: 'card'}, chart('Records a second', samples, 'rate', (value) => `${count(value)}/s`)),
        el('div', {class: 'card'}, chart('Lag', samples, 'lag', bytes))), ...(one.snapshot?.outcome === 'running' ? [snapshotCard(one), incrementalCard(one), endsCard(one, now), tablesCard(one)]
        : [incrementalCard(one), endsCard(one, now), tablesCard(one), snapshotCard(one)])]
      .filter((card) => card !== null));
  }

  showIdle(view) {
    setText(this.state, view ? view.state : 'not there');
    this.state.className = 'state none';
    refill(this.cards, [el('div', {class: 'card wide'}, el('p', {class: 'message'},
      view?.trace ?? (view ? 'It has no task here: nothing runs.' : `There is no connector ${this.name}.`)))]);
    if (!view) announce(`There is no connector ${this.name}.`);
  }
}
