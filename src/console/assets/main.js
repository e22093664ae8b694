// Asks while the page is seen, and shows the page that the address names.
import * as api from './api.js';
import {announce, el, setText} from './dom.js';
import {plural, since} from './format.js';
import {ListPage} from './list.js';

const EVERY_MS = 2000;
// Beside another page, for what is told of all.
const LIST_EVERY = 5;

const at = (id) => document.getElementById(id);
const main = at('main');
const offline = at('offline');
const waiting = at('worker');
// All are there once the first page is made.
let page, settings, world;
let words = new Map();
let turn = 0;

async function pageOf(hash) {
  const [, kind, name] = /^#(connector|reason)\/(.+)$/.exec(hash) ?? [];
  try {
    if (kind === 'connector') return new (await import('./detail.js')).DetailPage(decodeURIComponent(name), settings);
    if (kind === 'reason') return new (await import('./reason.js')).ReasonPage(decodeURIComponent(name));
    if (hash === '#new' && settings.worker) return new (await import('./form.js')).FormPage(settings);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
  }
  return new ListPage();
}

// Only what has changed is said, and nothing at first.
function tellChanges() {
  const now = new Map(world.rows.map((one) => [one.name, one.word]));
  const news = [...now].filter(([name, word]) => words.size && words.get(name) !== word);
  words = now;
  if (news.length) announce(news.slice(0, 5).map(([name, word]) => `${name}: ${word}`).join('. '));
}

// What the worker itself waits for: Kafka, its topics, or its turn; or else what it warns of.
function showWorker({worker}) {
  const waits = worker?.waiting_for, told = waits ? worker : worker?.warning;
  waiting.hidden = !told;
  if (!told) return;
  setText(waiting, `The worker ${waits ? 'waits' : 'warns:'} ${told.message}${waits ? `, for ${since(told.waiting_since, new Date().toISOString())}` : ''}.${
    worker.state === 'serving' ? '' : ' It runs no connectors meanwhile.'}${told.hint ? ` What to do: ${told.hint}.` : ''}`);
}

function showHead() {
  const {rows, worker, version} = world;
  const counted = (kind, word) => {
    const number = rows.filter((one) => (word === 'failed' ? one.state === 'FAILED' : one.kind === kind && one.state !== 'FAILED')).length;
    return number ? `, ${number} ${word}` : '';
  };
  const trouble = `${counted('', 'failed')}${counted('bad', 'in trouble')}${counted('warn', 'to look at')}`;
  setText(at('process'), `${plural(rows.length, 'connector')}${trouble}${worker ? ` · ${worker.group}` : ''} · ${version}`);
  const bad = rows.filter((one) => one.kind === 'bad').length;
  document.title = `${bad ? `(${bad}) ` : ''}${main.querySelector('h1')?.textContent ?? ''} – walduct`;
}

async function look() {
  const shown = page;
  try {
    if (shown instanceof ListPage || turn % LIST_EVERY === 0) {
      world = await api.list();
      showWorker(world);
      tellChanges();
    }
    turn += 1;
    await shown.show(world);
    showHead();
    offline.hidden = true;
  } catch (error) {
    turn = 0;
    setText(offline, error.status ? `The process answered: ${error.message}`
      : 'Nobody answers: what is shown below is old. Trying again.');
    offline.hidden = false;
  }
}

async function loop() {
  if (document.visibilityState === 'visible') await look();
  setTimeout(loop, EVERY_MS);
}

async function turnTo(focus, fresh) {
  const next = await pageOf(location.hash);
  page = next;
  turn = 0;
  if (next instanceof ListPage) next.show(world);
  main.replaceChildren(next.root);
  if (focus) main.focus();
  if (fresh && next instanceof ListPage) showHead();
  else await look();
}

async function start() {
  try {
    [settings, world] = await Promise.all([api.settings(), api.list()]);
  } catch (error) {
    main.replaceChildren(el('p', {class: 'banner bad'}, `The console cannot be shown: ${error.message}`));
    setTimeout(start, EVERY_MS);
    return;
  }
  const link = at('make');
  link.hidden = !settings.worker;
  setText(link, settings.write ? 'New connector' : 'Validate a configuration');
  showWorker(world);
  tellChanges();
  window.addEventListener('hashchange', () => turnTo(true, false));
  document.addEventListener('keydown', (event) => page?.key?.(event));
  await turnTo(false, true);
  setTimeout(loop, EVERY_MS);
  // The next page, behind the first.
  import('./detail.js');
}

start();
