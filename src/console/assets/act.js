// What can be done to a connector, in a state in which it does something, and the state that lasts.
import * as api from './api.js';
import {command, shell, withUrl} from './commands.js';
import {announce, button, el, setText} from './dom.js';

const LOOK_MS = 500;
const LASTS = 3;  // looks: what begins may fail at once
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
  const slot = properties.find(([key]) => key === 'slot.name')?.[1] ?? 'debezium';
  return confirm(`Delete ${name}?`, 'Delete it', el('p', {}, 'Its configuration is gone from the worker then. What it published stays in Kafka, and so does its position.'),
    el('p', {}, 'Its replication slot stays, too, and the server keeps WAL for it until it is dropped:'),
    command(`SELECT pg_drop_replication_slot('${slot.replaceAll('\'', '\'\'')}')`));
}

export class Actions {
  constructor(name) {
    this.name = name;
    this.buttons = el('span', {class: 'row'});
    this.answer = el('p', {role: 'status'});
    this.busy = false;
    this.row = null;
  }

  show(row) {
    this.row = row;
    if (this.busy) return;
    const wanted = possible(row);
    const there = [...this.buttons.children].map((one) => one.textContent);
    if (wanted.join() === there.join()) return;
    const focused = this.buttons.contains(document.activeElement);
    this.buttons.replaceChildren(...wanted.map((word) => button(word, () => this.run(word), word === 'Delete' ? 'risk' : '')));
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
    this.buttons.querySelectorAll('button').forEach((one) => { one.disabled = true; });
    setText(this.answer, `${word}: asked…`);
    try {
      await api.pull[word](this.name, change);
      const state = await lasting(this.name, word === 'Skip' ? 'Restart' : word, failed, (row) => { this.row = row; });
      setText(this.answer, `${word}: ${state}`);
      if (word === 'Delete' && state === '') {
        announce(`${this.name} is deleted`);
        location.hash = '#';
      }
    } catch (error) {
      setText(this.answer, `${word}: ${error.message}`);
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
  const tables = el('input', {id: 'signal-tables', autocomplete: 'off', spellcheck: 'false'});
  const answer = el('p', {role: 'status', class: 'message'});
  const form = el('form', {}, el('label', {for: 'signal-kind'}, 'What', kind),
    el('label', {for: 'signal-tables'}, 'Tables', el('span', {class: 'quiet'}, 'such as public.orders, public.items'), tables),
    el('div', {class: 'wide'}, el('button', {type: 'submit'}, 'Send the signal'), answer));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const [, type, how] = KINDS[kind.value];
    const data = how ? {type: how} : {};
    const named = tables.value.split(',').map((one) => one.trim()).filter(Boolean);
    if (named.length > 0) data['data-collections'] = named;
    setText(answer, 'Asking…');
    try {
      const {id, written_to: place} = await api.pull.Signal(name, {type, data});
      setText(answer, `Sent as ${id}, to ${place}. What becomes of it stands under “Snapshots and signals”.`);
    } catch (error) {
      setText(answer, error.message);
    }
  });
  return el('details', {class: 'card'}, el('summary', {}, 'Ask for a snapshot'), form);
}
