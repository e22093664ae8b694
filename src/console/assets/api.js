// Requests to the process that served this page, and to nobody else.

const LIMIT_MS = 10000;

export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// A JSON body in both directions, but for text. What writes is never a request that a foreign form could send.
async function ask(method, path, body, limit = method === 'GET' ? LIMIT_MS : 6 * LIMIT_MS) {
  const plain = typeof body === 'string';
  const answer = await fetch(path, {
    method,
    body: body === undefined || plain ? body : JSON.stringify(body),
    headers: method === 'GET' ? {} : {'Content-Type': plain ? 'text/plain' : 'application/json'},
    credentials: 'same-origin',
    cache: 'no-cache',
    redirect: 'error',
    signal: AbortSignal.timeout(limit),
  });
  const text = await answer.text();
  let value = null;
  try {
    value = text === '' ? null : JSON.parse(text);
  } catch {
    if (answer.ok) throw new Refusal(answer.status, 'the answer is no JSON');
  }
  if (!answer.ok) throw new Refusal(answer.status, value?.message ?? (text.trim() || `HTTP ${answer.status}`));
  return value;
}

const place = (name) => `connectors/${encodeURIComponent(name)}`;
const own = (what) => (name, after = 0) => ask('GET', `console/${what}?name=${encodeURIComponent(name)}&after=${after}`);
const CLASS = 'io.debezium.connector.postgresql.PostgresConnector';

export const settings = () => ask('GET', 'console/settings');
export const list = () => ask('GET', 'console/list');
export const detail = own('connector');
export const history = own('history');
export const log = own('log');
export const config = own('config');
export const reason = own('reason');
export const tail = (name, after) => ask('GET', `console/tail?connector=${encodeURIComponent(name)}&after=${after}`);
export const read = (text) => ask('POST', 'console/read', text);
export const doctor = (name) => ask('GET', `${place(name)}/doctor`, undefined, 6 * LIMIT_MS);
export const validate = (config) =>
  ask('PUT', `connector-plugins/${CLASS}/config/validate`, {'connector.class': CLASS, ...config});
export const create = (name, config) => ask('POST', 'connectors', {name, config: {'connector.class': CLASS, ...config}});
export const pull = {
  Pause: (name) => ask('PUT', `${place(name)}/pause`),
  Resume: (name) => ask('PUT', `${place(name)}/resume`),
  Restart: (name) => ask('POST', `${place(name)}/restart?includeTasks=true`),
  Stop: (name) => ask('PUT', `${place(name)}/stop`),
  Delete: (name) => ask('DELETE', place(name)),
  Skip: (name, change) => ask('POST', `${place(name)}/skip`, {change}),
  Signal: (name, signal) => ask('POST', `${place(name)}/signal`, signal),
};
