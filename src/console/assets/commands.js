// Commands of a text, to be copied as a whole. What is not sure to be one is left alone.
import {announce, button, el} from './dom.js';
import {link} from './format.js';

const SQL = /\b(?:ALTER|CREATE|DROP|GRANT|REVOKE|SELECT) [A-Za-z_]/g;
const ENDS = /^(?:, (?:or|then|and|which|so) |\. |: |\.?$| \(|, with )/;
const MORE = /^; (?=(?:ALTER|CREATE|DROP|GRANT|REVOKE|SELECT) )/;
const NAMED = /^(?:status|doctor|skip|restart|resume|pause|stop|explain|offsets (?:reset|set|show))$/;
const VALUED = ['--lsn', '--url'];

// From there to the end of the statements: quotes and parentheses count.
function sqlFrom(text) {
  let depth = 0;
  let quote = '';
  for (let i = 0; i < text.length; i += 1) {
    const c = text[i];
    if (quote) {
      if (c === quote) quote = '';
    } else if (c === '\'' || c === '"') {
      quote = c;
    } else if (depth === 0 && (c === ')' || ENDS.test(text.slice(i)) || (c === ';' && !MORE.test(text.slice(i))))) {
      return text.slice(0, i);
    } else if (c === '(') {
      depth += 1;
    } else if (c === ')') {
      depth -= 1;
    }
  }
  return text;
}

// A word as a shell takes it.
export const shell = (word) => (/^[\w./:-]+$/.test(word) ? word : `'${word.replaceAll('\'', '\'\\\'\'')}'`);

function walductFrom(text, name) {
  const words = text.split(/\s+/).slice(0, 10);
  let verb = words[1] ?? '';
  let at = 2;
  if (verb === 'offsets') verb += ` ${words[at++] ?? ''}`;
  if (!NAMED.test(verb)) return '';
  const clean = (word) => word.replace(/[,;:.)]+$/, '');
  const whole = ['walduct', verb];
  const subject = clean(words[at] ?? '');
  if (verb === 'explain') return /^[a-z]+_[a-z_]+$/.test(subject) ? `walduct explain ${subject}` : '';
  if (subject === name) at += 1;
  else if (verb.startsWith('offsets')) return '';
  whole.push(shell(name));
  for (; /^--?[a-z]/.test(words[at] ?? '') && !/[,;]$/.test(words[at - 1]); at += 1) {
    whole.push(clean(words[at]));
    if (VALUED.includes(words[at])) whole.push(clean(words[at += 1] ?? ''));
  }
  if (verb === 'skip' && !whole.includes('--lsn')) return '';
  return withUrl(whole.join(' '));
}

// As it can be typed on another host.
export function withUrl(command) {
  const base = new URL('.', location.href).href.replace(/\/$/, '');
  return command.includes('--url') || command.startsWith('walduct explain') ? command : `${command} --url ${base}`;
}

// In their order.
export function commandsIn(text, name) {
  const found = [];
  let end = 0;
  for (const match of text.matchAll(SQL)) {
    if (match.index < end) continue;
    const sql = sqlFrom(text.slice(match.index)).trim();
    end = match.index + sql.length;
    if (!/…|\bNAME\b/.test(sql)) found.push([match.index, sql]);
  }
  for (const match of text.matchAll(/\bwalduct /g)) found.push([match.index, walductFrom(text.slice(match.index), name)]);
  return [...new Set(found.sort(([a], [b]) => a - b).map(([, one]) => one).filter(Boolean))];
}

// Where the browser gives no clipboard (no TLS, another host) the text is taken by selecting it.
async function copy(text, made) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = el('textarea', {class: 'unseen'});
    area.value = text;
    made.after(area);
    area.select();
    document.execCommand('copy');
    area.remove();
    made.focus();
  }
  made.textContent = 'Copied';
  announce('Copied');
  setTimeout(() => { made.textContent = 'Copy'; }, 2000);
}

export const command = (text) => el('div', {class: 'command'}, el('code', {}, text),
  button('Copy', (made) => copy(text, made), 'small'));

// A hint with what is to be typed below it.
export function whatToDo(hint, name) {
  return hint && el('div', {}, el('p', {class: 'message'}, el('strong', {}, 'What to do: '), hint), ...commandsIn(hint, name).map(command));
}

export const reasonLink = (reason) => el('a', {href: link('reason', reason), class: 'code'}, reason);
