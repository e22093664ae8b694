// Requests to the process that served this page, and to nobody else.

const LIMIT_MS = 10000;

const refusal = (status, message) => Object.assign(new Error(message), {status});

// A JSON body in both directions, but for text. What writes is never a request that a foreign form could send.
async function ask(method, path, body, limit = method === 'GET' ? LIMIT_MS : 6 * LIMIT_MS) {
  const plain = typeof body === 'string';
  const answer = await fetch(path, {
    method,
    body: body === undefined || plain ? body : JSON.stringify(body),
    headers: method === 'GET' ? {} : {'Content-Type': plain ? 'text/plain' : 'application/json'},
    cache: 'no-cache',
    redirect: 'error',
    signal: AbortSignal.timeout(limit),
  });
  const text = await answer.text();
  let value;
  try {
    value = text && JSON.parse(text);
  } catch {
    if (answer.ok) throw refusal(answer.status, 'the answer is no JSON');
  }
  if (!answer.ok) throw refusal(answer.status, value?.message ?? (text.trim() || `HTTP ${answer.status}`));
  return value;
}

const place = (name) => `connectors/${encodeURIComponent(name)}`;
const own = (what) => (name, after = 0) => ask('GET', `console/${what}?name=${encodeURIComponent(name)}&after=${after}`);
const CLASS = 'io.debezium.connector.postgresql.PostgresConnector';
const whole = (config) => ({'connector.class': CLASS, ...config});

export const settings = () => ask('GET', 'console/settings');
export const list = () => ask('GET', 'console/list');
export const [detail, history, log, config, reason] = ['connector', 'history', 'log', 'config', 'reason'].map(own);
export const tail = (name, after) => ask('GET', `console/tail?connector=${encodeURIComponent(name)}&after=${after}`);
export const read = (text) => ask('POST', 'console/read', text);
// What asks servers takes its time.
const asked = (what) => (name) => ask('GET', `${place(name)}/${what}`, undefined, 6 * LIMIT_MS);
export const [doctor, outbox] = ['doctor', 'outbox'].map(asked);
export const validate = (values) => ask('PUT', `connector-plugins/${CLASS}/config/validate`, whole(values));
export const create = (name, values) => ask('POST', 'connectors', {name, config: whole(values)});
const to = (method, what) => (name, body) => ask(method, place(name) + what, body);
export const pull = {
  Pause: to('PUT', '/pause'),
  Resume: to('PUT', '/resume'),
  Restart: to('POST', '/restart?includeTasks=true'),
  Stop: to('PUT', '/stop'),
  Delete: to('DELETE', ''),
  Skip: to('POST', '/skip'),
  Signal: to('POST', '/signal'),
  Rows: to('POST', '/outbox'),
};
