"""Probes, status and the reading part of Connect's REST interface, of a real process."""
import json
import signal
import socket
import subprocess
import time

from support.http import Surface
from support.paths import BINARY
from support.wait import wait_until

LISTEN = ("--listen", "127.0.0.1:0")
TABLE = "create table items (id int primary key)"


def test_probes_of_a_process_that_streams(db, connectors):
    db.script(TABLE)
    connector = connectors(db, sink="file").start(*LISTEN).wait_streaming()
    surface = Surface(connector)
    assert surface.ask("/livez") == (200, "ok\n")
    assert surface.ask("/readyz") == (200, "ok\n")
    assert surface.ask("/health")[0] == 200
    assert surface.ask("/livez", method="HEAD") == (200, "")
    for path in ("/q/health", "/q/health/live", "/q/health/ready"):
        status, body = surface.ask(path)
        assert status == 200 and json.loads(body) == {"status": "UP", "checks": [{"name": "debezium", "status": "UP"}]}
    assert surface.ask("/q/health/other")[0] == 404
    connector.stop()


def test_ready_only_once_it_streams(private_servers, databases, connectors):
    """A database that is away: it lives and is not ready."""
    servers = private_servers(postgres=17)
    db = databases(servers.postgres)
    db.script(TABLE)
    connector = connectors(db, sink="file").start(*LISTEN).wait_streaming()
    surface = Surface(connector)
    servers.pg_ctl("stop", "-m", "fast")
    wait_until(lambda: surface.ask("/readyz")[0] == 503, 30, "not ready")
    status, body = surface.ask("/readyz")
    assert "RUNNING, " in body
    assert surface.ask("/livez?within=20")[0] == 200
    assert surface.ask("/q/health")[0] == 200
    status, body = surface.ask("/q/health/ready")
    told = json.loads(body)
    assert status == 503 and told["status"] == "DOWN" and "RUNNING, " in told["checks"][0]["data"]["why"]
    wait_until(lambda: surface.status().get("last_error"), 30, "the error")
    error = surface.status()["last_error"]
    assert error["reason"] and error["message"]
    assert surface.value("walduct_retries_total", reason=error["reason"]) >= 1
    servers.do("start-postgres")
    wait_until(lambda: surface.ask("/readyz")[0] == 200, 60, "ready again")
    connector.stop()


def test_several_connectors_fail_alone(databases, pg17, connectors, tmp_path):
    """One of two fails: the process lives, is not ready, and says which."""
    dbs = [databases(pg17), databases(pg17)]
    for db in dbs:
        db.script(TABLE)
    first, second = (connectors(db, sink="file") for db in dbs)
    second.config["publication.autocreate.mode"] = "disabled"
    second.config["publication.name"] = "missing"
    second.name = "failing"
    second.write_files()
    first.start("-f", second.dir / "connector.json", *LISTEN)
    surface = Surface(first)
    first.wait_log("a connector has failed; the others keep running")
    assert surface.ask("/livez")[0] == 200
    wait_until(lambda: surface.ask("/readyz")[1] == "failing: FAILED\n", 30, "only that one")
    assert surface.value("walduct_connector_state", connector="failing", state="failed") == 1
    assert surface.value("kafka_connect_worker_connector_failed_task_count", connector="failing") == 1
    failed = surface.json("/connectors/failing/status")
    assert failed["connector"]["state"] == "RUNNING" and failed["tasks"][0]["state"] == "FAILED"
    assert "missing" in failed["tasks"][0]["trace"]
    assert sorted(surface.json("/connectors")) == sorted([first.name, "failing"])
    first.process.send_signal(signal.SIGTERM)
    first.wait_exit()


def test_SEC_06_secrets_are_masked(db, connectors):
    db.script(TABLE)
    connector = connectors(db, sink="file").start(*LISTEN).wait_streaming()
    surface = Surface(connector)
    for path in (f"/connectors/{connector.name}/config", f"/connectors/{connector.name}", "/connectors?expand=info",
                 f"/connectors/{connector.name}/tasks"):
        status, body = surface.ask(path)
        assert status == 200 and '"database.password":"******"' in body
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        assert surface.ask(f"/connectors/{connector.name}/config", method=method)[0] == 405
    connector.stop()


def test_a_port_in_use_is_refused_before_anything_is_touched(db, connectors):
    db.script(TABLE)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        connector = connectors(db, sink="file")
        assert connector.run_to_end("--listen", f"127.0.0.1:{port}") == 3
        assert f"cannot listen on 127.0.0.1:{port}" in connector.log_text()
        assert connector.start(environment={"WALDUCT_LISTEN": f"127.0.0.1:{port}"}).wait_exit() == 3, "the image's way to ask for it"
    assert db.value("select count(*) from pg_replication_slots where database = current_database()") == 0


def test_an_option_wins_over_the_environment(db, connectors):
    db.script(TABLE)
    with socket.create_server(("127.0.0.1", 0)) as server:
        environment = {"WALDUCT_LISTEN": f"127.0.0.1:{server.getsockname()[1]}"}
        for how in (LISTEN, ("-o", "walduct.listen=127.0.0.1:0")):
            connector = connectors(db, sink="file").start(*how, environment=environment).wait_streaming()
            assert Surface(connector).ask("/livez") == (200, "ok\n")
            connector.stop()


def test_silent_clients_hold_nobody_up(db, connectors):
    """More connections than there are threads, none of which says a word."""
    db.script(TABLE)
    connector = connectors(db, sink="file").start(*LISTEN).wait_streaming()
    surface = Surface(connector)
    host, port = surface.base[len("http://"):].split(":")
    silent = [socket.create_connection((host, int(port))) for _ in range(12)]
    begin = time.monotonic()
    assert surface.ask("/livez")[0] == 200
    assert time.monotonic() - begin < 9
    db.execute("insert into items values (1)")
    connector.wait_events(1)
    for one in silent:
        one.close()
    connector.stop()


def test_why_nobody_can_look_at_slot_and_catalog_is_told(db, connectors):
    """The sessions that are there go on, a new one for a look is refused: cause, since when, exit code, series; ready all the same."""
    role = f"r_{db.name}"
    db.script(f"{TABLE}; create publication given for table items; create role {role} login replication password 'x'; grant select on items to {role}")
    try:
        connector = connectors(db, {
            "database.user": role, "database.password": "x", "publication.name": "given", "publication.autocreate.mode": "disabled",
            "snapshot.mode": "no_data", "walduct.stall.warn.ms": "1000"}, sink="file").start(*LISTEN).wait_streaming()
        surface = Surface(connector)
        wait_until(lambda: surface.value("walduct_beside_failing_seconds", what="catalog_look") == 0, 20, "it was looked at")
        db.execute(f"alter role {role} connection limit 1")
        beside = wait_until(lambda: {one["what"]: one for one in surface.status().get("beside", [])}, 20, "told")
        assert set(beside) == {"slot_look", "catalog_look"}, beside
        assert "too many connections" in beside["slot_look"]["message"] and "CONNECTION LIMIT" in beside["slot_look"]["hint"], beside
        shown = subprocess.run([str(BINARY), "status", "--url", surface.base], capture_output=True, text=True, timeout=30)
        assert shown.returncode == 7 and "slot_look has failed for" in shown.stdout and "WAL after the stored position is not known" in shown.stdout, shown
        assert surface.ask("/readyz") == (200, "ok\n"), "a restart would mend nothing"
        connector.wait_log(rf"cannot look at the replication slot: .*too many connections.*ALTER ROLE .{{0,1}}\"{role}.{{0,1}}\" CONNECTION LIMIT -1")
        connector.wait_log("cannot look at the catalog: .*too many connections")
        wait_until(lambda: surface.value("walduct_beside_failing_seconds", what="slot_look") > 0, 10, "since when")
        db.execute(f"alter role {role} connection limit -1")
        wait_until(lambda: not surface.status().get("beside"), 20, "over")
        connector.wait_log("the replication slot is looked at again")
        connector.wait_log("captured tables are looked after again")
        db.execute(f"alter role {role} nologin")
        login = f'ALTER ROLE "{role}" LOGIN; where there is no such role, CREATE ROLE "{role}" LOGIN'
        wait_until(lambda: {one["what"]: one["hint"] for one in surface.status().get("beside", [])}.get("slot_look") == login, 20, "with the role's name")
        connector.wait_log(rf"cannot look at the replication slot: .*ALTER ROLE .{{0,1}}\"{role}.{{0,1}}\" LOGIN")
        db.execute(f"alter role {role} login")
        connector.stop()
    finally:
        db.execute("drop publication given")
        db.script(f"drop owned by {role}; drop role {role}")
