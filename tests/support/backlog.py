"""A table of 15 mixed columns, about 400 bytes a row, and rows for it: what the benchmark and the test of memory drain."""

TABLE = """create table typical (
  id bigint primary key, account int not null, kind smallint not null, active boolean not null, amount numeric(12,2) not null,
  rate double precision, name varchar(64) not null, email text not null, city text, note text, tags text[],
  uid uuid not null, doc jsonb, born date, created timestamptz not null)"""

ROWS = """insert into typical select g, mod(g, 100000), mod(g, 7), mod(g, 2) = 0, mod(g, 1000000) / 100.0, g / 7.0,
  'customer name ' || g, 'customer' || g || '@example.com', 'city ' || mod(g, 500), repeat('lorem ipsum ', 8),
  array['red', 'green', 'blue' || mod(g, 10)], md5(g::text)::uuid,
  jsonb_build_object('k', g, 'list', array[1, 2, 3], 'text', 'value ' || g), date '2000-01-01' + mod(g, 9000)::int,
  timestamptz '2024-01-01 00:00+00' + g * interval '1 second' from generate_series({first}::bigint, {last}::bigint) g"""

# One transaction for each step of rows, without a round trip for each.
IN_TRANSACTIONS = "do $$ begin for lowest in 1..{rows} by {step} loop {statement}; commit; end loop; end $$"

# One big WAL without checkpoints in between, so that only decoding is measured.
SETTINGS = {"max_wal_size": "64GB", "checkpoint_timeout": "1h", "shared_buffers": "512MB", "autovacuum": "off"}


def fill(database, rows, transaction, statement=ROWS):
    """Rows 1 to `rows`, in transactions of so many; where the WAL ends then."""
    write = statement.format(first="lowest", last=f"least(lowest + {transaction - 1}, {rows})")
    database.execute(IN_TRANSACTIONS.format(rows=rows, step=transaction, statement=write))
    return database.value("select pg_current_wal_lsn()::text")
