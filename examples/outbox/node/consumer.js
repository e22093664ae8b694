// Applies each event of an outbox to a database exactly once. Kafka delivers at least once; the effect and the event's id
// are written in one transaction, and only then is the offset committed. A crash anywhere repeats records and applies
// nothing twice. The effect here: orders counted and summed per customer.
//
//   DATABASE_URL=postgres://billing@localhost/billing BOOTSTRAP_SERVERS=localhost:9092 node consumer.js
import { Kafka, logLevel } from 'kafkajs';
import pg from 'pg';

const { BOOTSTRAP_SERVERS = 'localhost:9092', TOPIC = 'outbox.event.Order', GROUP = 'billing', INBOX_RETENTION = '30 days' } = process.env;
const INBOX = 'INSERT INTO inbox (consumer, message_id) VALUES ($1, $2) ON CONFLICT DO NOTHING';
const EFFECT = `INSERT INTO customer_totals (customer, orders, total) VALUES ($1, 1, $2) ON CONFLICT (customer)
  DO UPDATE SET orders = customer_totals.orders + 1, total = customer_totals.total + excluded.total`;
const FORGET = 'DELETE FROM inbox WHERE consumer = $1 AND handled_at < now() - $2::interval';

const database = new pg.Client({
  connectionString: process.env.DATABASE_URL ?? 'postgres://localhost/billing',
});
await database.connect();

// Once an hour, what no longer comes again: keep it longer than the topic keeps records.
let forgets = 0;
async function forget() {
  if (Date.now() < forgets) return;
  forgets = Date.now() + 3_600_000;
  await database.query(FORGET, [GROUP, INBOX_RETENTION]);
}

async function handle({ headers, value }) {
  if (value === null) return;
  const id = headers.id.toString();
  await database.query('BEGIN');
  try {
    const { rowCount: isNew } = await database.query(INBOX, [GROUP, id]);
    if (isNew && headers.eventType?.toString() === 'OrderPlaced') {
      const { customer, total } = JSON.parse(value.toString());
      await database.query(EFFECT, [customer, total]);
    }
    await database.query('COMMIT');
    console.log(`${isNew ? 'applied' : 'seen before'} ${id}`);
  } catch (error) {
    await database.query('ROLLBACK');
    throw error; // comes again
  }
}

const kafka = new Kafka({ clientId: GROUP, brokers: BOOTSTRAP_SERVERS.split(','), logLevel: logLevel.WARN });
const consumer = kafka.consumer({ groupId: GROUP, readUncommitted: false });
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await consumer.disconnect();
    await database.end();
  });
}
await consumer.connect();
// walduct makes the topic with its first event; kafkajs does not wait for it.
const admin = kafka.admin();
await admin.connect();
while (!(await admin.listTopics()).includes(TOPIC)) await new Promise((next) => setTimeout(next, 1000));
await admin.disconnect();
await consumer.subscribe({ topic: TOPIC, fromBeginning: true });
// With autoCommit the offset of a message is resolved when its handler has returned: after the transaction.
await consumer.run({ eachMessage: ({ message }) => handle(message).then(forget) });
