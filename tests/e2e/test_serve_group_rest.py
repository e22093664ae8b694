"""The REST interface of a group that shares its connectors: any worker answers."""
from support.wait import wait_until
from test_serve import config_of, published, workers  # noqa: F401


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
