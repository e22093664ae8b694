"""`walduct serve`: connectors that live in a worker's topics, managed by Kafka Connect's REST interface."""
import json
import re
import subprocess
import sys
import uuid

import pytest

from support import servers
from support.connector import database_properties
from support.http import ask
from support.kafka import read_topics, sweep
from support.paths import BINARY, ROOT
from support.serve import CLASS, JSON, Worker
from support.wait import wait_until

sys.path.insert(0, str(ROOT / "tests" / "serve"))
import run as recordings  # noqa: E402

# Seconds each; tests/serve/run.py plays all.
QUICK = ("server", "unknown_connector", "loggers", "plugins", "plugins_all", "http_accept", "list", "delete", "validate",
         "create_errors", "create_list_delete", "active_topics", "initial_state", "offsets")


@pytest.fixture
def workers(databases, broker, tmp_path):
    """Makes workers of one group, each with a port of its own."""
    name, made = f"serve-{uuid.uuid4().hex[:8]}", []

    def make():
        made.append(Worker(tmp_path / f"worker{len(made)}", broker, name))
        return made[-1]
    yield make
    for one in made:
        one.kill()
    sweep(name)


def config_of(database, **more):
    return {"connector.class": CLASS, "tasks.max": "1", "plugin.name": "pgoutput", **database_properties(database),
            "topic.prefix": database.name, "slot.name": database.name, "publication.name": database.name,
            "publication.autocreate.mode": "filtered", "table.include.list": "public.items",
            "key.converter": JSON, "key.converter.schemas.enable": "false",
            "value.converter": JSON, "value.converter.schemas.enable": "false", **more}


@pytest.fixture
def shop(workers, databases, pg17):
    """Makes a worker with one connector, `shop`, of a database of its own: (worker, database). {db} in the script is its name."""
    def make(script, config=None, state="RUNNING/RUNNING"):
        db = databases(pg17)
        db.script(script.replace("{db}", db.name))
        worker = workers().start()
        worker.create("shop", config_of(db, **(config or {})))
        if state is not None:
            worker.wait_state("shop", state)
        return worker, db
    return make


def published(broker, database):
    """The ids of public.items in the order of their records."""
    return [json.loads(event.value)["after"]["id"] for event in read_topics(broker, f"{database.name}.public.items")]


def test_answers_are_those_of_kafka_connect(workers, tmp_path):
    worker = workers().start("--log-level", "warn")
    own = servers.shared("pg17", postgres=17)
    differences = {name: recordings.replay(name, worker.base, own.postgres) for name in QUICK}
    assert not any(differences.values()), json.dumps({k: v for k, v in differences.items() if v}, indent=1)
    assert worker.get("/")["kafka_cluster_id"]
    worker.stop()


def test_a_worker_that_starts_goes_on_with_what_the_topics_say(workers, databases, pg17, broker):
    db = databases(pg17)
    db.script("create table items (id int primary key); insert into items values (1), (2)")
    first = workers().start()
    first.create("runs", config_of(db))
    first.create("paused", config_of(db, **{"slot.name": f"{db.name}_p"}), initial_state="PAUSED")
    first.create("stopped", config_of(db, **{"slot.name": f"{db.name}_s"}), initial_state="STOPPED")
    first.wait_state("runs", "RUNNING/RUNNING")
    wait_until(lambda: len(published(broker, db)) == 2, 30, "the snapshot")
    first.stop()
    db.script("insert into items values (3)")
    second = workers().start()
    assert sorted(second.get("/connectors")) == ["paused", "runs", "stopped"]
    assert second.state("paused") == "PAUSED" and second.state("stopped") == "STOPPED"
    second.wait_state("runs", "RUNNING/RUNNING")
    wait_until(lambda: published(broker, db) == [1, 2, 3], 30, "what was written meanwhile, and no row again")
    assert second.ask("DELETE", "/connectors/runs")[0] == 204
    wait_until(lambda: second.state("runs") is None, 30, "its state is gone")
    configs = [event for event in read_topics(broker, second.properties["config.storage.topic"]) if event.key.endswith((b"-runs", b"-runs-0"))]
    last = {event.key: event.value for event in configs}
    assert [key for key, value in last.items() if value and b"password" in value] == [], "what has secrets is gone"
    assert any(event.value and b"database.password" in event.value for event in configs), "it was there"
    assert "connector deleted: its replication slot stays" in second.log_text() and f"pg_drop_replication_slot('{db.name}')" in second.log_text()
    second.stop()
    third = workers().start()
    assert sorted(third.get("/connectors")) == ["paused", "stopped"]
    third.stop()


def test_two_workers_of_one_group_do_not_fight(workers):
    """The second waits for its turn, and has it once the first has ended."""
    first = workers().start()
    second = workers().begin()
    wait_until(lambda: "waiting: another worker serves the group" in second.log_text(), 60, "the second waits")
    assert second.ask("GET", "/health")[0] == 503
    assert second.ask("GET", "/connectors")[0] == 503
    assert first.get("/connectors") == []
    first.stop()
    wait_until(second.healthy, 60, "the second serves")
    second.stop()


def test_one_that_fails_leaves_the_others_alone(workers, databases, pg17, broker):
    db = databases(pg17)
    db.script("create table items (id int primary key)")
    worker = workers().start()
    worker.create("good", config_of(db))
    worker.create("bad", config_of(db, **{"slot.name": f"{db.name}_b", "publication.name": "nowhere",
                                          "publication.autocreate.mode": "disabled"}))
    worker.wait_state("bad", "RUNNING/FAILED")
    worker.wait_state("good", "RUNNING/RUNNING")
    db.script("insert into items values (1)")
    wait_until(lambda: published(broker, db) == [1], 30, "the other one streams")
    assert "nowhere" in worker.get("/connectors/bad/status")["tasks"][0]["trace"]
    worker.stop()


def test_a_configuration_that_is_taken_and_cannot_be_loaded_is_no_green_light(shop, broker):
    """As with Connect it is stored, and the task fails. What is printed is typed."""
    worker, db = shop("create table items (id int primary key)")
    status, _ = worker.ask("PATCH", "/connectors/shop/config", {"topic.creation.default.partitions": "1"})
    assert status == 200

    def failed():
        shown = [one for one in json.loads(ask(worker.port, "/status")[1])["resting"] if one["name"] == "shop"]
        return shown and shown[0]["state"] == "FAILED" and shown[0]["last_error"]
    error = wait_until(failed, 30, "it is shown")
    assert error["reason"] == "configuration_refused" and "topic.creation.default.replication.factor" in error["message"], error
    assert ask(worker.port, "/readyz")[0] == 503
    assert 'walduct_connector_state{connector="shop",state="failed"} 1' in ask(worker.port, "/metrics")[1]
    said = subprocess.run([BINARY, "status", "shop", "--url", worker.base], capture_output=True, text=True, timeout=60)
    assert said.returncode == 6 and "configuration_refused" in said.stdout and error["hint"] in said.stdout, said
    command = re.search(r"curl -X PATCH .*?\}'", error["hint"]).group(0).replace("VALUE", "-1")
    subprocess.run(["bash", "-ec", command], check=True, timeout=30, capture_output=True)
    worker.wait_state("shop", "RUNNING/RUNNING")
    db.script("insert into items values (1)")
    wait_until(lambda: published(broker, db) == [1], 60, "it streams")
    wait_until(lambda: ask(worker.port, "/readyz")[0] == 200, 30, "ready")
    worker.stop()


@pytest.mark.parametrize("change, says", [
    ({"group.id": None}, "'group.id'"),
    ({"config.storage.topic": None}, "'config.storage.topic'"),
    ({"config.storage.topic": "one", "offset.storage.topic": "one"}, "is the topic of offset.storage.topic too"),
    ({"listeners": "https://:8083"}, "'listeners.https.ssl.*'"),
    ({"listeners": "ftp://:8083"}, "'listeners'"),
    ({"admin.listeners": "8084"}, "'admin.listeners'"),
    ({"rest.extension.classes": "org.example.Auth"}, "'rest.extension.classes'"),
    ({"rest.extension.classes": "org.example.BasicAuthSecurityRestExtension"}, "'walduct.rest.login.config'"),
    ({"access.control.allow.origin": "https://*.example"}, "'access.control.allow.origin'"),
    ({"response.http.headers.config": "X-Frame-Options"}, "'response.http.headers.config'"),
])
def test_what_a_worker_cannot_do_is_refused(workers, change, says):
    worker = workers()
    worker.properties = {k: v for k, v in {**worker.properties, **change}.items() if v is not None}
    assert worker.begin().process.wait(30) == 2
    assert says in worker.log_text()


def test_a_signal_over_rest_is_carried_out(workers, databases, pg17, broker):
    db = databases(pg17)
    db.script("create table items (id int primary key); insert into items values (1), (2);"
              "create table signals (id text primary key, type text, data text)")
    worker = workers().start()
    worker.create("shop", config_of(db, **{"signal.data.collection": "public.signals"}))
    worker.wait_state("shop", "RUNNING/RUNNING")
    wait_until(lambda: published(broker, db) == [1, 2], 30, "the initial snapshot")
    status, answer = worker.ask("POST", "/connectors/shop/signal",
                                {"id": "again", "type": "execute-snapshot", "data": {"data-collections": ["public.items"]}})
    assert (status, answer) == (202, {"name": "shop", "id": "again", "written_to": 'table "public"."signals"'})
    wait_until(lambda: published(broker, db) == [1, 2, 1, 2], 30, "the rows once more")
    told = worker.get("/notifications?connector=shop")["connectors"][0]["notifications"]
    assert {n["type"] for n in told if n.get("aggregate_type") == "Incremental Snapshot"} >= {"STARTED", "IN_PROGRESS"}, told
    status, answer = worker.ask("POST", "/connectors/shop/signal", {"type": "execute-snapshot", "data": {}})
    assert status == 400 and "data-collections" in answer["message"], answer
    status, answer = worker.ask("POST", "/connectors/shop/signal", {"type": "execute-snapshot", "data": {"data-collections": ["public.nothing"]}})
    assert status == 400 and "no captured table" in answer["message"] and "hint" in answer["message"], answer
    worker.stop()
