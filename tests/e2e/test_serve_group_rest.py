"""The REST interface of a group that shares its connectors: any worker answers; and workers that come back."""
import json
import os
import signal
import subprocess
import time

from serve.group_player import GroupPlayer
from support import servers
from support.paths import BINARY
from support.wait import wait_until
from test_serve import QUICK, config_of, published, recordings, workers  # noqa: F401

# Some seconds each; E2E_GROUP_REST=all plays those that take longer, too. Levels of loggers are a worker's own.
PLAYED = set(recordings.scenario_names()) if os.environ.get("E2E_GROUP_REST") == "all" else set(QUICK)
PLAYED -= {"loggers"}


def worker_of(worker, name):
    status, body = worker.ask("GET", f"/connectors/{name}/status")
    return body["connector"]["worker_id"] if status == 200 and body["connector"]["state"] == "RUNNING" else None


def test_any_worker_does_what_is_asked_for(workers, databases, pg17, broker):  # noqa: F811
    group = [workers() for _ in range(2)]
    for worker in group:
        worker.properties["walduct.group.share"] = "true"
    leader, other = [worker.start() for worker in group]
    dbs = [databases(pg17) for _ in range(2)]
    for db in dbs:
        db.script("create table items (id int primary key); insert into items values (1)")
    for name, db in zip("ab", dbs):
        other.create(name, config_of(db))
    for worker in group:
        for name in "ab":
            worker.wait_state(name, "RUNNING/RUNNING")
    assert {worker_of(leader, name) for name in "ab"} == {f"127.0.0.1:{worker.port}" for worker in group}
    for name in "ab":
        assert worker_of(leader, name) == worker_of(other, name)
    # What the leader does, and what the owner does, asked of each.
    for asked, told in ((leader, other), (other, leader)):
        for name in "ab":
            assert asked.ask("PUT", f"/connectors/{name}/pause")[0] == 202
            told.wait_state(name, "PAUSED/PAUSED")
            assert asked.ask("PUT", f"/connectors/{name}/resume")[0] == 202
            told.wait_state(name, "RUNNING/RUNNING")
            assert asked.ask("POST", f"/connectors/{name}/tasks/0/restart")[0] == 204
            assert asked.ask("POST", f"/connectors/{name}/restart?includeTasks=true")[0] == 202
            told.wait_state(name, "RUNNING/RUNNING")
            assert asked.ask("GET", f"/connectors/{name}/doctor")[0] == 200
            assert asked.ask("PUT", f"/connectors/{name}/stop")[0] == 204
            told.wait_state(name, "STOPPED")
            assert asked.ask("DELETE", f"/connectors/{name}/offsets")[0] == 200
            assert asked.ask("PUT", f"/connectors/{name}/resume")[0] == 202
            told.wait_state(name, "RUNNING/RUNNING")
    status, body = other.ask("PUT", "/connectors/a/config", config_of(dbs[0], **{"snapshot.mode": "no_data"}))
    assert status == 200 and body["config"]["snapshot.mode"] == "no_data"
    wait_until(lambda: leader.get("/connectors/a/config") == other.get("/connectors/a/config"), 10, "the same configuration")
    assert leader.get("/") == other.get("/")
    # Levels of loggers for all, asked of the one that does not lead.
    assert other.ask("PUT", "/admin/loggers/walduct.registry?scope=cluster", {"level": "DEBUG"})[0] == 204
    wait_until(lambda: leader.get("/admin/loggers/walduct.registry")["level"] == "DEBUG", 10, "the level goes to all")
    shares = [json.loads(worker.ask_text("/status")[1])["worker"]["shares"] for worker in group]
    for one, worker in zip(shares, group):
        assert [w["address"] for w in one["workers"] if w["self"]] == [f"127.0.0.1:{worker.port}"]
        assert [w["address"] for w in one["workers"] if w["leads"]] == [f"127.0.0.1:{leader.port}"]
        assert sorted(w["connectors"] for w in one["workers"]) == [1, 1] and one["unassigned"] == []
    assert f'walduct_group_workers{{group="{group[0].properties["group.id"]}"}} 2' in other.ask_text("/metrics")[1]
    assert other.ask("DELETE", "/connectors/a")[0] == 204
    for worker in group:
        wait_until(lambda: worker.get("/connectors") == ["b"], 10, "one connector is gone")
        wait_until(lambda: worker.ask("GET", "/connectors/a/status")[0] == 404, 10, "its state is gone")
    assert other.ask("PUT", "/connectors/none/pause")[0] == 404
    # The leader ends: the other one leads, and has what is left.
    leader.stop()
    other.wait_state("b", "RUNNING/RUNNING")
    wait_until(lambda: worker_of(other, "b") == f"127.0.0.1:{other.port}", 20, "it moves")
    dbs[1].execute("insert into items values (2)")
    wait_until(lambda: 2 in published(broker, dbs[1]), 30, "its rows come")
    other.create("a", config_of(dbs[0]))
    other.stop()


def walduct(*arguments):
    return subprocess.run([str(BINARY), *map(str, arguments)], capture_output=True, text=True, timeout=90)


def test_any_worker_tells_of_any_connector(workers, databases, pg17):  # noqa: F811
    """`walduct status NAME`, levers and the console, asked of the worker that does not run it."""
    group = [workers() for _ in range(2)]
    for worker in group:
        worker.properties["walduct.group.share"] = "true"
        worker.start()
    db = databases(pg17)
    db.script("create table items (id int primary key); create publication by_hand for table items")
    group[0].create("shop", config_of(db, **{"publication.name": "by_hand", "publication.autocreate.mode": "disabled"}))
    for worker in group:
        worker.wait_state("shop", "RUNNING/RUNNING")
    wait_until(lambda: "streaming" in walduct("status", "shop", "--url", group[0].base).stdout, 30, "it streams")
    owner, other = sorted(group, key=lambda worker: worker_of(worker, "shop") != f"127.0.0.1:{worker.port}")
    shown = walduct("status", "--url", other.base)
    assert f"127.0.0.1:{owner.port}: 1 connector (shop)" in shown.stdout and "this worker has no connectors" in shown.stdout, shown
    shown = walduct("status", "shop", "--url", other.base)
    assert shown.returncode == 0 and "shop  RUNNING for " in shown.stdout and "streaming" in shown.stdout, shown
    nobody = walduct("status", "nobody", "--url", other.base)
    assert nobody.returncode != 0 and "no connector is named 'nobody'" in nobody.stderr, nobody

    def row(worker):
        return json.loads(worker.ask_text("/console/list")[1])["rows"][0]
    assert (row(owner)["word"], row(owner).get("on")) == ("RUNNING", None)
    assert {key: row(other)[key] for key in ("word", "kind", "on", "url")} == {
        "word": "RUNNING", "kind": "good", "on": f"127.0.0.1:{owner.port}", "url": owner.base}
    done = walduct("restart", "shop", "--url", other.base)
    assert (done.returncode, done.stdout) == (0, "shop: was RUNNING, is RUNNING\n"), done
    db.execute("drop publication by_hand")
    done = walduct("restart", "shop", "--url", other.base)
    assert done.returncode == 3 and "shop was RUNNING, is FAILED: " in done.stderr and "by_hand" in done.stderr, done
    assert walduct("status", "shop", "--url", other.base).returncode == 6
    explained = walduct("explain", "shop", "--url", other.base)
    assert explained.returncode == 0 and "by_hand" in explained.stdout, explained
    wait_until(lambda: row(other)["word"] == "FAILED", 10, "the console of the other one says it, too")
    owner.process.send_signal(signal.SIGSTOP)
    try:
        said = [walduct(verb, "shop", "--url", other.base) for verb in ("status", "explain")]
    finally:
        owner.process.send_signal(signal.SIGCONT)
    for silent in said:
        assert silent.returncode != 0 and f"The worker at {owner.base}, which has this connector, does not answer" in silent.stderr, silent
    for worker in group:
        worker.stop()


def test_answers_of_a_group_are_those_of_kafka_connect(workers):  # noqa: F811
    """Recordings of a single worker of Connect, played against three of ours, of whom each is asked in turn."""
    group = [workers() for _ in range(3)]
    for worker in group:
        worker.properties["walduct.group.share"] = "true"
        worker.start("--log-level", "warn")
    own = servers.shared("pg17", postgres=17)
    differences = {name: recordings.replay(name, [worker.base for worker in group], own.postgres, GroupPlayer) for name in sorted(PLAYED)}
    assert not any(differences.values()), json.dumps({k: v for k, v in differences.items() if v}, indent=1)
    for worker in group:
        worker.stop()


def test_a_worker_with_a_name_of_its_own_comes_back_to_its_connectors(workers, databases, pg17, broker):  # noqa: F811
    """By name. walduct.group.instance.id: nothing moves while one is away for less than a session."""
    group = [workers() for _ in range(2)]
    for i, worker in enumerate(group):
        worker.properties.update({"walduct.group.share": "true", "walduct.group.instance.id": f"worker-{i}"})
    first, second = [worker.start() for worker in group]
    dbs = [databases(pg17) for _ in range(2)]
    for name, db in zip("ab", dbs):
        db.script("create table items (id int primary key); insert into items values (1)")
        first.create(name, config_of(db))
        first.wait_state(name, "RUNNING/RUNNING")
    wait_until(lambda: {worker_of(first, name) for name in "ab"} == {f"127.0.0.1:{w.port}" for w in group}, 30, "one each")
    owners = {name: worker_of(first, name) for name in "ab"}

    def moves(worker):
        return len(json.loads(worker.ask_text("/status")[1])["worker"]["shares"]["moves"])
    for again, (victim, other, end) in enumerate(((second, first, second.stop), (first, second, first.kill)), start=2):
        before = moves(other)
        end()
        time.sleep(1)
        victim.start()
        for name, db in zip("ab", dbs):
            victim.wait_state(name, "RUNNING/RUNNING", 20)
            db.execute("insert into items values (%s)", again)
        for db in dbs:
            wait_until(lambda db=db, again=again: again in published(broker, db), 20, "its rows come")
        assert {name: worker_of(other, name) for name in "ab"} == owners
        assert moves(other) == before
    for worker in group:
        assert "another worker serves the group" not in worker.log_text(), "nobody is to be stopped"
    # One more of the same name: the later one has it, the first one ends and says why.
    twin = workers()
    twin.properties.update({"walduct.group.share": "true", "walduct.group.instance.id": "worker-1"})
    twin.begin()
    assert second.process.wait(60) == 3 and "walduct.group.instance.id=worker-1" in second.log_text()
    twin.kill()
    first.stop()
