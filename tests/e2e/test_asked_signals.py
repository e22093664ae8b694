"""Signals to a connector that has no property of signals: by `walduct signal`, by REST, by what hints say, typed as it stands."""
import json
import re
import shlex
import subprocess

import pytest
from test_serve import config_of, published, workers  # noqa: F401

from support.debezium import free_port
from support.events import fold
from support.http import ask
from support.paths import BINARY
from support.wait import wait_until
from support.writer import Writer

ROWS = 3000
TABLE = f"create table items (id int primary key, v text); insert into items select g, 'old' from generate_series(1, {ROWS}) g"


class Changes(Writer):
    def change(self, session, choose):
        row = choose.randint(1, ROWS)
        session.execute(choose.choice((f"update items set v = 'new{row}' where id = {row}", f"delete from items where id = {row}",
                                       f"insert into items values ({row}, 'again') on conflict do nothing")))
        return 1


def walduct(*words):
    return subprocess.run([str(BINARY), *map(str, words)], capture_output=True, text=True, timeout=60)


def typed(command):
    words = shlex.split(command)
    assert words[0] == "walduct", command
    return walduct(*words[1:])


def read(connector):
    return {event.id for event in connector.events() if event.op == "r"}


@pytest.fixture
def listening(databases, pg17, connectors):
    """Of `walduct run --listen`; it has read no row."""
    db = databases(pg17)
    db.script(TABLE)
    connector = connectors(db, {"snapshot.mode": "no_data"})
    connector.url = f"http://127.0.0.1:{free_port()}"
    return db, connector.start("--listen", connector.url.removeprefix("http://")).wait_streaming()


def test_beside_a_writer_the_topic_is_the_table(listening):
    db, connector = listening
    writer = Changes(db, 1)
    writer.start()
    done = walduct("signal", "execute-snapshot", connector.name, "--table", "public.items", "--url", connector.url)
    assert done.returncode == 0 and "in the stored position" in done.stdout, done
    connector.wait_log("incremental snapshot completed", 60)
    writer.stop()
    rows = dict(db.execute("select id, v from items"))
    wait_until(lambda: fold(connector.events(), f"{connector.prefix}.public.items") == rows, 30, "the topic is the table", interval_s=0.5)
    assert writer.changes > 10
    connector.stop()


def test_what_is_stored_is_carried_out_after_a_kill(listening):
    db, connector = listening
    # A table that is locked cannot be read yet.
    with db.transaction() as session:
        session.execute("lock table items in access exclusive mode")
        done = walduct("signal", "execute-snapshot", connector.name, "--table", "public.items", "--url", connector.url)
        # Whether it may be read is asked of the catalog: no lock is in the way.
        assert done.returncode == 0 and "in the stored position" in done.stdout, done
        connector.kill()
    connector.start("--listen", connector.url.removeprefix("http://")).wait_streaming()
    wait_until(lambda: len(read(connector)) == ROWS, 60, "all rows", interval_s=0.5)
    connector.stop()


def test_over_rest_and_by_files(listening):
    db, connector = listening
    port = int(connector.url.rpartition(":")[2])

    def post(body):
        words = ["curl", "-s", "-w", "\n%{http_code}", "-X", "POST", f"{connector.url}/connectors/{connector.name}/signal", "-d", json.dumps(body)]
        answer, _, code = subprocess.run(words, capture_output=True, text=True, check=True).stdout.rpartition("\n")
        return int(code), answer

    data = {"data-collections": ["public.items"], "additional-conditions": [{"data-collection": "public.items", "filter": "id <= 5"}]}
    code, answer = post({"type": "execute-snapshot", "id": "five", "data": data})
    assert code == 202 and json.loads(answer) == {"name": connector.name, "id": "five", "written_to": "the stored position"}
    wait_until(lambda: read(connector) == set(range(1, 6)), 30, "five rows", interval_s=0.3)
    code, answer = post({"type": "execute-snapshot", "data": {"data-collections": ["public.nope"]}})
    assert code == 400 and "there is no table of that name" in answer, answer
    assert post({"type": "dance"})[0] == 400
    for filter, says in (("nosuch = 1", "column \"nosuch\" does not exist"), ("id <", "syntax error")):
        data = {"data-collections": ["public.items"], "additional-conditions": [{"data-collection": "public.items", "filter": filter}]}
        code, answer = post({"type": "execute-snapshot", "data": data})
        assert code == 400 and says in json.loads(answer)["message"], answer
    wrong = walduct("signal", "execute-snapshot", connector.name, "--table", "public.items", "--filter", "public.others=id = 1", "--url", connector.url)
    assert wrong.returncode != 0 and "a filter is for none of the tables" in wrong.stderr, wrong
    blocking = {"type": "blocking", "data-collections": ["public.items"],
                "additional-conditions": [{"data-collection": "public.items", "filter": "select nosuch from items"}]}
    code, answer = post({"type": "execute-snapshot", "data": blocking})
    assert code == 400 and "of a blocking snapshot it is the whole SELECT" in answer, answer
    # Also what is to be stopped: what nobody reads is not stopped either.
    code, answer = post({"type": "stop-snapshot", "data": {"type": "incremental", "data-collections": ["public.nope"]}})
    assert code == 400 and "there is no table of that name" in answer, answer
    db.execute("create schema other; create table other.there (id int primary key)")
    stopped = walduct("signal", "stop-snapshot", connector.name, "--table", "other.there", "--url", connector.url)
    assert stopped.returncode != 0 and "other.there is there, and is not captured" in stopped.stderr, stopped
    stopped = walduct("signal", "stop-snapshot", connector.name, "--table", "public.items", "--url", connector.url)
    assert stopped.returncode == 0 and "there is nothing for it to do" in stopped.stdout, stopped
    connector.wait_log("signal passed over: no incremental snapshot is being read or waits")
    assert ask(port, "/connectors/nobody/signal", method="POST")[0] == 404
    assert ask(port, f"/connectors/{connector.name}/pause", method="PUT")[0] == 405
    # By its files, which say where it listens; a browser's page of another place may not.
    connector.worker["walduct.listen"] = f"127.0.0.1:{port}"
    connector.write_files()
    done = connector.call("signal", "execute-snapshot", "--table", "public.items", "--filter", "public.items=id between 6 and 8")
    assert done.returncode == 0 and "in the stored position" in done.stdout, done
    wait_until(lambda: read(connector) == set(range(1, 9)), 30, "three more", interval_s=0.3)
    assert ask(port, f"/connectors/{connector.name}/signal", method="POST", Origin="http://evil.example")[0] == 403
    connector.stop()
    gone = connector.call("signal", "execute-snapshot", "--table", "public.items")
    assert gone.returncode == 1 and "nobody answers" in gone.stderr, gone


def test_of_a_worker_also_while_it_is_paused(workers, databases, pg17, broker):  # noqa: F811
    db = databases(pg17)
    db.script("create table items (id int primary key); insert into items values (1), (2)")
    worker = workers().start()
    worker.create("shop", config_of(db, **{"snapshot.mode": "no_data"}))
    worker.wait_state("shop", "RUNNING/RUNNING")
    wait_until(lambda: db.slot(db.name) and db.slot(db.name)["active"], 30, "it streams")
    done = walduct("signal", "execute-snapshot", "shop", "--table", "public.items", "--url", worker.base)
    assert done.returncode == 0 and "in the stored position" in done.stdout, done
    wait_until(lambda: published(broker, db) == [1, 2], 30, "both rows")
    assert walduct("pause", "shop", "--url", worker.base).returncode == 0
    done = walduct("signal", "execute-snapshot", "shop", "--table", "public.items", "--url", worker.base)
    assert done.returncode == 0 and "it is carried out once the connector streams" in done.stdout, done
    assert walduct("resume", "shop", "--url", worker.base).returncode == 0
    wait_until(lambda: published(broker, db) == [1, 2, 1, 2], 30, "both rows again")
    # One that begins anew is waited for.
    assert worker.ask("PATCH", "/connectors/shop/config", {"walduct.stall.warn.ms": "9000"})[0] == 200
    done = walduct("signal", "execute-snapshot", "shop", "--table", "public.items", "--url", worker.base)
    assert done.returncode == 0, done
    wait_until(lambda: published(broker, db) == [1, 2, 1, 2, 1, 2], 30, "and again")
    assert walduct("stop", "shop", "--url", worker.base).returncode == 0
    done = walduct("signal", "execute-snapshot", "shop", "--table", "public.items", "--url", worker.base)
    assert done.returncode != 0 and "does not run" in done.stderr, done
    worker.stop()


@pytest.mark.parametrize("listens", [True, False])
def test_the_hint_of_a_new_table_is_typed(listens, databases, pg17, connectors):
    """Without a listener it says what to start it with."""
    db = databases(pg17)
    db.script("create table items (id int primary key)")
    connector = connectors(db, {"table.include.list": "public.items", "schema.include.list": None, "publication.autocreate.mode": "filtered"},
                           worker={"offset.flush.interval.ms": "50"})
    arguments = ("--listen", f"127.0.0.1:{free_port()}") if listens else ()
    connector.start(*arguments).wait_streaming()
    wait_until(lambda: "public.items" in (connector.offset() or {}).get("walduct_tables", ""), 30, "what is captured is stored")
    connector.stop()
    db.script("create table more (id int primary key); insert into more values (1), (2)")
    connector.config["table.include.list"] = "public.items,public.more"
    connector.start(*arguments).wait_streaming()
    hint = connector.wait_log(r'table is new to the connector.* hint="((?:[^"\\]|\\.)*)"').group(1).replace('\\"', '"')
    if not listens:
        setting = re.search(r"walduct\.listen=(\S+),", hint).group(0).rstrip(",")
        connector.stop()
        connector.start("-o", setting).wait_streaming()
    command = re.search(r"walduct signal .*?(?=, or walduct)", hint).group(0)
    done = typed(command)
    assert done.returncode == 0, (command, done)
    wait_until(lambda: {e.id for e in connector.events() if e.topic.endswith(".more")} == {1, 2}, 30, "its rows")
    connector.stop()
