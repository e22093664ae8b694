// What can be done to a connector, in a state in which it does something, and the state that lasts.
import * as api from './api.js';
import {command, shell, withUrl} from './commands.js';
import {announce, aside, button, el, fold, input, setText, tell} from './dom.js';

const LOOK_MS = 500;
// Looks: what begins may fail at once.
const LASTS = 3;
const LIMIT = 60;
const LEADS_TO = {Pause: 'PAUSED', Resume: 'RUNNING', Restart: 'RUNNING', Stop: 'STOPPED'};
const BUSY = /^(connecting|preparing)|^$/;

// Of a row of the list; of other classes: nothing.
export function possible(row) {
  if (!row || row.other || row.of) return [];
  const by = {PAUSED: ['Resume', 'Stop'], STOPPED: ['Resume'], FAILED: ['Restart', 'Stop']};
  return [...(by[row.state] ?? ['Pause', 'Restart', 'Stop']), 'Delete'];
}

export function confirm(title, sure, ...text) {
  return new Promise((done) => {
    const dialog = el('dialog', {'aria-labelledby': 'sure'});
    const end = (answer) => () => {
      dialog.close();
      dialog.remove();
      done(answer);
    };
    const cancel = button('Cancel', end(false));
    dialog.append(el('h2', {id: 'sure'}, title), ...text, el('div', {class: 'row'}, cancel, button(sure, end(true), 'main risk')));
    dialog.addEventListener('cancel', end(false));
    document.body.append(dialog);
    dialog.showModal();
    cancel.focus();
  });
}

const pause = (time) => new Promise((done) => { setTimeout(done, time); });

// Until it is what was asked for, or has failed, and stays so.
async function lasting(name, word, failedBefore, seen) {
  let [last, times] = ['', 0];
  for (let i = 0; i < LIMIT; i += 1) {
    await pause(LOOK_MS);
    const {rows: [row], status} = await api.detail(name);
    if (!row) return word === 'Delete' ? '' : 'gone';
    seen(row);
    times = row.state === last ? times + 1 : 1;
    last = row.state;
    const there = last === LEADS_TO[word] && !(last === 'RUNNING' && BUSY.test(row.does ?? '') && i < 20);
    const failed = last === 'FAILED' && word !== 'Delete' && word !== 'Stop';
    if (times < (failed && failedBefore ? 2 * LASTS : LASTS) || !(there || failed)) continue;
    const error = status.connectors[0]?.last_error;
    return failed ? `it is FAILED${failedBefore ? ' again' : ''}: ${error?.message ?? row.about}` : `it is ${row.state}${row.does ? `, ${row.does}` : ''}`;
  }
  return `not done within ${LIMIT * LOOK_MS / 1000} s: it is ${last}`;
}

async function mayDelete(name) {
  const {properties} = await api.config(name);
  const of = Object.fromEntries(properties);
  const slot = of['slot.name'] ?? 'debezium';
  return confirm(`Delete ${name}?`, 'Delete it', el('p', {}, 'Its configuration is gone from the worker then. What it published stays in Kafka, and so does its position.'),
    ...(of['walduct.outbox.source'] === 'poll' ? [] : [el('p', {}, 'Its replication slot stays, too, and the server keeps WAL for it until it is dropped:'),
      command(`SELECT pg_drop_replication_slot('${slot.replaceAll('\'', '\'\'')}')`)]));
}

export class Actions {
  constructor(name) {
    Object.assign(this, {name, busy: false, row: null});
    this.buttons = el('span', {class: 'row'});
    this.answer = el('p', {role: 'status'});
  }

  show(row) {
    this.row = row;
    if (this.busy) return;
    const wanted = possible(row);
    const there = [...this.buttons.children].map((one) => one.textContent);
    if (wanted.join() === there.join()) return;
    const focused = this.buttons.contains(document.activeElement);
    this.buttons.replaceChildren(...wanted.map((word) => button(word, () => this.run(word), word === 'Delete' && 'risk')));
    if (focused) this.buttons.firstElementChild?.focus();
  }

  skip(change) {
    return button('Leave this change out…', () => this.run('Skip', change), 'main');
  }

  async run(word, change) {
    const sure = word === 'Delete' ? await mayDelete(this.name) : word !== 'Skip' || await confirm('Leave the change out for good?', 'Leave it out',
      el('p', {}, `The records of the change ${change} are never published; all others are. It is then restarted.`),
      command(withUrl(`walduct skip ${shell(this.name)} --lsn ${change}`)));
    if (!sure) return;
    const failed = this.row?.state === 'FAILED';
    this.busy = true;
    for (const one of this.buttons.children) one.disabled = true;
    const say = (text) => setText(this.answer, `${word}: ${text}`);
    say('asked…');
    try {
      await api.pull[word](this.name, change && {change});
      const state = await lasting(this.name, word === 'Skip' ? 'Restart' : word, failed, (row) => { this.row = row; });
      say(state);
      if (word === 'Delete' && state === '') {
        announce(`${this.name} is deleted`);
        location.hash = '#';
      }
    } catch (error) {
      say(error.message);
    }
    this.busy = false;
    const was = document.activeElement;
    this.buttons.replaceChildren();
    this.show(this.row);
    if (was === document.body) (this.buttons.firstElementChild ?? document.getElementById('main')).focus();
  }
}

const KINDS = [['Incremental snapshot, beside the stream', 'execute-snapshot', 'incremental'], ['Blocking snapshot, the stream waits', 'execute-snapshot', 'blocking'],
  ['Stop the incremental snapshot', 'stop-snapshot', 'incremental'], ['Pause it', 'pause-snapshot'], ['Resume it', 'resume-snapshot']];

export function signalForm(name) {
  const kind = el('select', {id: 'signal-kind'}, ...KINDS.map(([title], i) => el('option', {value: i}, title)));
  const tables = input('signal-tables');
  const answer = el('p', {role: 'status', class: 'message'});
  const form = el('form', {}, el('label', {for: 'signal-kind'}, 'What', kind),
    el('label', {for: 'signal-tables'}, 'Tables', aside('such as public.orders, public.items'), tables),
    el('div', {class: 'wide'}, el('button', {type: 'submit'}, 'Send the signal'), answer));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const [, type, how] = KINDS[kind.value];
    const data = how ? {type: how} : {};
    const named = tables.value.split(',').map((one) => one.trim()).filter(Boolean);
    if (named.length > 0) data['data-collections'] = named;
    tell(answer, async () => {
      const {id, written_to: place} = await api.pull.Signal(name, {type, data});
      return `Sent as ${id}, to ${place}. What becomes of it stands under “Snapshots and signals”.`;
    });
  });
  return fold('Ask for a snapshot', form);
}
