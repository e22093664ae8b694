// Requests to the process that served this page, and to nobody else.

const LIMIT_MS = 10000;

export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// A JSON body in both directions. What writes is never a request that a foreign form could send.
async function ask(method, path, body) {
  const answer = await fetch(path, {
    method,
    body: body === undefined ? undefined : JSON.stringify(body),
    headers: method === 'GET' ? {} : {'Content-Type': 'application/json'},
    credentials: 'same-origin',
    cache: 'no-store',
    redirect: 'error',
    signal: AbortSignal.timeout(LIMIT_MS * (method === 'GET' ? 1 : 6)),
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
const CLASS = 'io.debezium.connector.postgresql.PostgresConnector';

export const settings = () => ask('GET', 'console/settings');
export const status = () => ask('GET', 'status');
export const detail = (name) => ask('GET', `status?connector=${encodeURIComponent(name)}`);
export const tail = (name, after) => ask('GET', `console/tail?connector=${encodeURIComponent(name)}&after=${after}`);
export const known = () => ask('GET', 'connectors?expand=status');
export const validate = (config) =>
  ask('PUT', `connector-plugins/${CLASS}/config/validate`, {...config, 'connector.class': CLASS});
export const create = (name, config) => ask('POST', 'connectors', {name, config: {...config, 'connector.class': CLASS}});
export const levers = {
  Pause: (name) => ask('PUT', `${place(name)}/pause`),
  Resume: (name) => ask('PUT', `${place(name)}/resume`),
  Restart: (name) => ask('POST', `${place(name)}/restart?includeTasks=true`),
};
