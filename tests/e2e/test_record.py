"""`record`: a connector's stream in a file, which bench/decode replays, without anybody noticing."""
import re
import signal
import stat
import subprocess

import pytest

from support import recording
from support.paths import ROOT
from support.wait import wait_until

TABLES = "create table keyed (id int primary key, v text); create table bare (id int, v text)"
BENCH = ROOT / "build/release/bench/walduct_decode_bench"


def kinds(path):
    return b"".join(message[:1] for _, message in recording.read(path)[1]).decode()


def start(connector, path, *arguments):
    return connector.start(path, *arguments, command="record").wait_streaming()


@pytest.mark.parametrize("config", [{}, {"publication.autocreate.mode": "all_tables"}, {"walduct.transaction.streaming": "true"}],
                         ids=["filtered", "all_tables", "streaming"])
def test_a_stream_is_recorded_and_replayed(config, each_pg, databases, connectors, tmp_path):
    db, path = databases(each_pg), tmp_path / "corpus.rec"
    db.script(TABLES + "; insert into keyed values (0, 'before')")
    connector = start(connectors(db, {"walduct.transaction.spill.directory": str(tmp_path), **config}), path, "--changes", "6")
    db.script("begin; insert into keyed values (1, 'a'); insert into bare values (1, 'b'); commit; update keyed set v = 'changed' where id = 1;"
              "truncate keyed; begin; insert into keyed select g, repeat('x', 100) from generate_series(2, 100) g; commit;"
              "insert into keyed values (101, 'behind the end')")
    assert connector.wait_exit() == 0
    said = re.fullmatch(r"recorded 103 changes in 4 transactions, (\d+) bytes, in (\S+) \(mode 0600: it holds the rows as they are\)\n",
                        connector.out.read_text())
    names, messages = recording.read(path)
    assert said and int(said[1]) == sum(len(message) for _, message in messages) and said[2] == str(path), connector.out.read_text()
    assert kinds(path).startswith("BR") and re.sub("[RY]", "", kinds(path)) == "BIICBUCBTCB" + "I" * 99 + "C", kinds(path)
    assert names["proto_version"] == "1"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert db.slots() == [] and db.publications() == []
    if BENCH.exists():
        replayed = subprocess.run([BENCH, path, "--replay", "2"], capture_output=True, text=True, check=True)
        assert replayed.stdout == "103 changes, 2 times\n"
        bench = subprocess.run([BENCH, path, "--benchmark_min_time=0.01"], capture_output=True, text=True, check=True)
        assert re.search(r"walduct: [\d.]+ us of CPU time a change .*\(103 changes of \d+ bytes\)", bench.stderr), bench.stderr


def test_a_recording_is_a_copy_that_the_server_reads(db, connectors, tmp_path):
    """The form of the file is PostgreSQL's own; what it holds is what the server itself shows of a slot."""
    db.script(TABLES + "; select pg_create_logical_replication_slot('beside_' || current_database(), 'pgoutput');"
              "create table recorded (lsn pg_lsn, data bytea)")
    db.execute(f"create publication {db.name} for table keyed")
    path = tmp_path / "corpus.rec"
    connector = start(connectors(db), path, "--changes", "2")
    db.execute("insert into keyed values (1, 'a'), (2, 'b')")
    assert connector.wait_exit() == 0
    with db.connect() as session, session.cursor().copy("copy recorded from stdin (format binary)") as copy:
        copy.write(path.read_bytes())
    rows = db.execute("select data from recorded where get_byte(data, 0) = ascii('I') order by lsn")
    shown = db.execute("select data from pg_logical_slot_peek_binary_changes('beside_' || current_database(), null, null, 'proto_version', '1',"
                       f"'publication_names', '{db.name}') where get_byte(data, 0) = ascii('I')")
    assert len(rows) == 2 and rows == shown
    db.execute("select pg_drop_replication_slot('beside_' || current_database())")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM], ids=["int", "term"])
def test_a_signal_ends_it_with_what_has_come(how, db, connectors, tmp_path):
    db.script(TABLES)
    path = tmp_path / "corpus.rec"
    connector = start(connectors(db), path)
    wait_until(path.exists, 20, "the file")
    connector.process.send_signal(how)
    assert connector.wait_exit() == 0
    assert connector.out.read_text().startswith("recorded 0 changes in 0 transactions, 0 bytes") and recording.read(path)[1] == []


def test_limits_of_time_and_size(db, connectors, tmp_path):
    db.script(TABLES)
    connector = connectors(db)
    start(connector, tmp_path / "short.rec", "--seconds", "1")
    assert connector.wait_exit() == 0 and recording.read(tmp_path / "short.rec")[1] == []
    start(connector, tmp_path / "small.rec", "--bytes", "5000")
    db.execute("insert into keyed select g, repeat('x', 100) from generate_series(1, 1000) g")
    assert connector.wait_exit() == 0
    assert "0 transactions and a part of one" in connector.out.read_text()
    assert 5000 <= sum(len(message) for _, message in recording.read(tmp_path / "small.rec")[1]) < 6000


def test_the_running_connector_does_not_notice(db, connectors, tmp_path):
    db.script(TABLES)
    running, looks = connectors(db).start().wait_streaming(), connectors(db, name="looks")
    db.execute("insert into keyed values (1, 'a')")
    running.wait_events(1)
    slot, published = db.slot(running.slot), db.publications()
    start(looks, tmp_path / "corpus.rec", "--changes", "1")
    assert db.slot(running.slot)["active_pid"] == slot["active_pid"] and len(db.slots()) == 2
    db.execute("insert into keyed values (2, 'b')")
    assert looks.wait_exit() == 0
    assert [e.id for e in running.wait_events(2)] == [1, 2]
    assert db.slots() == [running.slot] and db.publications() == published and looks.offset() is None
    running.stop()


def test_nothing_is_overwritten_unasked(db, connectors, tmp_path):
    db.script(TABLES)
    path = tmp_path / "corpus.rec"
    path.write_text("of somebody")
    connector = connectors(db)
    refused = connector.call("record", path)
    assert refused.returncode == 2 and str(path) in refused.stderr and "--force" in refused.stderr, refused
    assert path.read_text() == "of somebody"
    start(connector, path, "--force", "--changes", "1")
    db.execute("insert into keyed values (1, 'a')")
    assert connector.wait_exit() == 0 and kinds(path) == "BRIC"


@pytest.mark.parametrize("arguments, said", [
    (["--changes", "0"], ("--changes", "'0'", "at least 1")), (["--seconds", "soon"], ("--seconds", "'soon'", "whole number")),
    (["--bytes", "1MB"], ("--bytes", "'1MB'", "100000000"))], ids=["changes", "seconds", "bytes"])
def test_bad_limits_are_refused(arguments, said, db, connectors, tmp_path):
    refused = connectors(db).call("record", tmp_path / "corpus.rec", *arguments)
    assert refused.returncode == 2 and all(text in refused.stderr for text in said), refused
    assert not (tmp_path / "corpus.rec").exists() and db.slots() == []


def test_a_server_that_refuses_leaves_no_file(db, connectors, tmp_path):
    path = tmp_path / "corpus.rec"
    refused = connectors(db, {"database.password": "wrong"}).call("record", path)
    assert refused.returncode == 3 and "password" in refused.stderr, refused
    assert not path.exists()
