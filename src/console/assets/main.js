// Asks every two seconds while the page is seen, and shows the page that the address names.
import * as api from './api.js';
import {announce, el, setText} from './dom.js';
import {DetailPage} from './detail.js';
import {FormPage} from './form.js';
import {ListPage} from './list.js';
import {since} from './format.js';
import {idle, remember, verdict} from './model.js';

const EVERY_MS = 2000;
const KNOWN_EVERY = 5;  // Connect's list, which tells of those that do not run

const main = document.getElementById('main');
const offline = document.getElementById('offline');
const waiting = document.getElementById('worker');
let settings = {worker: false, write: false};
let page = new ListPage();
let world = {status: {connectors: []}, known: {}};
let words = new Map();
let turn = 0;

function pageOf(hash) {
  if (hash.startsWith('#connector/')) {
    try {
      return new DetailPage(decodeURIComponent(hash.slice('#connector/'.length)), settings);
    } catch {
      return new ListPage();
    }
  }
  return hash === '#new' && settings.worker ? new FormPage(settings) : new ListPage();
}

// Only what has changed is said, and nothing at first.
function tellChanges() {
  const now = new Map([...world.status.connectors.map((one) => [one.name, verdict(one)[0]]),
    ...idle(world.known, world.status.connectors).map((one) => [one.name, one.state])]);
  const news = [...now].filter(([name, word]) => words.size > 0 && words.get(name) !== word);
  words = now;
  if (news.length > 0) announce(news.slice(0, 5).map(([name, word]) => `${name}: ${word}`).join('. '));
}

// What the worker itself waits for: Kafka, its topics, or its turn.
function showWorker({worker, now}) {
  waiting.hidden = !worker?.waiting_for;
  if (waiting.hidden) return;
  setText(waiting, `The worker waits ${worker.message}, for ${since(worker.waiting_since, now)}.${
    worker.state === 'serving' ? '' : ' It runs no connectors meanwhile.'}${worker.hint ? ` What to do: ${worker.hint}.` : ''}`);
}

async function look() {
  const shown = page;
  try {
    const status = await api.status();
    showWorker(status);
    // A worker that does not serve knows of none.
    const serves = status.worker?.state !== 'waiting';
    const known = !serves ? {} : turn % KNOWN_EVERY === 0 ? await api.known() : world.known;
    turn += 1;
    world = {status, known};
    remember(status);
    tellChanges();
    setText(document.getElementById('version'), status.version);
    setText(document.getElementById('process'), `${status.connectors.length} run, ${status.now.slice(11, 19)} UTC`);
    await shown.show(world);
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

function turnTo(focus) {
  page = pageOf(location.hash);
  main.replaceChildren(page.root);
  document.title = `${main.querySelector('h2').textContent} – walduct`;
  turn = 0;
  if (focus) main.focus();
  look();
}

async function start() {
  try {
    settings = await api.settings();
  } catch (error) {
    main.replaceChildren(el('p', {class: 'banner bad'}, `The console cannot be shown: ${error.message}`));
    return;
  }
  const link = document.getElementById('make');
  link.hidden = !settings.worker;
  setText(link, settings.write ? 'New connector' : 'Validate a configuration');
  window.addEventListener('hashchange', () => turnTo(true));
  turnTo(false);
  setTimeout(loop, EVERY_MS);
}

start();
