"""`walduct serve` while Kafka is away: nothing ends, everything says so, and all goes on alone."""
import json
import os
import signal
import subprocess
import time
import uuid

import pytest

from chaos.proxy import Proxy
from support.debezium import free_port
from support.http import ask
from support.kafka import TopicReader
from support.paths import BINARY
from support.serve import Worker
from support.servers import free_ports
from support.wait import wait_until
from test_serve import config_of, workers  # noqa: F401

# Longer than the group's session of 10 s; ten minutes by name: E2E_SERVE_OUTAGE_S=600.
OUTAGE_S = int(os.environ.get("E2E_SERVE_OUTAGE_S", "0"))
# How often Kafka stands still for 13 s.
ROUNDS = int(os.environ.get("E2E_SERVE_SUSPENDED", "0"))
WAITS, STANDS_BY = 8, 9


def walduct(*arguments):
    return subprocess.run([str(BINARY), *map(str, arguments)], capture_output=True, text=True, timeout=90)


def status(worker, *arguments):
    return walduct("status", "--url", worker.base, *arguments)


def series(worker, name):
    """{labels: value}"""
    lines = [line for line in page(worker, "/metrics")[1].splitlines() if line.startswith(name)]
    return {line[len(name):].rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in lines}


def page(worker, path):
    return ask(worker.port, path)[:2]


def waits_for(worker):
    return json.loads(page(worker, "/status")[1])["worker"].get("waiting_for")


@pytest.fixture
def worker_of(tmp_path):
    """Makes workers of other brokers than the shared one."""
    made = []

    def make(bootstrap):
        made.append(Worker(tmp_path / f"worker{len(made)}", bootstrap, f"outage-{uuid.uuid4().hex[:8]}"))
        return made[-1]
    yield make
    for one in made:
        one.kill()


def ids(bootstrap, topic):
    reader = TopicReader(bootstrap, topic)
    try:
        return [json.loads(event.value)["after"]["id"] for event in reader.read() if event.value]
    finally:
        reader.close()


@pytest.mark.parametrize("shares", ["false", "true"], ids=["one-seat", "shares"])
def test_kafka_is_away_for_longer_than_the_seats_session(shares, private_servers, databases, pg17, worker_of):
    """One connector with exactly once, one without. By name the worker is also started while Kafka is away. shares: one that is alone in a
    group whose workers would share."""
    servers = private_servers(kafka=True)
    db = databases(pg17)
    db.script("create table items (id int primary key); create table others (id int primary key)")
    worker = worker_of(servers.bootstrap)
    worker.properties["walduct.group.share"] = shares
    if OUTAGE_S:
        servers.do("stop-kafka")
        worker.begin()
        wait_until(lambda: "waiting for Kafka" in worker.log_text(), 60, "it waits for Kafka")
        assert status(worker).returncode == WAITS
        servers.do("start-kafka")
        wait_until(worker.healthy, 90, "it serves, alone")
    else:
        worker.start()
    common = {"publication.name": f"{db.name}_p", "publication.autocreate.mode": "all_tables"}
    worker.create("plain", config_of(db, **common))
    worker.create("once", config_of(db, **{**common, "slot.name": f"{db.name}_o", "topic.prefix": f"{db.name}o",
                                           "table.include.list": "public.others", "exactly.once.support": "required"}))
    for name in ("plain", "once"):
        worker.wait_state(name, "RUNNING/RUNNING")
    topics = {"items": f"{db.name}.public.items", "others": f"{db.name}o.public.others"}
    for table in topics:
        db.execute(f"insert into {table} values (1)")
    for topic in topics.values():
        wait_until(lambda: ids(servers.bootstrap, topic) == [1], 60, f"a record of {topic}")
    assert status(worker).returncode == 0
    sessions = active_pids(db)

    servers.do("stop-kafka")
    begin = time.monotonic()
    code, answer = worker.ask("PUT", "/connectors/plain/resume")  # before anybody knows
    assert code == 503 and ("has been away since" in answer["message"] or "may have been stored" in answer["message"]), answer
    assert time.monotonic() - begin < 45, "it waited for Kafka"  # that is for minutes
    rows = 1

    def write():
        nonlocal rows
        rows += 1
        for table in topics:
            db.execute(f"insert into {table} values ({rows})")
        return rows
    write()
    wait_until(lambda: waits_for(worker) == "kafka", 15, "it says that Kafka is away")
    assert status(worker).returncode == WAITS
    for lever in ("pause", "restart", "stop"):
        pulled = walduct(lever, "plain", "--url", worker.base)
        assert pulled.returncode == 3 and "has been away since" in pulled.stderr and "nothing is changed" in pulled.stderr, pulled
    code, answer = worker.ask("PUT", "/connectors/plain/pause")
    assert code == 503 and answer["error_code"] == 503 and "has been away since" in answer["message"], answer
    assert worker.ask("GET", "/connectors/plain/offsets")[0] == 503
    wait_until(lambda: series(worker, "walduct_stalled") == {'{connector="once"}': 1, '{connector="plain"}': 1}, 60, "both say so")
    # The seat is lost by the session's end, and nothing ends.
    while time.monotonic() - begin < max(15, OUTAGE_S):
        write()
        assert worker.process.poll() is None, worker.log_text()[-3000:]
        time.sleep(1)
    assert {worker.state(name) for name in ("plain", "once")} == {"RUNNING/RUNNING"}
    assert active_pids(db) == sessions, "a stream was lost while Kafka was away"
    screen = status(worker)
    assert screen.returncode == WAITS and "worker  SERVING" in screen.stdout, screen
    assert f"for Kafka at {servers.bootstrap}, which does not answer" in screen.stdout and "stalled" in screen.stdout, screen.stdout
    ready, text = page(worker, "/readyz")
    assert ready == 503 and "the worker waits for Kafka" in text and "plain: stalled" in text, text
    assert page(worker, "/livez")[0] == 200 and worker.ask("GET", "/health")[0] == 200
    waited = series(worker, "walduct_worker_waiting_seconds")
    assert list(waited) == ['{for="kafka"}'] and waited['{for="kafka"}'] > max(5, OUTAGE_S - 15), waited
    assert series(worker, "walduct_worker_state") == {'{state="serving"}': 1, '{state="waiting"}': 0}
    peak = next(line for line in open(f"/proc/{worker.process.pid}/status") if line.startswith("VmHWM"))

    servers.do("start-kafka")
    wait_until(lambda: status(worker).returncode == 0, 90, "the seat is back, alone")
    if shares == "true":
        wait_until(lambda: list(series(worker, "walduct_group_leads").values()) == [1], 30, "it leads again")
    write()
    for name, topic in zip(("plain", "once"), topics.values()):
        wait_until(lambda: set(ids(servers.bootstrap, topic)) == set(range(1, rows + 1)), 90, f"all rows of {topic}")
        worker.wait_state(name, "RUNNING/RUNNING")
    assert ids(servers.bootstrap, topics["others"]) == list(range(1, rows + 1)), "exactly once"
    seen = ids(servers.bootstrap, topics["items"])
    assert list(dict.fromkeys(seen)) == list(range(1, rows + 1)), "in order"
    wait_until(lambda: page(worker, "/readyz")[0] == 200, 60, "ready again")
    assert series(worker, "walduct_worker_waiting_seconds") == {}
    paused = walduct("pause", "plain", "--url", worker.base)
    assert (paused.returncode, paused.stdout) == (0, "plain: was RUNNING, is PAUSED\n"), paused
    print(f"away for {max(15, OUTAGE_S)} s, {rows} rows each, {len(seen) - rows} repeated without exactly once, {peak.strip()}")
    worker.stop()


def active_pids(db):
    return db.execute("select slot_name, active_pid from pg_replication_slots where database = current_database() order by 1")


@pytest.mark.parametrize("address", ["127.0.0.1:PORT", "nobody.invalid:9092"])
def test_a_worker_that_is_started_while_kafka_is_away(address, worker_of):
    """A closed port, and a name that does not resolve."""
    worker = worker_of(address.replace("PORT", str(free_port()))).begin()
    wait_until(lambda: answers(worker) and "waiting for Kafka" in worker.log_text(), 60, "it waits for Kafka")
    screen = status(worker)
    assert screen.returncode == WAITS and "no connectors" not in screen.stdout, screen
    assert "worker  WAITING for" in screen.stdout and "for Kafka at" in screen.stdout and "hint" in screen.stdout, screen.stdout
    assert status(worker, "--json").returncode == WAITS and status(worker, "shop").returncode == WAITS
    assert status(worker, "--ready").returncode == 1 and status(worker, "--alive").returncode == 0
    ready, text = page(worker, "/readyz")
    assert ready == 503 and text.startswith("the worker waits for Kafka at"), text
    assert list(series(worker, "walduct_worker_waiting_seconds")) == ['{for="kafka"}']
    assert series(worker, "walduct_worker_state") == {'{state="serving"}': 0, '{state="waiting"}': 1}
    pulled = walduct("pause", "shop", "--url", worker.base)
    assert pulled.returncode == 3 and "waits for Kafka at" in pulled.stderr, pulled
    code, health = worker.ask("GET", "/health")
    assert code == 503 and "waits for Kafka" in health["message"], health
    assert worker.process.poll() is None
    worker.stop()


def answers(worker):
    try:
        return page(worker, "/livez")[0] == 200
    except OSError:
        return False


def test_the_seat_is_given_up_to_the_worker_that_has_it(workers):  # noqa: F811
    """One that stood still for longer than its session: the other serves, and the first stands by when it wakes."""
    first = workers().start()
    second = workers().begin()
    wait_until(lambda: answers(second) and waits_for(second) == "seat", 60, "the second stands by")
    screen = status(second)
    assert screen.returncode == STANDS_BY and f"another worker (127.0.0.1:{first.port} at" in screen.stdout, screen
    assert page(second, "/readyz")[0] == 503
    assert list(series(second, "walduct_worker_waiting_seconds")) == ['{for="seat"}']
    refused = walduct("restart", "shop", "--url", second.base)
    assert refused.returncode == 3 and "serves the group" in refused.stderr, refused
    os.kill(first.process.pid, signal.SIGSTOP)
    try:
        wait_until(second.healthy, 60, "the second serves")
    finally:
        os.kill(first.process.pid, signal.SIGCONT)
    wait_until(lambda: waits_for(first) == "seat", 60, "the first stands by")
    assert first.ask("GET", "/connectors")[0] == 503 and first.process.poll() is None
    assert status(first).returncode == STANDS_BY and status(second).returncode == 0
    second.stop()
    wait_until(first.healthy, 60, "the first serves again")
    first.stop()


by_name = pytest.mark.skipif(not OUTAGE_S, reason="a minute and more: E2E_SERVE_OUTAGE_S")


@by_name
def test_a_pair_of_workers_and_kafka_is_away(private_servers, databases, pg17, worker_of):
    """The one that serves may be cut off alone: it lets its slots go after half a minute. One of the two serves afterwards."""
    servers = private_servers(kafka=True)
    db = databases(pg17)
    db.script("create table items (id int primary key)")
    first = worker_of(servers.bootstrap).start()
    second = worker_of(servers.bootstrap)
    second.properties = {**first.properties, "listeners": second.properties["listeners"]}
    second.begin()
    wait_until(lambda: answers(second) and waits_for(second) == "seat", 60, "the second stands by")
    first.create("shop", config_of(db))
    first.wait_state("shop", "RUNNING/RUNNING")
    topic = f"{db.name}.public.items"
    db.execute("insert into items values (1)")
    wait_until(lambda: ids(servers.bootstrap, topic) == [1], 60, "a record")
    wait_until(lambda: "walduct_worker_waiting" not in page(first, "/metrics")[1], 30, "asked since the second came")
    time.sleep(11)  # until the group was asked for its members once more
    servers.do("stop-kafka")
    begin = time.monotonic()
    db.execute("insert into items values (2)")
    wait_until(lambda: db.slot(db.name)["active"] is False, 90, "the slot is let go")
    print(f"let go after {time.monotonic() - begin:.0f} s")
    assert "may have taken over" in status(first).stdout and status(first).returncode == WAITS, status(first)
    assert status(second).returncode == WAITS
    servers.do("start-kafka")
    wait_until(lambda: sorted([status(first).returncode, status(second).returncode]) == [0, STANDS_BY], 90, "one serves")
    db.execute("insert into items values (3)")
    wait_until(lambda: set(ids(servers.bootstrap, topic)) == {1, 2, 3}, 90, "all rows")
    for one in (first, second):
        one.stop()


@pytest.mark.skipif(not ROUNDS, reason="half a minute a round: E2E_SERVE_SUSPENDED=10")
def test_kafka_is_suspended_again_and_again(private_servers, databases, pg17, worker_of):
    """For longer than the seat's session, as a machine that is moved: the connections stay, and nothing is answered."""
    servers = private_servers(kafka=True)
    db = databases(pg17)
    db.script("create table items (id int primary key)")
    worker = worker_of(servers.bootstrap).start()
    worker.create("shop", config_of(db))
    worker.wait_state("shop", "RUNNING/RUNNING")
    topic, took = f"{db.name}.public.items", []
    for row in range(1, ROUNDS + 1):
        servers.pause_kafka()
        time.sleep(13)
        servers.resume_kafka()
        begin = time.monotonic()
        db.execute(f"insert into items values ({row})")
        wait_until(lambda: status(worker).returncode == 0, 90, f"round {row}: the seat is back")
        wait_until(lambda: row in ids(servers.bootstrap, topic), 60, f"round {row}: its record")
        took.append(round(time.monotonic() - begin))
        assert worker.state("shop") == "RUNNING/RUNNING" and waits_for(worker) is None
        paused = walduct("pause", "shop", "--url", worker.base)
        assert paused.returncode == 0, paused
        assert walduct("resume", "shop", "--url", worker.base).returncode == 0
    print(f"all went on after {took} s")
    assert list(dict.fromkeys(ids(servers.bootstrap, topic))) == list(range(1, ROUNDS + 1))
    worker.stop()


@by_name
def test_brokers_go_away_one_by_one(private_servers, databases, pg17, worker_of):
    """With the group's coordinator on either: what a broker still takes is published, and nothing ends."""
    first = private_servers(kafka=True)
    port = free_port()
    second = private_servers(kafka=True, kafka_set={
        "process.roles": "broker", "node.id": "2", "controller.quorum.voters": f"1@127.0.0.1:{first.values['KAFKA_CONTROLLER_PORT']}",
        "listeners": f"PLAINTEXT://127.0.0.1:{port}", "advertised.listeners": f"PLAINTEXT://127.0.0.1:{port}"})
    bootstrap = f"{first.bootstrap},127.0.0.1:{port}"
    db = databases(pg17)
    db.script("create table items (id int primary key)")
    worker = worker_of(bootstrap)
    for kind in ("config", "offset", "status"):
        worker.properties[f"{kind}.storage.replication.factor"] = "2"
    worker.start()
    worker.create("shop", config_of(db, **{"topic.creation.default.replication.factor": "2",
                                           "topic.creation.default.partitions": "1"}))
    worker.wait_state("shop", "RUNNING/RUNNING")
    topic, rows = f"{db.name}.public.items", 0

    def pass_time(seconds):
        nonlocal rows
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            rows += 1
            db.execute(f"insert into items values ({rows})")
            assert worker.process.poll() is None, worker.log_text()[-3000:]
            time.sleep(1)
    pass_time(5)
    second.do("kill-kafka")
    pass_time(40)
    seen = len(ids(first.bootstrap, topic))
    print(f"{seen} of {rows} rows while the first broker was alone; the worker waited for {waits_for(worker)}")
    first.do("kill-kafka")
    pass_time(40)
    assert status(worker).returncode == WAITS and worker.state("shop") == "RUNNING/RUNNING"
    first.do("start-kafka")
    second.do("start-kafka")
    wait_until(lambda: status(worker).returncode == 0, 120, "the seat is back")
    pass_time(2)
    wait_until(lambda: set(ids(bootstrap, topic)) == set(range(1, rows + 1)), 120, "all rows")
    worker.stop()


@by_name
def test_a_worker_that_is_cut_off_alone(private_servers, databases, pg17, worker_of):
    """It cannot know it, and lets its slots go to the one that has the seat now; when it hears Kafka again it stands by."""
    servers = private_servers(kafka=True)
    proxied, = free_ports(1)
    proxy = Proxy("127.0.0.1", proxied)
    servers.do("stop-kafka")
    file = servers.dir / "kafka.properties"
    more = {"listeners": f"PROXIED://127.0.0.1:{proxied}", "advertised.listeners": f"PROXIED://127.0.0.1:{proxy.port}"}
    lines = [f"{line},{more[line.split('=')[0]]}" if line.split("=")[0] in more else line for line in file.read_text().splitlines()]
    lines.append("listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,PROXIED:PLAINTEXT")
    file.write_text("\n".join(lines) + "\n")
    servers.do("start-kafka")
    db = databases(pg17)
    db.script("create table items (id int primary key)")
    first, second = worker_of(f"127.0.0.1:{proxy.port}").start(), worker_of(servers.bootstrap)
    second.properties = {**first.properties, "listeners": second.properties["listeners"], "bootstrap.servers": servers.bootstrap}
    second.begin()
    wait_until(lambda: answers(second) and waits_for(second) == "seat", 60, "the second stands by")
    first.create("shop", config_of(db))
    first.wait_state("shop", "RUNNING/RUNNING")
    topic = f"{db.name}.public.items"
    db.execute("insert into items values (1)")
    wait_until(lambda: ids(servers.bootstrap, topic) == [1], 60, "a record")
    time.sleep(11)  # until the group was asked for its members once more
    proxy.stall()
    begin = time.monotonic()
    db.execute("insert into items values (2)")
    wait_until(second.healthy, 60, "the second serves")
    wait_until(lambda: 2 in ids(servers.bootstrap, topic), 120, "and streams")
    print(f"streamed by the other after {time.monotonic() - begin:.0f} s")
    assert second.state("shop") == "RUNNING/RUNNING" and status(first).returncode == WAITS
    proxy.go_on()
    wait_until(lambda: status(first).returncode == STANDS_BY, 60, "the first stands by")
    db.execute("insert into items values (3)")
    wait_until(lambda: 3 in ids(servers.bootstrap, topic), 60, "the second streams on")
    assert list(dict.fromkeys(ids(servers.bootstrap, topic))) == [1, 2, 3]
    assert status(second).returncode == 0
    for one in (first, second):
        one.stop()
