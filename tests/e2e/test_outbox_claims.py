"""What a claim of a polled outbox table reads, counted by the server: entries of the table's indexes."""
import pytest

from support.polling import polled
from support.wait import wait_until

TABLE = """create table outbox (id bigint generated {by} identity primary key, aggregate_type text, aggregate_id text, event_type text, payload jsonb,
           published_at timestamptz{more}) with (autovacuum_enabled = off); create index on outbox (id) where published_at is null"""
TRIED = ", attempts int not null default 0, next_try_at timestamptz"


def make(db, by="always as", more=""):
    db.script(TABLE.format(by=by, more=more))


def put(session, rows, published="null"):
    session.execute("insert into outbox (aggregate_type, aggregate_id, event_type, payload, published_at) select 'Order', (g % 100)::text, 'Placed', '{}', "
                    f"{published} from generate_series(1, {rows}) g")


def unpublished(db):
    return db.value("select count(*) from outbox where published_at is null")


def is_published(db, row):
    """By the primary key: it reads one entry."""
    return db.value("select published_at is not null from outbox where id = %s", row)


def read(db):
    """(scans, entries)"""
    return db.execute("select sum(idx_scan)::bigint, sum(idx_tup_read)::bigint from pg_stat_user_indexes where relname = 'outbox'")[0]


def started(db, connectors, **more):
    connector = connectors(db, polled(db, **{"walduct.outbox.poll.interval.ms": "100", **more}), superuser=True, sink="file")
    return connector.start().wait_streaming()


def one_by_one(db, rows):
    for _ in range(rows):
        row = db.value("insert into outbox (aggregate_type, aggregate_id, event_type, payload) values ('Order', '1', 'Placed', '{}') returning id")
        wait_until(lambda row=row: is_published(db, row), 20, "a row published")


def read_one_by_one(db, rows):
    """Entries that are read for each of so many rows, once the server has counted them."""
    scans, entries = read(db)
    one_by_one(db, rows)
    wait_until(lambda: read(db)[0] >= scans + rows, 30, "counted")
    return (read(db)[1] - entries) / rows


@pytest.mark.parametrize("by", ["always as", "by default as"])
def test_a_claim_does_not_walk_over_what_an_old_snapshot_keeps(databases, pg17, connectors, by):
    """20,000 rows were published and are kept: a claim from the beginning reads as many entries."""
    db = databases(pg17)
    make(db, by)
    put(db, 20_000)
    with db.connect(autocommit=False) as old:
        old.execute("set transaction isolation level repeatable read")
        old.execute("select count(*) from outbox")
        db.execute("update outbox set published_at = now()")
        connector = started(db, connectors)
        wait_until(lambda: read_one_by_one(db, 30) < 5_000, 60, "few entries are read for a row")
        old.rollback()
    connector.stop()


def test_a_row_that_is_committed_late_is_published_before_later_ones_of_its_key(databases, pg17, connectors):
    """Its id was taken long before."""
    db = databases(pg17)
    make(db)
    put(db, 10)
    connector = started(db, connectors)
    with db.connect(autocommit=False) as late:
        late.execute("insert into outbox (aggregate_type, aggregate_id, event_type, payload) values ('Order', 'late', 'Placed', '{\"n\": 1}')")
        one_by_one(db, 30)
        late.commit()
    db.execute("insert into outbox (aggregate_type, aggregate_id, event_type, payload) values ('Order', 'late', 'Placed', '{\"n\": 2}')")
    wait_until(lambda: unpublished(db) == 0, 20, "all published")
    connector.stop()
    assert [e.value for e in connector.events() if e.key == b"late"] == [b'{"n": 1}', b'{"n": 2}']


def test_a_row_that_is_opened_again_is_published_again(databases, pg17, connectors):
    """Behind what was published: by a claim from the beginning."""
    db = databases(pg17)
    make(db)
    put(db, 10)
    connector = started(db, connectors)
    one_by_one(db, 30)
    db.execute("update outbox set published_at = null where id = 3")
    wait_until(lambda: unpublished(db) == 0, 30, "published again")
    connector.stop()
    assert len(connector.events()) == 41


@pytest.mark.parametrize("index", ["", "create index on outbox (aggregate_id, id) where published_at is null and (attempts > 0 or next_try_at is not null)"],
                         ids=["without", "with"])
def test_rows_that_wait_are_looked_for_once_and_not_for_each_row(databases, pg17, connectors, index):
    """2,000 rows, and statistics from when all were published: asked for each row, the planner's way reads two million entries."""
    db = databases(pg17)
    make(db, more=TRIED)
    db.script(index)
    put(db, 20_000, "now()")
    db.script("vacuum (analyze) outbox")
    put(db, 2_000)
    db.execute("update outbox set attempts = 10 where id = 20001")
    _, entries = read(db)
    connector = started(db, connectors)
    wait_until(lambda: is_published(db, 22_000), 30, "all but one key published")
    connector.stop()
    assert read(db)[1] - entries < 100_000


def test_a_claim_reads_no_more_of_the_backlog_than_its_limit(databases, pg17, connectors):
    """Statistics from when there was nothing: the planner would read and sort all that is open, a hundred times: half of the rows, on the average."""
    db = databases(pg17)
    make(db, more=TRIED)
    db.script("analyze outbox")
    rows, claims = 100_000, 100
    put(db, rows)
    _, entries = read(db)
    connector = started(db, connectors, **{"walduct.outbox.poll.batch.size": str(2 * rows // claims)})
    wait_until(lambda: is_published(db, rows), 30, "all published")
    connector.stop()
    assert read(db)[1] - entries < claims * rows / 2 / 4


def test_rows_behind_one_that_waits_leave_the_claim_to_others(databases, pg17, connectors):
    """More of one key than a claim has room for, several times; the others are behind them."""
    db = databases(pg17)
    make(db, more=TRIED)
    db.execute("insert into outbox (aggregate_type, aggregate_id, event_type, payload, attempts) select 'Order', 'bad', 'Placed', '{}', case g when 1 then 10 else 0 end "
               "from generate_series(1, 100) g")
    put(db, 200)
    connector = started(db, connectors, **{"walduct.outbox.poll.batch.size": "10"})
    wait_until(lambda: unpublished(db) == 100, 30, "the others published")
    connector.stop()
    keys = [e.key for e in connector.events()]
    assert len(keys) == 200 and b"bad" not in keys


def test_a_large_table_without_an_index_of_open_rows_is_told(databases, pg17, connectors):
    db = databases(pg17)
    make(db)
    db.execute("drop index outbox_id_idx")
    db.execute("alter table outbox set (fillfactor = 10)")
    put(db, 20_000, "now()")
    connector = started(db, connectors)
    connector.wait_log("outbox_no_index.*CREATE INDEX ON.*WHERE")
    connector.stop()
    db.execute("create index on outbox (id) where published_at is null")
    connector.start().wait_streaming()
    connector.stop()
    assert not connector.logged("outbox_no_index")
