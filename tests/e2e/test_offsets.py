"""Where the position is stored: Connect's formats, byte for byte, and the take-over between walduct and Debezium."""
import json
import re
import shlex
import subprocess

import pytest
from confluent_kafka.admin import AdminClient, ConfigResource

from golden import run as golden
from support.debezium import Debezium, free_port, installed
from support.kafka import QUIET, read_topics, topics_with_prefix
from support.offsets import offset_key, read_map, read_offset, write_map, write_offset
from support.paths import BINARY
from support.postgres import lsn
from support.wait import wait_until

TABLE = "create table items (id int primary key, v text)"
RECORDED = golden.HERE / "offsets"


def ids(events, op="c"):
    return [e.id for e in events if e.op == op]


def with_one_event(db, connectors, **more):
    db.script(TABLE + "; insert into items values (0)")
    connector = connectors(db, **more).start().wait_streaming()
    db.execute("insert into items values (1)")
    connector.wait_events(2)
    return connector


def test_file_store_holds_what_debezium_reads(db, connectors):
    """The Java serialization, the key's bytes, and the types of the fields that Debezium's loader looks at."""
    connector = with_one_event(db, connectors)
    connector.stop()
    entries = read_map(connector.offset_file)
    assert list(entries) == [offset_key(connector.name, connector.prefix)]
    offset = json.loads(entries[offset_key(connector.name, connector.prefix)])
    for name in ("lsn", "lsn_proc", "lsn_commit", "txId", "ts_usec"):
        assert type(offset[name]) is int, (name, offset)
    assert "snapshot" not in offset and offset["messageType"] in ("INSERT", "COMMIT", "NOOP"), offset
    assert offset["lsn_commit"] <= lsn(db.value("select pg_current_wal_lsn()::text"))


def test_file_store_after_a_snapshot(db, connectors):
    """As recorded after a real Debezium's snapshot: completed, and a restart takes no second one."""
    db.script(TABLE + "; insert into items values (0)")
    connector = connectors(db, {"snapshot.mode": "initial_only"}).start()
    connector.wait_log(r"\bsnapshot completed\b")
    wait_until(lambda: (connector.offset() or {}).get("snapshot_completed"), 20, "stored")
    recorded = json.loads(next(iter(read_map(RECORDED / "after-snapshot.dat").values())))
    offset = connector.offset()
    assert {k: type(offset.get(k)) for k in recorded} == {k: type(v) for k, v in recorded.items()}
    assert offset["snapshot"] == "INITIAL" and offset["last_snapshot_record"] is True


def test_a_position_that_only_moves_on_stays_one_of_the_snapshot(db, connectors):
    """WAL of others moves it; what Debezium's keys tell of streaming comes with the first change."""
    db.script(TABLE + "; create table noise (id int); insert into items values (0)")
    connector = connectors(db, {"table.include.list": "public.items", "schema.include.list": None,
                                "publication.autocreate.mode": "filtered"}).start().wait_streaming()
    wait_until(lambda: (connector.offset() or {}).get("snapshot_completed"), 30, "stored")
    xid = connector.offset()["txId"]
    db.execute("insert into noise select generate_series(1, 1000)")
    end = lsn(db.value("select pg_current_wal_lsn()::text"))
    wait_until(lambda: connector.offset()["lsn"] >= end, 60, "it moves on")
    offset = connector.offset()
    assert (offset["snapshot_completed"], offset["txId"]) == (True, xid) and "lsn_proc" not in offset, offset
    db.execute("insert into items values (1)")
    wait_until(lambda: "lsn_proc" in connector.offset(), 60, "a change is behind")
    assert "snapshot" not in connector.offset() and connector.offset()["txId"] != xid
    connector.stop()


def test_topic_store(db, broker, connectors):
    """offset.storage.topic: created compacted, the record's key as Connect's JsonConverter writes it, resumed from."""
    topic = f"offsets-{db.name}"
    worker = {"offset.storage.file.filename": None, "offset.storage.topic": topic, "offset.storage.partitions": "3",
              "offset.storage.replication.factor": "1"}
    connector = with_one_event(db, connectors, worker=worker)
    connector.stop()
    records = read_topics(broker, topic)
    assert {r.key for r in records} == {offset_key(connector.name, connector.prefix)}
    assert len({r.partition for r in records}) == 1
    assert json.loads(records[-1].value)["lsn_commit"] > 0
    assert topic_policy(broker, topic) == "compact"
    db.execute("insert into items values (2)")
    connector.start().wait_streaming()
    events = connector.wait_events(3)
    assert (ids(events, "r"), ids(events)) == ([0], [1, 2])


def topic_policy(bootstrap, topic):
    resource = ConfigResource(ConfigResource.Type.TOPIC, topic)
    admin = AdminClient({"bootstrap.servers": bootstrap, **QUIET})
    return admin.describe_configs([resource])[resource].result()["cleanup.policy"].value


def test_neither_store_configured(db, broker, connectors):
    """The compacted topic walduct-offsets, made by walduct, shared by all connectors."""
    connector = with_one_event(db, connectors, worker={"offset.storage.file.filename": None}, name=f"c-{db.name}")
    connector.stop()
    assert "walduct-offsets" in topics_with_prefix(broker, "walduct-offsets")
    assert topic_policy(broker, "walduct-offsets") == "compact"
    connector.start().wait_streaming()
    db.execute("insert into items values (2)")
    assert ids(connector.wait_events(3)) == [1, 2]


# --- offsets written by a real Debezium ---

def debezium_offset(name, position, xid):
    """A recorded offset with the LSNs and ids of this server."""
    recorded = json.loads(next(iter(read_map(RECORDED / name).values())))
    numbers = {"lsn": position, "lsn_proc": position, "lsn_commit": position, "txId": xid}
    return {k: numbers.get(k, v) for k, v in recorded.items()}


@pytest.mark.parametrize("recorded", ["streaming.dat", "after-snapshot.dat"])
def test_RST_17_18_offset_of_debezium_is_resumed(recorded, db, connectors):
    """RST-17, RST-18: slot, publication and offset left by Debezium; walduct streams on without a snapshot."""
    db.script(TABLE + "; insert into items values (0)")
    connector = connectors(db)
    db.execute(f'create publication "{connector.publication}" for table items')
    position = lsn(db.value("select lsn::text from pg_create_logical_replication_slot(%s, 'pgoutput')", connector.slot))
    db.execute("insert into items values (1)")
    write_offset(connector.offset_file, connector.name, connector.prefix, debezium_offset(recorded, position, 700))
    connector.start().wait_streaming()
    db.execute("insert into items values (2)")
    events = connector.wait_events(lambda events: 2 in ids(events))
    assert (ids(events, "r"), ids(events)) == ([], [1, 2])
    connector.stop()
    offset = connector.offset()
    assert offset["lsn_commit"] > position and "snapshot" not in offset


def test_offset_of_an_unfinished_snapshot_of_debezium(db, connectors):
    """Debezium crashed in its snapshot: all rows are read again."""
    db.script(TABLE + "; insert into items values (0), (1)")
    connector = connectors(db)
    position = lsn(db.value("select pg_current_wal_lsn()::text"))
    offset = {**debezium_offset("after-snapshot.dat", position, 700), "snapshot_completed": False, "last_snapshot_record": False}
    write_offset(connector.offset_file, connector.name, connector.prefix, offset)
    connector.start().wait_streaming()
    assert ids(connector.wait_events(2), "r") == [0, 1]


def test_walduct_and_debezium_take_over(db, connectors):
    """One offset file, slot and publication: walduct, then Debezium, then walduct, then Debezium. Nothing is lost, nobody
    takes a second snapshot, and at most the last transaction before a change of hands comes twice."""
    assert installed(), "run scripts/deps debezium"
    db.script(TABLE + "; insert into items values (0)")
    connector = connectors(db, worker={"plugin.discovery": "service_load"})
    debezium = Debezium(connector, db, free_port())
    row = 0
    try:
        for turn in ("walduct", "debezium", "walduct", "debezium"):
            one = (connector if turn == "walduct" else debezium).start()
            one.wait_streaming()
            for _ in range(3):
                row += 1
                db.execute("insert into items select g, %s from generate_series(%s::int, %s::int) g", turn, row * 10, row * 10 + 2)
            last = row * 10 + 2
            wait_until(lambda: last in ids(connector.events()), 60, f"{turn} delivers row {last}", interval_s=0.1)
            one.stop()
            row += 1  # written while nobody reads
            db.execute("insert into items values (%s, 'down')", row * 10)
    finally:
        debezium.close()
    connector.start().wait_streaming()
    events = connector.wait_events(lambda events: row * 10 in ids(events))
    connector.stop()
    assert ids(events, "r") == [0]
    committed = [r[0] for r in db.execute("select id from items where id > 0 order by id")]
    seen = ids(events)
    assert sorted(set(seen)) == committed, "lost or invented"
    repeated = sorted(x for x in set(seen) if seen.count(x) > 1)
    assert len(repeated) <= 4 * 3, f"more than the last transaction of each turn came twice: {repeated}"


# --- walduct offsets ---

def test_several_connectors(db, connectors, tmp_path):
    """Shown one after the other, whichever of them cannot be; whatever is written is one's."""
    db.script("create table items (id int primary key)")
    first, second = connectors(db), connectors(db, {"slot.name": f"{db.name}_2"})
    first.name, second.name = "first", 'the "second"'
    first.start().wait_streaming().stop()
    second.write_files()
    also = ["-f", second.dir / "connector.json"]
    done = first.call("offsets", "show", *also)
    assert done.returncode == 0, done.stderr
    bodies = [json.loads(line) for line in done.stdout.splitlines()]
    offsets = {body["connector"]: body["offsets"] for body in bodies}
    assert offsets == {"first": json.loads(first.call("offsets", "show").stdout)["offsets"], 'the "second"': []}
    assert len(bodies) == 2 and offsets["first"]
    stored = tmp_path / "stored.json"
    for command in (["export", stored], ["import", "/nowhere"], ["set", "0/1"], ["reset", "--accept-loss"]):
        done = first.call("offsets", *command, *also)
        assert done.returncode == 2 and "give -f once" in done.stderr, (command, done)
    assert not stored.exists()
    (first.dir / "offsets.dat").write_bytes(b"none of it")
    done = first.call("offsets", "show", *also)
    assert done.returncode != 0 and done.stderr.count("error: ") == 2 and done.stdout == "", done


def test_offsets_show_export_import(db, connectors, tmp_path):
    """The body of Connect's REST interface: shown, exported, erased by null, imported again."""
    connector = with_one_event(db, connectors)
    connector.stop()

    shown = connector.call("offsets", "show")
    assert shown.returncode == 0, shown.stderr
    body = json.loads(shown.stdout)
    assert body == {"offsets": [{"partition": {"server": connector.prefix}, "offset": connector.offset()}]}

    exported = tmp_path / "offsets.json"
    assert connector.call("offsets", "export", exported).returncode == 0
    assert json.loads(exported.read_text()) == body

    erased = tmp_path / "null.json"
    erased.write_text(json.dumps({"offsets": [{"partition": {"server": connector.prefix}, "offset": None}]}))
    done = connector.call("offsets", "import", erased)
    assert done.returncode == 0 and re.search(r"position was [0-9A-F]+/[0-9A-F]+.*; is now none", done.stdout), done
    assert connector.offset() is None
    assert json.loads(connector.call("offsets", "show").stdout) == {"offsets": []}

    assert connector.call("offsets", "import", exported).returncode == 0
    assert connector.offset() == body["offsets"][0]["offset"]
    db.execute("insert into items values (2)")
    connector.start().wait_streaming()
    events = connector.wait_events(3)
    assert (ids(events, "r"), ids(events)) == ([0], [1, 2])


def test_offsets_set(db, connectors):
    """Back: changes come again. On: refused, then accepted, and what lies between is never published."""
    connector = with_one_event(db, connectors)
    at = [db.value("select pg_current_wal_lsn()::text")]
    running = connector.call("offsets", "set", at[0])
    assert running.returncode == 3 and "stop the connector first" in running.stderr, running
    connector.stop()
    slot = db.slot(connector.slot)["confirmed_flush_lsn"]
    for row in (2, 3):
        db.execute("insert into items values (%s)", row)
        at.append(db.value("select pg_current_wal_lsn()::text"))
    stored = connector.offset()
    for wrong, reason in (("0/1", "sends nothing before"), ("FFFF/0", "server's WAL ends at"), ("x", "is no LSN"),
                          (at[1], "is never published")):
        done = connector.call("offsets", "set", wrong)
        assert done.returncode in (2, 3, 4) and reason in done.stderr, (wrong, done)
        assert connector.offset() == stored
    done = connector.call("offsets", "set", at[1], "--accept-loss")
    assert done.returncode == 0 and f"is now {at[1]}" in done.stdout and "never published" in done.stdout, done
    back = connector.call("offsets", "set", slot)
    assert back.returncode == 0 and f"position was {at[1]}; is now {slot}" in back.stdout, back
    assert "is published again" in back.stdout
    assert connector.call("offsets", "set", at[1], "--accept-loss").returncode == 0
    connector.start().wait_streaming()
    events = connector.wait_events(lambda events: 3 in ids(events))
    assert (ids(events, "r"), ids(events)) == ([0], [1, 3])


def test_offsets_reset(db, connectors):
    """With its slot: all rows again, said before. Without: refused, as deletes would never be told."""
    connector = with_one_event(db, connectors)
    connector.stop()
    done = connector.call("offsets", "reset")
    assert done.returncode == 0 and connector.offset() is None, done
    for words in ("is now none", "every row of every table is published again", "the stream goes on where"):
        assert words in done.stdout, done.stdout
    connector.start().wait_streaming()
    assert ids(connector.wait_events(4), "r") == [0, 0, 1]
    connector.stop()
    db.value("select pg_drop_replication_slot(%s)", connector.slot)
    refused = connector.call("offsets", "reset")
    assert refused.returncode == 3 and "deleted since" in refused.stderr and "--accept-loss" in refused.stderr, refused
    assert connector.offset() is not None
    assert connector.call("offsets", "reset", "--accept-loss").returncode == 0
    assert connector.offset() is None


def test_a_position_that_nobody_can_read_is_replaced(db, connectors, tmp_path):
    """The hints name what works then: import stores over it, reset forgets it once the loss is accepted."""
    connector = with_one_event(db, connectors)
    connector.stop()
    exported = tmp_path / "offsets.json"
    assert connector.call("offsets", "export", exported).returncode == 0
    good = connector.offset()
    key = offset_key(connector.name, connector.prefix)
    wait_until(lambda: db.value("select total_txns > 0 from pg_stat_replication_slots where slot_name = %s", connector.slot), 20,
               "the server counts what was read")
    db.execute("insert into items values (5)")
    for broken in (b"{]", b'{"lsn":"abc"}', b"{}"):
        write_map(connector.offset_file, {key: broken})
        shown = connector.call("offsets", "show")
        assert shown.returncode == 2 and re.search(r"walduct offsets import -f \S+ -w \S+ FILE", shown.stderr), shown
        assert re.search(r"walduct offsets reset -f \S+ -w \S+ --accept-loss", shown.stderr), shown
        refused = connector.call("offsets", "reset")
        assert refused.returncode == 3 and "is not readable" in refused.stderr and "--accept-loss" in refused.stderr, refused
        beyond = connector.call("offsets", "set", db.value("select pg_current_wal_flush_lsn()::text"))
        assert beyond.returncode == 3 and "is not readable" in beyond.stderr, beyond
        assert read_map(connector.offset_file) == {key: broken}
        done = connector.call("offsets", "set", db.slot(connector.slot)["confirmed_flush_lsn"])
        assert done.returncode == 0 and "position was not readable; is now" in done.stdout and "nothing is left out" in done.stdout, done
        write_map(connector.offset_file, {key: broken})
        done = connector.call("offsets", "import", exported)
        assert done.returncode == 0 and "position was not readable; is now" in done.stdout, done
        assert connector.offset() == good
        write_map(connector.offset_file, {key: broken})
        done = connector.call("offsets", "reset", "--accept-loss")
        assert done.returncode == 0 and "position was not readable; is now none" in done.stdout, done
        assert connector.offset() is None


def test_a_position_that_no_start_goes_on_from_is_stored_when_asked(db, connectors, tmp_path):
    """An older one: the slot has nothing any more of what came after it. Scripts see that it was refused."""
    connector = with_one_event(db, connectors)
    connector.stop()
    older = tmp_path / "older.json"
    assert connector.call("offsets", "export", older).returncode == 0
    at = connector.offset()["lsn_commit"]
    connector.start().wait_streaming()
    db.execute("insert into items values (2)")
    connector.wait_events(3)
    connector.stop()
    wait_until(lambda: lsn(db.slot(connector.slot)["confirmed_flush_lsn"]) > at, 20, "the slot has gone on")
    before = connector.offset()
    refused = connector.call("offsets", "import", older)
    assert refused.returncode == 4 and "no start can go on from there" in refused.stderr and "--accept-loss" in refused.stderr, refused
    assert connector.offset() == before
    trusted = connector.call("offsets", "import", older, "-o", "offset.mismatch.strategy=trust_slot")
    assert trusted.returncode == 0 and "the next start goes on where replication slot" in trusted.stdout, trusted
    assert "is never published" in trusted.stdout and connector.offset() != before, trusted
    done = connector.call("offsets", "import", "--accept-loss", older)
    assert done.returncode == 0 and "no start can go on from there" in done.stdout, done
    assert connector.run_to_end() == 4
    assert connector.logged("stopped: .*Perhaps .* an older position was stored.*reason=position_skipped hint="), connector.log_text()
    # The way back, as it is typed.
    back = re.search(r"walduct (offsets set -f \S+ -w \S+ \S+ --accept-loss) goes on where the slot stands", connector.log_text()).group(1)
    assert subprocess.run([str(BINARY), *shlex.split(back)], capture_output=True, text=True, timeout=30, check=False).returncode == 0
    connector.start().wait_streaming()
    db.execute("insert into items values (3)")
    assert ids(connector.wait_events(4)) == [1, 2, 3]
    connector.stop()


def test_another_name_and_another_prefix(db, connectors, tmp_path):
    """As docs/migration.md has it: no second snapshot, nothing is missed."""
    connector = with_one_event(db, connectors)
    connector.stop()
    exported = tmp_path / "offsets.json"
    assert connector.call("offsets", "export", exported).returncode == 0
    db.execute("insert into items values (2)")
    renamed = connectors(db, name="renamed", config={"topic.prefix": connector.prefix + "-new"})
    exported.write_text(exported.read_text().replace(f'"{connector.prefix}"', f'"{renamed.prefix}"'))
    done = renamed.call("offsets", "import", exported)
    assert done.returncode == 0, done.stderr
    renamed.start().wait_streaming()
    events = renamed.wait_events(1)
    assert (ids(events, "r"), ids(events)) == ([], [2])


def test_offsets_import_is_refused(db, connectors, tmp_path):
    """While the connector runs, and for a body of another shape or another server: with a reason, nothing stored."""
    connector = with_one_event(db, connectors)
    good = tmp_path / "good.json"
    good.write_text(json.dumps({"offsets": [{"partition": {"server": connector.prefix}, "offset": {"lsn": 1, "ts_usec": 0}}]}))
    running = connector.call("offsets", "import", good)
    assert running.returncode == 3 and "in use" in running.stderr and "hint: " in running.stderr, running
    connector.stop()
    before = connector.offset_file.read_bytes()
    for body in ("{", "[]", '{"offsets":[{"partition":{"server":"another"},"offset":{"lsn":1,"ts_usec":0}}]}',
                 '{"offsets":[{"partition":{"server":"%s"},"offset":{"lsn":"x"}}]}' % connector.prefix):
        bad = tmp_path / "bad.json"
        bad.write_text(body)
        done = connector.call("offsets", "import", bad)
        assert done.returncode == 2 and "error: " in done.stderr, (body, done)
    assert connector.offset_file.read_bytes() == before


def test_the_position_of_another_server_is_left_alone(databases, pg17, pg18, connectors, tmp_path):
    """Two connectors of one name and one offset store, each of a server of its own: neither erases what the other goes on from."""
    one, other = databases(pg17), databases(pg18)
    connector = with_one_event(one, connectors)
    connector.stop()
    own = dict(connector.config)
    before = connector.offset_file.read_bytes()
    other.script(TABLE)
    connector.config.update({"database.port": str(pg18.port), "database.dbname": other.name})
    assert connector.run_to_end() == 4
    assert connector.logged('reason=system_mismatch hint="another connector of this name may use this offset store'), connector.log_text()
    body = tmp_path / "body.json"
    body.write_text(json.dumps({"offsets": [{"partition": {"server": connector.prefix}, "offset": {"lsn": 1, "ts_usec": 0}}]}))
    for command in (["reset", "--accept-loss"], ["import", "--accept-loss", body]):
        refused = connector.call("offsets", *command)
        assert refused.returncode == 4 and "belongs to the server with system identifier" in refused.stderr, (command, refused)
        assert "give this one another name" in refused.stderr and "--accept-foreign" in refused.stderr, (command, refused)
    refused = connector.call("offsets", "set", other.value("select pg_current_wal_lsn()::text"), "--accept-loss")
    assert refused.returncode == 4 and "belongs to the server with system identifier" in refused.stderr, refused
    assert connector.offset_file.read_bytes() == before
    connector.config = own
    one.execute("insert into items values (2)")
    connector.start().wait_streaming()
    connector.wait_events(lambda events: 2 in ids(events))
    connector.stop()
    connector.config.update({"database.port": str(pg18.port), "database.dbname": other.name})
    done = connector.call("offsets", "reset", "--accept-foreign")
    assert done.returncode == 0 and "is now none" in done.stdout, done
    assert json.loads(connector.call("offsets", "show").stdout) == {"offsets": []}


def test_other_entries_of_an_offset_file_stay(db, connectors):
    """A standalone worker keeps the offsets of several connectors in one file."""
    connector = connectors(db)
    write_offset(connector.offset_file, "other", "elsewhere", {"lsn": 5})
    db.script(TABLE)
    connector.start().wait_streaming()
    db.execute("insert into items values (1)")
    connector.wait_events(1)
    connector.stop()
    assert read_offset(connector.offset_file, "other", "elsewhere") == {"lsn": 5}
    assert connector.offset()["lsn_commit"] > 0
