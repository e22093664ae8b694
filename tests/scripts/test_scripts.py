"""What scripts/servers, scripts/deps and scripts/quickstart promise."""
import contextlib
import json
import socket
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from support.servers import private

ROOT = Path(__file__).resolve().parents[2]


def connect(env, password="postgres"):
    return psycopg.connect(host=env["PG_HOST"], port=env["PG_PORT"], user=env["PG_USER"], password=password,
                           dbname="postgres", autocommit=True)


@contextlib.contextmanager
def servers_of_this_test(**what):
    servers = private(**what)
    try:
        yield servers
    finally:
        servers.remove()


@pytest.fixture
def taken_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        yield s.getsockname()[1]


def run(script, *arguments, **kwargs):
    return subprocess.run([ROOT / "scripts" / script, *map(str, arguments)], capture_output=True, text=True, **kwargs)


@pytest.mark.parametrize("version", [15, 17, 18])
def test_postgres_is_ready_for_logical_replication(version):
    with servers_of_this_test(postgres=version) as servers, connect(servers.values) as db:
        assert db.info.server_version // 10000 == version
        settings = [db.execute(f"show {name}").fetchone()[0]
                    for name in ("wal_level", "max_replication_slots", "timezone", "server_encoding")]
        assert settings == ["logical", "64", "UTC", "UTF8"]


def test_postgres_refuses_a_wrong_password():
    with servers_of_this_test(postgres=15) as servers:
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            connect(servers.values, password="wrong")


def test_postgres_settings_can_be_changed():
    with servers_of_this_test(postgres=15, pg_set={"wal_level": "replica"}) as servers:
        with connect(servers.values) as db:
            assert db.execute("show wal_level").fetchone()[0] == "replica"


@pytest.mark.parametrize("ways", [["restart-postgres"], ["stop-postgres", "start-postgres"],
                                  ["kill-postgres", "start-postgres"]])
def test_postgres_keeps_data_and_port(ways):
    with servers_of_this_test(postgres=15) as servers:
        with connect(servers.values) as db:
            db.execute("create table kept (id int)")
        for way in ways:
            servers.do(way)
        with connect(servers.values) as db:
            db.execute("select * from kept")


@pytest.mark.parametrize("version", [15, 18])
def test_a_postgres_that_is_copied_is_a_cluster_of_its_own(version):
    """Its identifier is new, and its upper half the time when it was made: what reads both takes no cluster for another."""
    begin, found = int(time.time()), []
    for _ in range(2):
        with servers_of_this_test(postgres=version) as servers, connect(servers.values) as db:
            found.append(db.execute("select system_identifier from pg_control_system()").fetchone()[0])
            db.execute("create table kept (id int)")
            servers.do("kill-postgres")
            servers.do("start-postgres")
            with connect(servers.values) as again:
                again.execute("select * from kept")
    assert found[0] != found[1]
    assert all(begin <= identifier >> 32 <= time.time() for identifier in found), found


def test_kafka_keeps_topics_and_port():
    with servers_of_this_test(kafka=True) as servers:
        admin = AdminClient({"bootstrap.servers": servers.values["KAFKA_BOOTSTRAP"], "log_level": 0})
        admin.create_topics([NewTopic("kept", 1)])["kept"].result(30)
        servers.do("stop-kafka")
        servers.do("start-kafka")
        admin = AdminClient({"bootstrap.servers": servers.values["KAFKA_BOOTSTRAP"], "log_level": 0})
        assert "kept" in admin.list_topics(timeout=30).topics
        # Nor is what a broker has loaded read and checked again by the next one.
        assert ".deps/cache/kafka/" in Path(f"/proc/{servers.broker}/maps").read_text()


@pytest.mark.parametrize("options", [["--postgres", 15, "--pg-port"], ["--kafka", "--kafka-port"]])
def test_taken_port_is_one_line(tmp_path, taken_port, options):
    done = run("servers", "start", "--dir", tmp_path / "s", *options, taken_port)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1 and f"port {taken_port}" in done.stderr


def test_start_failure_shows_the_end_of_the_log(tmp_path):
    directory = tmp_path / "s"
    done = run("servers", "start", "--dir", directory, "--postgres", 15, "--pg-set", "no_such_setting=1")
    run("servers", "remove", "--dir", directory)
    assert done.returncode == 1
    assert "no_such_setting" in done.stderr


def test_remove_leaves_nothing():
    with servers_of_this_test(postgres=15) as servers:
        data = Path(servers.values["PG_DATA"])
    assert not servers.dir.exists() and not data.exists()


def test_deps_with_nothing_to_do_takes_less_than_a_second():
    run("deps")
    begin = time.monotonic()
    done = run("deps")
    assert (done.returncode, done.stdout) == (0, "")
    assert time.monotonic() - begin < 1


def test_deps_names_an_unknown_argument():
    done = run("deps", "mongodb")
    assert done.returncode == 1
    assert done.stderr.splitlines() == ["deps: error: unknown argument 'mongodb'; see scripts/deps --help"]


def test_quickstart_names_a_taken_port(taken_port):
    tour = [sys.executable, ROOT / "scripts/quickstart_tour.py", "--once", "--pg-port", str(taken_port)]
    done = subprocess.run(tour, capture_output=True, text=True)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1 and f"port {taken_port}" in done.stderr


def test_root_runs_postgres_where_its_user_cannot_go(tmp_path):
    """pytest's folders are closed to other users, as /root is: the cluster then lives in /tmp, and goes with remove."""
    directory = tmp_path / "s"
    assert run("servers", "start", "--dir", directory, "--postgres", 17).returncode == 0
    data = Path(json.loads((directory / "servers.json").read_text())["PG_DATA"])
    assert run("servers", "stop", "--dir", directory).returncode == 0
    assert run("servers", "start-postgres", "--dir", directory).returncode == 0
    assert run("servers", "remove", "--dir", directory).returncode == 0
    assert not data.exists() and not directory.exists()
