"""What PostgreSQL does for a chunk: it goes by the index of the key, whatever the key's type (plans as auto_explain logs them)."""
import json
import re

import pytest

from support.wait import wait_until

ROWS, CHUNK = 20000, 2000
SERVER = {"shared_preload_libraries": "auto_explain", "auto_explain.log_min_duration": "0", "logging_collector": "on", "autovacuum": "off"}
# Columns, what fills them, and the key.
TABLES = {
    "an_integer": ("id int primary key", "g"),
    "a_bigint": ("id bigint primary key", "g * 1000000000::bigint"),
    "a_numeric": ("id numeric(20, 2) primary key", "g / 4.0"),
    "a_text": ("id text primary key", "md5(g::text)"),
    "a_text_c": ('id text collate "C" primary key', "md5(g::text)"),
    "a_text_icu": ('id text collate "de-x-icu" primary key', "md5(g::text)"),
    "a_varchar": ("id varchar(40) primary key", "md5(g::text)"),
    "a_uuid": ("id uuid primary key", "md5(g::text)::uuid"),
    "a_date": ("id date primary key", "date '2000-01-01' + g"),
    "a_timestamp": ("id timestamp primary key", "timestamp '2000-01-01' + g * interval '1 minute'"),
    "a_timestamptz": ("id timestamptz primary key", "timestamptz '2000-01-01 00:00Z' + g * interval '1 minute'"),
    "two_columns": ("id int, name text, primary key (id, name)", "g / 10, 'n' || g"),
    "time_and_text": ("at timestamptz, id uuid, primary key (at, id)", "timestamptz '2000-01-01 00:00Z' + g / 10 * interval '1 h', md5(g::text)::uuid"),
    "unique_index": ("id int not null, unique (id)", "g"),
}
SURROGATES = {
    "surrogate": ("id int primary key, k int not null", "g, g / 3"),
    "surrogate_with_nulls": ("id int primary key, k int", "g, nullif(g % 7000, 1)"),
}


def plans(server, table):
    """Statements over the table, each with its plan."""
    entries = re.split(r"\n(?=\S)", server.query("select pg_read_file(pg_current_logfile())")[0][0])
    found = [entry.partition("Query Text: ")[2] for entry in entries if "Query Text: " in entry and f'FROM "public"."{table}"' in entry]
    return [tuple(re.split(r"\n\t(?=\S.*\(cost=)", text, maxsplit=1)) for text in found]


@pytest.fixture
def walked(private_servers, databases, connectors):
    """All tables, read by one connector on a server that logs its plans."""
    server = private_servers(postgres=15, pg_set=SERVER).postgres
    db = databases(server)
    db.execute("create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096))")
    for table, (columns, values) in {**TABLES, **SURROGATES}.items():
        db.script(f"create table {table} ({columns}); insert into {table} select {values} from generate_series(1, {ROWS}) g")
    db.script("; ".join(f"create index on {table} (k)" for table in SURROGATES))
    db.execute("vacuum analyze")
    connector = connectors(db, {"snapshot.mode": "no_data", "signal.data.collection": "public.signals",
                                "incremental.snapshot.chunk.size": str(CHUNK)},
                           worker={"offset.flush.interval.ms": "50"}).start().wait_streaming()
    for tables, more in ((TABLES, {}), (SURROGATES, {"surrogate-key": "k"})):
        data = {"type": "incremental", "data-collections": [f"public.{table}" for table in tables], **more}
        db.execute("insert into signals values (gen_random_uuid()::text, 'execute-snapshot', %s)", json.dumps(data))
    under_way = "incremental_snapshot_collections"
    wait_until(lambda: under_way in (connector.offset() or {}), 60, "it to begin")
    wait_until(lambda: under_way not in connector.offset(), 180, "all to be read")
    connector.stop()
    return server


def test_a_chunk_goes_by_the_index_of_its_key(walked):
    wrong = []
    for table in (*TABLES, *SURROGATES):
        seen = plans(walked, table)
        chunks = [one for one in seen if "CURSOR" in one[0]]
        assert len(chunks) >= ROWS / CHUNK and len(seen) > len(chunks), (table, len(seen), len(chunks))
        # Rows that a surrogate does not tell apart are sorted behind their index.
        scans = r"Seq Scan" if table in SURROGATES else r"Seq Scan|Sort  "
        wrong += [(table, statement, plan) for statement, plan in seen if "Index" not in plan or re.search(scans, plan)]
    assert not wrong, "\n".join(map(str, wrong[:5]))
