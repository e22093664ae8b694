// Places an order: the order's row and its event in one transaction, so that both are there or neither.
//
//   DATABASE_URL=postgres://shop@localhost/shop node producer.js c7 99.90
import pg from 'pg';

const ORDER = 'INSERT INTO orders (customer, total) VALUES ($1, $2) RETURNING id';
const EVENT =
  "INSERT INTO outbox (aggregatetype, aggregateid, type, payload) VALUES ('Order', $1, 'OrderPlaced', $2)";

async function placeOrder(database, customer, total) {
  await database.query('BEGIN');
  try {
    const { rows: [order] } = await database.query(ORDER, [customer, total]);
    // The total stays text: JSON has no decimals.
    await database.query(EVENT, [order.id, { orderId: Number(order.id), customer, total }]);
    await database.query('COMMIT');
    return order.id;
  } catch (error) {
    await database.query('ROLLBACK');
    throw error;
  }
}

const [customer, total] = process.argv.slice(2);
if (total === undefined) {
  console.error('usage: producer.js CUSTOMER TOTAL');
  process.exit(2);
}
const database = new pg.Client({
  connectionString: process.env.DATABASE_URL ?? 'postgres://localhost/shop',
});
await database.connect();
try {
  console.log(`placed ${await placeOrder(database, customer, total)}`);
} finally {
  await database.end();
}
