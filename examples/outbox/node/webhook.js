// Applies each event of an outbox to a database exactly once; the events come as signed webhooks (standardwebhooks.com). A
// request is sent again until it is answered with 2xx, with the same webhook-id. The effect and that id are written in one
// transaction; the second time the inbox says no. The effect here: orders counted and summed per customer.
//
//   DATABASE_URL=postgres://billing@localhost/billing WEBHOOK_SECRET=whsec_… PORT=8090 node webhook.js
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import pg from 'pg';

const { WEBHOOK_SECRET = '', GROUP = 'billing', PORT = '8090', INBOX_RETENTION = '30 days' } = process.env;
const INBOX = 'INSERT INTO inbox (consumer, message_id) VALUES ($1, $2) ON CONFLICT DO NOTHING';
const EFFECT = `INSERT INTO customer_totals (customer, orders, total) VALUES ($1, 1, $2) ON CONFLICT (customer)
  DO UPDATE SET orders = customer_totals.orders + 1, total = customer_totals.total + excluded.total`;
const FORGET = 'DELETE FROM inbox WHERE consumer = $1 AND handled_at < now() - $2::interval';
const OLDEST_S = 300;
const LONGEST = 1 << 20; // bytes of a body

const secret = Buffer.from(WEBHOOK_SECRET.replace(/^whsec_/, ''), 'base64');
if (secret.length === 0) {
  console.error('WEBHOOK_SECRET: whsec_ and base64 of the secret that the sender has');
  process.exit(2);
}
const database = new pg.Pool({ connectionString: process.env.DATABASE_URL ?? 'postgres://localhost/billing' });
database.on('error', (error) => console.error(error.message)); // of a session that nobody uses: another is made

// Over the bytes that came, compared in constant time; what is old may be somebody's recording.
function signed(headers, body) {
  const { 'webhook-id': id = '', 'webhook-timestamp': at = '', 'webhook-signature': signatures = '' } = headers;
  if (!/^\d+$/.test(at) || Math.abs(Date.now() / 1000 - Number(at)) > OLDEST_S) return false;
  const hash = createHmac('sha256', secret).update(`${id}.${at}.`).update(body).digest('base64');
  const wanted = Buffer.from(`v1,${hash}`);
  return signatures.split(' ').map((one) => Buffer.from(one))
    .some((one) => one.length === wanted.length && timingSafeEqual(one, wanted));
}

// undefined: not understood, as often as it comes.
function orderOf(body) {
  try {
    const { customer, total } = JSON.parse(body.toString());
    return customer && /^\d+(\.\d+)?$/.test(total) ? [customer, total] : undefined;
  } catch {
    return undefined;
  }
}

async function handle(id, kind, body) {
  const session = await database.connect();
  let failed;
  try {
    await session.query('BEGIN');
    const { rowCount: isNew } = await session.query(INBOX, [GROUP, id]);
    if (isNew && kind === 'OrderPlaced') {
      const order = orderOf(body);
      if (order === undefined) {
        await session.query('ROLLBACK');
        return 400;
      }
      await session.query(EFFECT, order);
    }
    await session.query('COMMIT');
    console.log(`${isNew ? 'applied' : 'seen before'} ${id}`);
    return 204;
  } catch (error) {
    failed = error;
    console.error(error.message);
    return 500; // it comes again
  } finally {
    session.release(failed); // a session that failed is closed: its transaction ends with it
  }
}

async function answer(request) {
  const parts = [];
  let length = 0;
  for await (const part of request) {
    length += part.length;
    if (length <= LONGEST) parts.push(part);
  }
  if (length > LONGEST) return 413;
  const body = Buffer.concat(parts);
  if (!signed(request.headers, body)) return 401;
  const kind = new URL(request.url, 'http://here').pathname.split('/').pop();
  return handle(request.headers['webhook-id'], kind, body); // 204 after the commit, and only then
}

const server = createServer((request, response) => {
  answer(request).then((status) => response.writeHead(status).end(), () => response.destroy());
});
// What a sender no longer repeats need not be remembered.
const forget = () => database.query(FORGET, [GROUP, INBOX_RETENTION]).catch((error) => console.error(error.message));
const hourly = setInterval(forget, 3_600_000);
forget();
server.listen(Number(PORT));
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    clearInterval(hourly);
    server.close(() => database.end());
    server.closeIdleConnections();
  });
}
