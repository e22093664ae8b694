// What the page of a connector says of it.
import {reasonLink, whatToDo} from './commands.js';
import {card, el, facts, quiet, tableCard} from './dom.js';
import {bytes, count, duration, known, since} from './format.js';

const SHOWN_SOLVED_S = 600;
const sum = (rows) => Object.values(rows).reduce((all, one) => all + one, 0);
const nameOf = (one) => (one.schema === '' && one.table === '' ? 'all other tables' : `${one.schema}.${one.table}`);
export const gone = (slot) => ['lost', 'missing'].includes(slot?.wal_status);

export function box(kind, title, reason, message, hint, name) {
  return el('section', {class: `card ${kind}`}, el('h2', {}, title, reason && ': ', reason && reasonLink(reason)),
    el('p', {class: 'message'}, message), whatToDo(hint, name));
}

export function solved(one, now) {
  const error = one.last_error;
  if (!error?.solved_at || (Date.parse(now) - Date.parse(error.solved_at)) / 1000 > SHOWN_SOLVED_S) return null;
  return quiet(`Solved ${since(error.solved_at, now)} ago: `, reasonLink(error.reason), ` ${error.message}`);
}

// The worst first. skip: a button for the change that it failed at, where there is one.
export function troubles(one, now, skip) {
  const parts = [];
  const add = (kind, title, reason, message, hint) => parts.push(box(kind, title, reason, message, hint, one.name));
  const {last_error: error, stall} = one;
  if (error && !error.solved_at) {
    const failed = one.state === 'FAILED';
    add(failed ? 'bad' : 'warn', `${failed ? 'Failed' : 'Last error,'} ${since(error.at, now)} ago`, error.reason, error.message, error.hint);
    if (failed && error.change && skip) parts[0].append(skip(error.change));
  }
  const problem = one.slot?.problem;
  if (problem && error?.reason !== problem.reason) add('bad', 'Slot', problem.reason, problem.message, problem.hint);
  for (const {severity, reason, tables, message, hint, since: begun} of one.capture?.problems ?? [])
    if (severity === 'warning') add('bad', `For ${since(begun, now)}`, reason, [tables.join(', '), message].filter(Boolean).join(': '), hint);
  if (stall) add('warn', `Stalled for ${since(stall.since, now)}`, '', `Waiting for ${stall.waiting_for}`, stall.hint);
  for (const {what, since: begun, waits, message, hint} of one.beside ?? [])
    add('warn', `${what} ${waits ? 'has waited' : 'has failed'} for ${since(begun, now)}`, '', message, hint);
  return parts;
}

function untilLost(slot) {
  if (gone(slot)) return 'it is lost';
  if (slot.wal_status === 'unknown') return 'not known now';
  if (slot.safe_wal_bytes <= 0) return 'nothing left';
  if (known(slot.seconds_until_lost)) return duration(slot.seconds_until_lost);
  return known(slot.safe_wal_bytes) ? 'not at the present rate' : 'the server sets no limit';
}

export function slotCard(one) {
  const slot = one.slot;
  if (!slot) return card('Slot', quiet('Not looked at yet.'));
  if (slot.wal_status === 'none') return card('Slot', quiet('None on the server yet.'));
  const lost = gone(slot);
  const made = card('Slot', facts([
    ['WAL status', slot.last_wal_status ? `${slot.wal_status} (was ${slot.last_wal_status})` : slot.wal_status],
    ['WAL kept', !lost && bytes(slot.retained_wal_bytes)],
    ['Growth', !lost && slot.growth_bytes_per_second && `${bytes(slot.growth_bytes_per_second)}/s`],
    ['Until lost', untilLost(slot)],
    ['Held by', slot.oldest_transaction_seconds >= 60 && `${slot.oldest_transaction}, open for ${duration(slot.oldest_transaction_seconds)}`],
    ...[['Received', one.received_lsn], ['Stored', one.stored_lsn], ['Confirmed', one.confirmed_lsn]]
      .map(([title, lsn]) => [title, lsn && lsn !== '0/0' && el('code', {}, lsn)]),
    ['Looked at', `${duration(slot.age_seconds)} ago`]]));
  if (known(slot.safe_wal_bytes) && !lost) {
    const whole = slot.retained_wal_bytes + Math.max(0, slot.safe_wal_bytes);
    made.append(el('p', {}, el('label', {class: 'quiet'}, `${bytes(slot.retained_wal_bytes)} of ${bytes(whole)} that the server keeps`,
      el('meter', {min: 0, max: 1, low: 0.6, high: 0.85, optimum: 0, value: whole > 0 ? (slot.retained_wal_bytes / whole).toFixed(3) : 0}))));
  }
  return made;
}

export function workCard(one, now) {
  const does = one.activity !== 'none' && one.activity;
  return card('Work', facts([
    ['State', `${one.state} for ${since(one.state_since, now)}`],
    ['Does', does && `${does} for ${since(one.activity_since, now)}`],
    ['Waits for', one.waiting_for && one.state !== 'FAILED' && one.activity !== 'none' && `${one.waiting_for} for ${since(one.waiting_since, now)}`],
    ['Rows read', known(one.events) && `${count(one.events)} in all`],
    ['Records', known(one.records) && `${count(one.records)}, ${bytes(one.bytes)}; ${count(one.acknowledged)} acknowledged`],
    ['In flight', one.in_flight_limit_bytes > 0 && `${count(one.in_flight_records)} records, ${bytes(one.in_flight_bytes)} of ${
      bytes(one.in_flight_limit_bytes)}`]]));
}

// Of tables that are polled: there is no slot.
export const outboxCard = ({outbox}) => card('Outbox tables', facts([
  ['To publish', count(outbox.unpublished)], ['Oldest', outbox.unpublished > 0 && duration(outbox.oldest_seconds)], ['Parked', count(outbox.parked)],
  ['Counted', `${duration(outbox.age_seconds)} ago`]]));

// By the blocks of its files, or by the server's estimate of its rows.
function read(row) {
  return el('label', {class: 'quiet'}, `${row.percent.toFixed(1)} % by ${row.percent_by} `,
    el('progress', {max: 100, value: row.percent.toFixed(1), 'aria-label': `of ${nameOf(row)}`}));
}

export function snapshotCard(one) {
  const snapshot = one.snapshot;
  if (!snapshot) return null;
  const left = known(snapshot.seconds_left) ? `, ${snapshot.at_least ? 'at least ' : ''}${duration(snapshot.seconds_left)} left` : '';
  const bar = (row) => (known(row.percent) && row.state === 'reading' ? read(row) : row.state);
  const speed = known(snapshot.rows_per_second) ? `, ${count(snapshot.rows_per_second)} rows/s` : '';
  const title = `Snapshot ${snapshot.outcome}: ${count(snapshot.rows)} rows in ${duration(snapshot.seconds)}${speed}${left}`;
  return tableCard(title, ['Table', 'Rows', 'Estimated', 'State'],
    snapshot.tables.slice(0, 500).map((row) => [nameOf(row), count(row.rows), count(row.estimated_rows), bar(row)]));
}

export function incrementalCard(one) {
  const snapshot = one.incremental_snapshot;
  if (!snapshot) return null;
  const of = known(snapshot.estimated_rows) ? `${count(snapshot.rows)} of about ${count(snapshot.estimated_rows)}` : count(snapshot.rows);
  const more = snapshot.tables_waiting - snapshot.waiting.length;
  const made = card('Incremental snapshot', facts([
    ['Reads', nameOf(snapshot)], ['Rows', of], ['Read', known(snapshot.percent) && read(snapshot)], ['Chunks', count(snapshot.chunks)],
    ['Rows/s', known(snapshot.rows_per_second) && count(snapshot.rows_per_second)], ['For', duration(snapshot.seconds)],
    ['Left', known(snapshot.seconds_left) && duration(snapshot.seconds_left)],
    ['Held by', snapshot.held_by && `${snapshot.held_by}, for ${duration(snapshot.held_seconds)}`],
    ['Then', snapshot.tables_waiting > 0 && snapshot.waiting.join(', ') + (more > 0 ? ` and ${count(more)} more` : '')],
    ['Signal', el('code', {}, snapshot.id)]]));
  if (snapshot.held_by) made.classList.add('warn');
  return made;
}

// How snapshots began and ended, and signals that came to nothing.
export function endsCard(one, now) {
  const ends = one.last_snapshots ?? [];
  if (ends.length === 0) return null;
  const told = (end) => [end.data_collections ?? end.scanned_collection, end.status, end.rows_left_out && `rows left out: ${end.rows_left_out}`, end.message].filter(Boolean).join(', ');
  return tableCard('Snapshots and signals', ['What', 'Event', 'When', 'About'],
    ends.map((end) => [end.what, end.event, `${since(end.at, now)} ago`, told(end)]));
}

export function tablesCard(one) {
  const rows = (one.tables ?? []).sort((a, b) => sum(b.rows) - sum(a.rows));
  if (rows.length === 0) return null;
  return tableCard('Tables: published since the start', ['Table', 'Read', 'Created', 'Updated', 'Deleted', 'Truncated', 'Bytes'],
    rows.map((row) => [nameOf(row), ...['read', 'create', 'update', 'delete', 'truncate'].map((kind) => count(row.rows[kind] ?? 0)), bytes(row.bytes)]));
}
