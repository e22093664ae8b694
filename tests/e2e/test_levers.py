"""`walduct pause`, `resume`, `stop`, `restart` of a running worker, and `explain LSN`."""
import json
import re
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from test_serve import config_of, published, shop, workers  # noqa: F401

from support.http import Surface
from support.kafka import delete_topics
from support.paths import BINARY
from support.postgres import lsn
from support.wait import wait_until


def walduct(*arguments):
    return subprocess.run([str(BINARY), *map(str, arguments)], capture_output=True, text=True, timeout=90)


def test_levers(workers, databases, pg17):  # noqa: F811
    db = databases(pg17)
    db.script("create table items (id int primary key)")
    worker = workers().start()
    worker.create("a b/c", config_of(db))
    worker.wait_state("a%20b%2Fc", "RUNNING/RUNNING")

    def pull(lever, name="a b/c"):
        return walduct(lever, name, "--url", worker.base)
    for lever, before, after in (("pause", "RUNNING", "PAUSED"), ("resume", "PAUSED", "RUNNING"), ("stop", "RUNNING", "STOPPED"),
                                 ("resume", "STOPPED", "RUNNING"), ("restart", "RUNNING", "RUNNING")):
        done = pull(lever)
        assert (done.returncode, done.stdout) == (0, f"a b/c: was {before}, is {after}\n"), done
    unknown = pull("pause", "nobody")
    for unknown in (unknown, walduct("offsets", "reset", "nobody", "--url", worker.base)):
        assert unknown.returncode == 3 and "no connector is named 'nobody'; there are: a b/c" in unknown.stderr, unknown
    worker.stop()
    gone = pull("pause")
    assert gone.returncode == 1 and "nobody answers" in gone.stderr, gone
    assert "worker of the group" in walduct("status", "--url", worker.base).stdout, "how it ended"


class OfConnect(BaseHTTPRequestHandler):
    """What a worker of Kafka Connect answers; PUT and PATCH would be kept."""

    def answer(self):
        known = self.path.startswith("/connectors")
        if self.command != "GET":
            self.server.told.append(self.path)
        body = json.dumps({"name": "shop", "connector": {"state": "RUNNING"}, "tasks": []} if known else
                          {"error_code": 404, "message": "HTTP 404 Not Found"}).encode()
        self.send_response(200 if known and "doctor" not in self.path and "position" not in self.path else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_PUT = do_PATCH = do_POST = answer

    def log_message(self, *_):
        pass


def test_a_worker_of_kafka_connect_is_told_nothing(tmp_path):
    """It has the same port by default: what is meant for walduct would pause the Debezium that runs there."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), OfConnect)
    server.told = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    body = tmp_path / "position.json"
    body.write_text("{}")
    for command in (["pause", "shop"], ["stop", "shop"], ["restart", "shop"], ["status"], ["status", "shop"], ["doctor", "shop"],
                    ["skip", "shop", "--table", "public.items", "--row-key", '{"id":1}', "--yes"], ["offsets", "import", "shop", body]):
        done = walduct(*command, "--url", url)
        assert done.returncode == 3 and f"{url} is no walduct" in done.stderr and "error_code" not in done.stderr, (command, done)
    assert all("position" in one for one in server.told), server.told
    server.shutdown()


def test_a_lever_says_what_lasts(shop):  # noqa: F811
    """A connector that begins anew runs for a moment before it fails."""
    worker, db = shop("create table items (id int primary key); create publication by_hand for table items",
                      {"publication.name": "by_hand", "publication.autocreate.mode": "disabled"})
    wait_until(lambda: worker.get("/status")["connectors"][0]["activity"] == "streaming", 60, "it streams")
    db.execute("drop publication by_hand")
    for before in ("RUNNING", "FAILED"):
        done = walduct("restart", "shop", "--url", worker.base)
        assert done.returncode == 3 and f"shop was {before}, is FAILED: " in done.stderr, done
        assert "by_hand" in done.stderr and "hint: " in done.stderr, done
    db.execute("create publication by_hand for table items")
    done = walduct("restart", "shop", "--url", worker.base)
    assert (done.returncode, done.stdout) == (0, "shop: was FAILED, is RUNNING\n"), done
    worker.stop()


def test_a_restart_of_what_rests_says_so_at_once(shop):  # noqa: F811
    """And what to type instead."""
    worker, db = shop("create table items (id int primary key)")
    for lever, state in (("pause", "PAUSED"), ("stop", "STOPPED")):
        assert walduct(lever, "shop", "--url", worker.base).returncode == 0
        begin = time.monotonic()
        done = walduct("restart", "shop", "--url", worker.base)
        assert done.returncode == 3 and time.monotonic() - begin < 10, done
        assert f"shop is {state}, and stays so" in done.stderr and f"walduct resume shop --url {worker.base}" in done.stderr, done
        assert walduct("resume", "shop", "--url", worker.base).returncode == 0
    worker.stop()


def test_a_lever_is_taken_while_the_server_is_away(workers, private_servers, databases):  # noqa: F811
    """What is tried again runs: the answer says so with the error, and is no failure."""
    own = private_servers(postgres=17)
    db = databases(own.postgres)
    db.script("create table items (id int primary key)")
    worker = workers().start()
    worker.create("shop", config_of(db))
    worker.wait_state("shop", "RUNNING/RUNNING")
    own.do("stop-postgres")
    wait_until(lambda: "retrying" in walduct("status", "--url", worker.base).stdout, 30, "it tries again")
    for levers in (("restart",), ("stop", "resume")):
        for lever in levers:
            done = walduct(lever, "shop", "--url", worker.base)
            assert done.returncode == 0, done
        assert "is RUNNING, retrying: " in done.stdout and "reason" not in done.stderr, done
    own.do("start-postgres")
    wait_until(lambda: walduct("status", "--url", worker.base).returncode == 0, 60, "it goes on")
    worker.stop()


def published_without_snapshot(worker, broker, db, pull, rows):
    """Each time the offset topic is deleted, and the connector begun anew by `pull`."""
    for row in rows:
        delete_topics(broker, worker.properties["offset.storage.topic"])
        db.execute("insert into items values (%s)", row)
        pull(worker, db)
        wait_until(lambda row=row: row in published(broker, db), 30, f"row {row}")
        assert sorted(set(published(broker, db))) == list(range(row + 1)) and published(broker, db).count(0) == 1, "no snapshot"


def restarted(worker, db):
    done = walduct("restart", "shop", "--url", worker.base)
    assert (done.returncode, done.stdout) == (0, "shop: was RUNNING, is RUNNING\n"), done


def stopped(worker, db):
    for lever in ("stop", "resume"):
        done = walduct(lever, "shop", "--url", worker.base)
        assert done.returncode == 0, done


def configured(worker, db):
    assert worker.ask("PUT", "/connectors/shop/config", config_of(db, **{"snapshot.mode": "when_needed", "max.batch.size": "1024"}))[0] == 200


def with_a_known_position(workers, databases, pg17, broker):
    db = databases(pg17)
    db.script("create table items (id int primary key); insert into items values (0)")
    worker = workers().start()
    worker.create("shop", config_of(db, **{"snapshot.mode": "when_needed"}))
    worker.wait_state("shop", "RUNNING/RUNNING")
    db.execute("insert into items values (1)")
    wait_until(lambda: published(broker, db) == [0, 1], 30, "the first rows")
    return worker, db


def test_a_restart_keeps_a_position_whose_topic_is_gone(workers, databases, pg17, broker):  # noqa: F811
    """The process knows it: no second snapshot, also where one would be taken; after a kill the slot's position is named instead."""
    worker, db = with_a_known_position(workers, databases, pg17, broker)
    published_without_snapshot(worker, broker, db, restarted, [2])
    # Another object of the same connector.
    published_without_snapshot(worker, broker, db, stopped, [3])
    assert worker.log_text().count("the stored position has vanished under this process, which knows it") == 2
    # What is started next is to find this mode: with the one before it would take a snapshot, as soon as it runs.
    assert worker.ask("PUT", "/connectors/shop/config", config_of(db, **{"snapshot.mode": "initial"}))[0] == 200
    worker.wait_state("shop", "RUNNING/RUNNING")
    worker.kill()
    delete_topics(broker, worker.properties["offset.storage.topic"])
    worker.start()
    worker.wait_state("shop", "RUNNING/FAILED")
    command = re.search(rf"walduct offsets set shop [0-9A-F]+/[0-9A-F]+ --url {worker.base}", walduct("status", "--url", worker.base).stdout)
    db.execute("insert into items values (4)")
    done = walduct(*command.group().split()[1:])
    assert done.returncode == 0 and "--accept-loss" not in done.stdout + done.stderr, done
    wait_until(lambda: 4 in published(broker, db), 30, "what came since")
    assert published(broker, db).count(0) == 1
    worker.stop()


@pytest.mark.parametrize("erased", ["by REST", "by name"])
def test_another_configuration_keeps_it_and_what_is_erased_is_forgotten(erased, workers, databases, pg17, broker):  # noqa: F811
    """Also where there is no topic that could say so."""
    worker, db = with_a_known_position(workers, databases, pg17, broker)
    published_without_snapshot(worker, broker, db, configured, [2])
    delete_topics(broker, worker.properties["offset.storage.topic"])
    assert walduct("stop", "shop", "--url", worker.base).returncode == 0
    if erased == "by REST":
        answer = worker.ask("DELETE", "/connectors/shop/offsets")
        assert answer[0] == 200, answer
    else:
        done = walduct("offsets", "reset", "shop", "--accept-loss", "--url", worker.base)
        assert done.returncode == 0, done
    db.execute(f"select pg_drop_replication_slot('{db.name}')")
    assert walduct("resume", "shop", "--url", worker.base).returncode == 0
    wait_until(lambda: published(broker, db).count(0) == 2, 30, "a snapshot")
    worker.stop()


def test_a_position_is_imported_by_name_as_by_files(shop, tmp_path):  # noqa: F811
    """Checked by the process, which says what it means; REST stores what Connect's does, and what is none of it has a way out."""
    worker, db = shop("create table items (id int primary key)")
    wait_until(lambda: worker.ask("GET", "/connectors/shop/offsets")[1]["offsets"], 30, "a position")
    wait_until(lambda: (db.slot(db.name) or {}).get("active"), 30, "it streams")
    assert walduct("stop", "shop", "--url", worker.base).returncode == 0
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    assert walduct("offsets", "export", "shop", good, "--url", worker.base).returncode == 0
    [entry] = json.loads(good.read_text())["offsets"]

    def imported(path):
        return walduct("offsets", "import", "shop", path, "--url", worker.base)
    for partition, offset, why in (({"server": "another"}, entry["offset"], "the partition is for server"),
                                   (entry["partition"], entry["offset"] | {"lsn": "abc"}, '"lsn" is not an integer')):
        bad.write_text(json.dumps({"offsets": [{"partition": partition, "offset": offset}]}))
        done = imported(bad)
        assert done.returncode == 2 and why in done.stderr and str(bad) in done.stderr, done
    bad.write_text(json.dumps({"offsets": [entry | {"offset": {"lsn": 2**62}}]}))
    done = imported(bad)
    assert done.returncode == 3 and "the server's WAL ends at" in done.stderr, done
    assert json.loads(walduct("offsets", "show", "shop", "--url", worker.base).stdout)["offsets"] == [entry]
    moved, refused = "the stored position was moved, as asked for over REST", "a move of the stored position was asked for over REST, and refused"
    assert worker.log_text().count(refused) == 3 and moved not in worker.log_text()
    done = imported(good)
    assert done.returncode == 0 and re.search("shop: position was .*; is now ", done.stdout) and "published again" in done.stdout, done
    assert worker.log_text().count(moved) == 1
    for way_out in ("import", "reset"):
        bad.write_text(json.dumps({"offsets": [entry | {"offset": {"lsn": "abc"}}]}))
        assert worker.ask("PATCH", "/connectors/shop/offsets", json.loads(bad.read_text()))[0] == 200
        done = imported(good) if way_out == "import" else walduct("offsets", "reset", "shop", "--accept-loss", "--url", worker.base)
        assert done.returncode == 0 and "position was not readable; is now" in done.stdout, done
    assert imported(tmp_path / "none.json").returncode == 2
    db.drop_slot(db.name)
    done = imported(good)
    assert done.returncode == 3 and "no start can go on from there" in done.stderr and "--accept-loss" in done.stderr, done
    assert json.loads(walduct("offsets", "show", "shop", "--url", worker.base).stdout)["offsets"] == []
    done = walduct("offsets", "import", "shop", good, "--accept-loss", "--url", worker.base)
    assert done.returncode == 0 and "no start can go on from there" in done.stdout and "starts it" not in done.stdout, done
    worker.stop()


def test_a_paused_connector_tells_what_doctor_tells(shop, broker):  # noqa: F811
    """A publication that is narrowed meanwhile: in status, series and doctor, with what brings this connector on."""
    worker, db = shop('create table items (id int primary key); create publication "{db}" for table items',
                      {"publication.autocreate.mode": "disabled"})
    wait_until(lambda: db.slots() != [], 30, "its slot")
    db.execute("insert into items values (1)")
    wait_until(lambda: published(broker, db) == [1], 30, "it streams")
    assert walduct("pause", "shop", "--url", worker.base).returncode == 0
    db.execute(f'alter publication "{db.name}" drop table items')
    shown = []

    def told():
        shown[:] = [walduct("status", "--url", worker.base)]
        return "publication_lacks_tables" in shown[0].stdout
    wait_until(told, 40, "status tells it", interval_s=1)
    assert "PAUSED" in shown[0].stdout and "public.items" in shown[0].stdout and shown[0].returncode != 0, shown
    assert re.search(r'walduct_capture_problems\{connector="shop",reason="publication_lacks_tables"\} 1', worker.ask_text("/metrics")[1])
    asked = walduct("doctor", "shop", "--url", worker.base)
    assert "publication_lacks_tables" in asked.stdout, asked
    assert f"walduct resume shop --url {worker.base}" in asked.stdout and "start the connector" not in asked.stdout, asked
    db.execute(f'alter publication "{db.name}" add table items')
    wait_until(lambda: "publication_lacks_tables" not in walduct("status", "--url", worker.base).stdout, 60, "it is mended", interval_s=1)
    worker.stop()


def test_what_changes_as_it_is_paused_is_judged_by_what_was_before(shop, broker):  # noqa: F811
    """The publication sends less, and a table is another one: before anybody has looked at what rests."""
    worker, db = shop('create table items (id int primary key); create table more (id int primary key); create publication "{db}" for table items, more',
                      {"publication.autocreate.mode": "disabled", "table.include.list": "public.items,public.more"})
    wait_until(lambda: "walduct_capture_look_age_seconds" in worker.ask_text("/metrics")[1], 30, "it was looked at while it ran")
    assert walduct("pause", "shop", "--url", worker.base).returncode == 0
    db.script(f"""alter publication "{db.name}" set (publish = 'insert'); drop table more; create table more (id int primary key)""")
    wait_until(lambda: {"publication_lacks_operations", "table_created_anew"} <= set(re.findall(r"\((\w+)\)", walduct("status", "--url", worker.base).stdout)),
               40, "both are told", interval_s=1)
    worker.stop()


def test_a_signal_by_name(shop):  # noqa: F811
    worker, db = shop("create table items (id int primary key); create table signals (id varchar(64), type varchar(64), data varchar(4096))",
                      {"signal.data.collection": "public.signals"})
    sent = walduct("signal", "execute-snapshot", "shop", "--table", "public.items", "--id", "mine", "--url", worker.base)
    assert sent.returncode == 0 and sent.stdout.startswith("shop: execute-snapshot mine in table"), sent
    assert db.execute("select type from signals where id = 'mine'") == [("execute-snapshot",)]
    unknown = walduct("signal", "stop-snapshot", "nobody", "--url", worker.base)
    assert unknown.returncode == 3 and "there are: shop" in unknown.stderr, unknown
    wrong = walduct("signal", "execute-snapshot", "shop", "--table", "public.nosuch", "--url", worker.base)
    assert wrong.returncode == 3 and "public.nosuch" in wrong.stderr, wrong
    neither = walduct("signal", "stop-snapshot")
    assert neither.returncode == 2 and "-f" in neither.stderr, neither


def test_a_process_of_run_takes_no_commands(db, connectors):
    db.script("create table items (id int primary key)")
    connector = connectors(db, sink="file").start("--listen", "127.0.0.1:0").wait_streaming()
    done = walduct("pause", connector.name, "--url", Surface(connector).base)
    assert done.returncode == 3 and "takes no commands" in done.stderr and "walduct serve" in done.stderr, done
    assert Surface(connector).status()["state"] == "RUNNING"


def test_where_an_lsn_lies(db, connectors):
    db.script("create table items (id int primary key)")
    connector = connectors(db, sink="file").start("--listen", "127.0.0.1:0").wait_streaming()
    surface = Surface(connector)
    before = db.value("select pg_current_wal_insert_lsn()::text")
    db.execute("insert into items values (1)")
    connector.wait_events(1)
    surface.wait_value(lambda value: value > lsn(before), "walduct_stored_lsn")
    by_process = walduct("explain", before, "--url", surface.base)
    assert by_process.returncode == 0, by_process
    assert by_process.stdout.startswith((f"{connector.name}: {before} is confirmed", f"{connector.name}: {before} is stored"))
    far = walduct("explain", "FFFF/0", "--url", surface.base)
    assert "is behind: the connector has still to read" in far.stdout, far
    connector.stop()
    db.execute("insert into items values (2)")
    end = db.value("select pg_current_wal_insert_lsn()::text")
    for place, words in ((before, "is confirmed"), (end, "is behind"), ("FFFF/0", "is not written")):
        done = connector.call("explain", place)
        assert done.returncode == 0 and f"{place} {words}" in done.stdout and "position stored" in done.stdout, done
    wrong = walduct("explain", "0/XYZ")
    assert wrong.returncode == 2 and "an LSN is written 0/16B3748" in wrong.stderr, wrong


def test_no_mark_is_before_one_that_follows_it(db, connectors):
    """They are asked for one after the other, while rows come."""
    db.script("create table items (id serial primary key)")
    connector = connectors(db, sink="file").start().wait_streaming()
    done = threading.Event()

    def write():
        with db.connect() as session:
            while not done.is_set():
                session.execute("insert into items default values")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        wait_until(lambda: "position stored" in connector.call("explain", "0/1").stdout, 30, "stored")
        for _ in range(10):
            told = connector.call("explain", "0/1")
            marks = [lsn(line.split()[-1]) for line in told.stdout.splitlines()
                     if line.strip().startswith(("slot confirmed", "position stored", "server's WAL ends"))]
            assert len(marks) == 3 and marks == sorted(marks), told
    finally:
        done.set()
        writer.join()
    connector.stop()


@pytest.mark.parametrize("committed", [True, False])
def test_the_transaction_of_an_lsn(committed, databases, pg15, connectors):
    """Where pg_walinspect is installed, and the role may use it."""
    db = databases(pg15)
    db.script("create table items (id int primary key); create extension pg_walinspect; insert into items values (0)")
    connector = connectors(db, sink="file").start().wait_streaming()
    connector.stop()
    db.script(f'grant execute on all functions in schema public to "{connector.config["database.user"]}"')
    with db.connect(autocommit=False) as session:
        before = session.execute("select pg_current_wal_insert_lsn()::text").fetchone()[0]
        xid = session.execute("insert into items values (1) returning xmin::text").fetchone()[0]
        if committed:
            session.commit()
        db.execute("insert into items values (2)")
        place = db.value("select start_lsn::text from pg_get_wal_records_info(%s, pg_current_wal_flush_lsn()) "
                         "where xid::text = %s limit 1", before, xid)
        done = connector.call("explain", place)
    end = "committed at" if committed else "whose commit was not found"
    assert done.returncode == 0 and f"in transaction {xid} (" in done.stdout and end in done.stdout, done
