"""The sink redis against Debian's Redis: what arrives, what is refused, what is away, what comes twice."""
import json
import os
import subprocess
import time

import pytest

from golden import server_replay
from support import servers
from support.paths import BINARY, REDIS_CONTRACT
from support.redis import Redis
from support.tls import Authority
from support.wait import wait_until
from support.writer import ThreeWriters, updates_in

KILLS = int(os.environ.get("E2E_KILLS", "3"))


@pytest.fixture(scope="session")
def redis():
    """host:port of the shared server."""
    return servers.shared("redis", redis=True).redis


@pytest.fixture
def own(private_servers):
    """A Redis of this test's own."""
    return private_servers(redis=True)


def rows(address, db, table="t"):
    """(id, op) of each entry of the table's stream, in order; tombstones are (None, None)."""
    with Redis(address) as client:
        found = []
        for _, fields in client.entries(f"{db.name}.public.{table}"):
            value = json.loads(fields[0][1]) if fields[0][1] != "default" else {}
            row = value.get("after") or value.get("before") or {}
            found.append((row.get("id"), value.get("op")))
        return found


def wait_rows(connector, address, db, count, timeout_s=30):
    def there():
        assert connector.running(), connector.log_text()[-3000:]
        return len(rows(address, db)) >= count
    wait_until(there, timeout_s, f"{count} entries")
    return rows(address, db)


def test_contract_of_sinks_on_a_real_server(redis):
    """The tests that every sink passes (tests/sink/contract.h)."""
    done = subprocess.run([REDIS_CONTRACT], env={**os.environ, "WALDUCT_TEST_REDIS": redis}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300)
    assert done.returncode == 0 and "[  PASSED  ]" in done.stdout, done.stdout[-4000:]


@pytest.mark.parametrize("name", server_replay.scenario_names("redis"))
def test_as_debezium_server(name, tmp_path):
    """What the real Debezium Server wrote, from its own application.properties."""
    server_replay.check(name, servers.shared("redis-golden", redis=True).redis, tmp_path)


# What refuses records for a while, what undoes it, what is said.
PASSING = {
    "no-memory": (["CONFIG SET maxmemory 1"], ["CONFIG SET maxmemory 0"], "redis_out_of_memory|OOM"),
    "replica": (["REPLICAOF 127.0.0.1 1"], ["REPLICAOF NO ONE"], "READONLY"),
    "no-replicas": (["CONFIG SET min-replicas-to-write 1"], ["CONFIG SET min-replicas-to-write 0"], "NOREPLICAS"),
}


@pytest.mark.parametrize("fault", PASSING)
def test_what_passes_is_waited_for(db, own, connectors, fault):
    """Nothing is lost, nothing overtakes, and nobody has to do anything but to heal the server."""
    commands, heal, said = PASSING[fault]
    db.execute("create table t (id int primary key)")
    connector = connectors(db, {"sink.redis.address": own.redis}, sink="redis").start().wait_streaming()
    db.execute("insert into t values (1)")
    wait_rows(connector, own.redis, db, 1)
    with Redis(own.redis) as client:
        for command in commands:
            client.do(*command.split())
        db.script("insert into t select n from generate_series(2, 1500) n; insert into t values (1501)")
        connector.wait_log(f"does not take.*({said})")
        assert len(rows(own.redis, db)) == 1
        for command in heal:
            client.do(*command.split())
    assert wait_rows(connector, own.redis, db, 1501) == [(n, "c") for n in range(1, 1502)]
    connector.wait_log("Redis takes records again")
    connector.stop()


def test_a_server_that_is_refusing_does_not_hold_up_a_stop(db, own, connectors):
    db.execute("create table t (id int primary key)")
    connector = connectors(db, {"sink.redis.address": own.redis}, sink="redis").start().wait_streaming()
    with Redis(own.redis) as client:
        client.do("CONFIG", "SET", "maxmemory", 1)
        db.execute("insert into t values (1)")
        connector.wait_log("does not take")
        connector.terminate(timeout_s=20)
        client.do("CONFIG", "SET", "maxmemory", 0)
    connector.start().wait_streaming()
    assert wait_rows(connector, own.redis, db, 1) == [(1, "c")]
    connector.stop()


@pytest.mark.parametrize("fault", ["wrong-type", "no-permission"])
def test_what_does_not_pass_stops_a_start_and_is_retried_later(db, own, connectors, fault):
    db.execute("create table t (id int primary key); insert into t values (1)")
    stream = f"{db.name}.public.t"
    config = {"sink.redis.address": own.redis, "sink.redis.user": "walduct", "sink.redis.password": "secret", "retriable.restart.connector.wait.ms": "300"}
    rights = ["~*", "+xadd", "+multi", "+exec", "+discard", "+ping", "+type"]
    with Redis(own.redis) as client:
        def break_it():
            if fault == "wrong-type":
                client.do("RENAME", stream, "kept") if client.do("EXISTS", stream) else None
                client.do("SET", stream, "no stream")
            else:
                client.do("ACL", "SETUSER", "walduct", "-xadd")

        def mend():
            if fault == "wrong-type":
                client.do("DEL", stream)
            else:
                client.do("ACL", "SETUSER", "walduct", "+xadd")
        client.do("ACL", "SETUSER", "walduct", "on", ">secret", *rights)
        break_it()
        connector = connectors(db, config, sink="redis")
        assert connector.run_to_end() == 3
        assert connector.logged("WRONGTYPE|NOPERM"), connector.log_text()[-2000:]
        mend()
        connector.start().wait_streaming()
        wait_rows(connector, own.redis, db, 1)
        break_it()
        db.execute("insert into t values (2)")
        connector.wait_log("WRONGTYPE|NOPERM")
        mend()
        wait_until(lambda: (2, "c") in rows(own.redis, db), 30, "the row that was refused")
        connector.stop()


def test_away_and_back(db, own, connectors):
    """Stopped, started again, and paused for longer than an answer may take."""
    db.execute("create table t (id int primary key)")
    config = {"sink.redis.address": own.redis, "sink.redis.socket.timeout.ms": "500", "walduct.sink.redis.ids": "position"}
    connector = connectors(db, config, sink="redis").start().wait_streaming()
    db.execute("insert into t values (1)")
    wait_rows(connector, own.redis, db, 1)
    own.do("kill-redis")
    db.execute("insert into t select n from generate_series(2, 700) n")
    connector.wait_log("does not take")
    own.do("start-redis")
    wait_rows(connector, own.redis, db, 700)
    own.pause_redis()
    db.execute("insert into t select n from generate_series(701, 1400) n")
    wait_until(lambda: "no answer" in connector.log_text(), 30, "an answer that does not come")
    own.resume_redis()
    assert wait_rows(connector, own.redis, db, 1400) == [(n, "c") for n in range(1, 1401)]
    connector.stop()


def test_away_at_the_start_is_waited_for_and_a_wrong_password_is_not(db, own, connectors):
    db.execute("create table t (id int primary key); insert into t values (1)")
    connector = connectors(db, {"sink.redis.address": own.redis, "sink.redis.password": "wrong"}, sink="redis")
    assert connector.run_to_end() == 3
    assert connector.logged("redis_authentication_failed")
    connector.config["sink.redis.password"] = None
    own.do("stop-redis")
    connector.start().wait_log("retrying: Redis at .*redis_unavailable")
    own.do("start-redis")
    assert wait_rows(connector, own.redis, db, 1) == [(1, "r")]
    connector.stop()


def test_an_idle_connection_that_is_closed_is_no_trouble(db, own, connectors):
    """It is made anew for the next record; until then nothing turns, and nothing is said."""
    db.execute("create table t (id int primary key)")
    connector = connectors(db, {"sink.redis.address": own.redis}, sink="redis").start().wait_streaming()
    db.execute("insert into t values (1)")
    wait_rows(connector, own.redis, db, 1)
    with Redis(own.redis) as client:
        client.do("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        before = connector.cpu_seconds()
        deadline = time.monotonic() + 2
        wait_until(lambda: time.monotonic() > deadline, 10, "two seconds")
        assert connector.cpu_seconds() - before < 0.2
    db.execute("insert into t values (2)")
    assert wait_rows(connector, own.redis, db, 2) == [(1, "c"), (2, "c")]
    assert not connector.logged("does not take")
    connector.stop()


@pytest.mark.parametrize("ids", ["auto", "position"])
def test_killed_again_and_again(db, redis, connectors, ids):
    """Under three writers. Nothing is lost and each key keeps its order; with ids of the position nothing comes twice."""
    writers = ThreeWriters(db)
    config = {"sink.redis.address": redis, "walduct.sink.redis.ids": ids, "sink.redis.batch.size": "50"}
    connector = connectors(db, config, sink="redis").start().wait_streaming()

    def kill():
        connector.kill()
        connector.start().wait_streaming()
    writers.disturb(kill, KILLS, 30)

    def seen():
        with Redis(redis) as client:
            return updates_in(fields[0][1] for _, fields in client.entries(f"{db.name}.public.t"))
    wait_until(lambda: writers.all_in(seen()), 60, "all updates")
    connector.stop()
    writers.check(seen(), once=ids == "position")


def test_id_is_refused_where_the_stream_is_not_ours(db, redis, connectors):
    """Entries with ids of the clock: an id of the position would come before them, and nothing may be taken for a repeat."""
    db.execute("create table t (id int primary key)")
    with Redis(redis) as client:
        client.do("XADD", f"{db.name}.public.t", "9999999999999-0", "foreign", "1")
    connector = connectors(db, {"sink.redis.address": redis, "walduct.sink.redis.ids": "position", "walduct.sink.redis.maxlen": "100"}, sink="redis")
    connector.start().wait_streaming()
    db.execute("insert into t values (1)")
    assert connector.wait_exit() == 3
    assert connector.logged("redis_id_behind|is not there, and Redis takes none before")


def test_position_in_redis(db, redis, connectors):
    """The hash of Debezium's store; a restart goes on from it."""
    db.execute("create table t (id int primary key); insert into t values (1)")
    config = {"sink.redis.address": redis, "offset.storage": "io.debezium.storage.redis.offset.RedisOffsetBackingStore",
              "offset.storage.redis.key": f"offsets:{db.name}"}
    connector = connectors(db, config, {"offset.storage.file.filename": None}, sink="redis")
    for n in (2, 3):
        connector.start().wait_streaming()
        db.execute("insert into t values (%s)", n)
        wait_rows(connector, redis, db, n)
        connector.stop()
    assert rows(redis, db) == [(1, "r"), (2, "c"), (3, "c")]
    with Redis(redis) as client:
        field, value = client.do("HGETALL", f"offsets:{db.name}")
        assert json.loads(field) == ["connector", {"server": db.name}]
        assert {"lsn", "lsn_proc", "txId", "ts_usec"} <= set(json.loads(value))


def test_tls_with_certificates_on_both_sides(db, tmp_path, connectors):
    authority = Authority(tmp_path / "ca")
    certificate, key = authority.issue("redis", ["127.0.0.1"])
    mine, my_key = authority.issue("walduct")
    both = tmp_path / "both.pem"
    both.write_text(mine.read_text() + my_key.read_text())
    port, = servers.free_ports(1)
    server = subprocess.Popen(["redis-server", "--bind", "127.0.0.1", "--port", "0", "--tls-port", str(port), "--save", "", "--dir", tmp_path,
                               "--tls-cert-file", certificate, "--tls-key-file", key, "--tls-ca-cert-file", authority.certificate],
                              stdout=subprocess.DEVNULL)
    try:
        db.execute("create table t (id int primary key)")
        config = {"sink.redis.address": f"127.0.0.1:{port}", "sink.redis.ssl.enabled": "true", "sink.redis.ssl.hostname.verification.enabled": "true",
                  "sink.redis.ssl.truststore.path": str(authority.certificate), "sink.redis.ssl.keystore.path": str(both)}
        connector = connectors(db, config, sink="redis").start().wait_streaming()
        db.execute("insert into t select n from generate_series(1, 3000) n")

        def count():
            done = subprocess.run(["redis-cli", "-p", str(port), "--tls", "--cacert", authority.certificate, "--cert", mine, "--key", my_key,
                                   "XLEN", f"{db.name}.public.t"], capture_output=True, text=True)
            return done.stdout.strip()
        wait_until(lambda: count() == "3000", 30, "3,000 entries")
        connector.stop()
        connector.config["sink.redis.ssl.truststore.path"] = str(Authority(tmp_path / "other").certificate)
        assert connector.run_to_end() == 3
        assert connector.logged("redis_tls_failed|TLS with Redis")
    finally:
        server.kill()
        server.wait()


def test_dead_letters_go_to_a_stream(db, redis, connectors):
    """A dead letter is an entry of another stream."""
    db.execute("create table t (id int primary key, v text)")
    config = {"sink.redis.address": redis, "sink.redis.message.format": "extended", "errors.tolerance": "all",
              "errors.deadletterqueue.topic.name": f"{db.name}.dead", "errors.deadletterqueue.context.headers.enable": "true",
              "transforms": "flat,cast", "transforms.cast.type": "org.apache.kafka.connect.transforms.TimestampConverter$Value",
              "transforms.cast.target.type": "unix", "transforms.cast.field": "v", "transforms.cast.format": "yyyy",
              "transforms.flat.type": "io.debezium.transforms.ExtractNewRecordState"}
    connector = connectors(db, config, sink="redis").start().wait_streaming()
    db.script("insert into t values (1, '2024'); insert into t values (2, 'no year'); insert into t values (3, '2025')")
    with Redis(redis) as client:
        wait_until(lambda: client.do("XLEN", f"{db.name}.public.t") == 2, 30, "two rows")
        (_, fields), = client.entries(f"{db.name}.dead")
    assert "__CONNECT.ERRORS.EXCEPTION.MESSAGE" in dict(fields)
    connector.stop()


def test_heartbeats_move_the_position_and_are_not_written(db, redis, connectors):
    db.execute("create table t (id int primary key)")
    connector = connectors(db, {"sink.redis.address": redis, "heartbeat.interval.ms": "100"}, sink="redis").start().wait_streaming()
    db.execute("insert into t values (1)")
    wait_rows(connector, redis, db, 1)
    connector.stop()
    with Redis(redis) as client:
        assert not client.do("EXISTS", f"__debezium-heartbeat.{db.name}")


def test_limits_trim(db, redis, connectors):
    db.execute("create table t (id int primary key)")
    connector = connectors(db, {"sink.redis.address": redis, "walduct.sink.redis.maxlen": "200"}, sink="redis").start().wait_streaming()
    db.execute("insert into t select n from generate_series(1, 2000) n")
    wait_until(lambda: rows(redis, db)[-1:] == [(2000, "c")], 30, "the last row")
    assert 200 <= len(rows(redis, db)) < 600
    connector.stop()


def test_a_cluster_is_refused_by_name(db, redis, connectors):
    connector = connectors(db, {"sink.redis.address": redis, "sink.redis.cluster.enabled": "true"}, sink="redis")
    assert connector.run_to_end() == 2
    assert connector.logged("sink.redis.cluster.enabled")


def test_ids_of_each_kind_of_record(db, redis, connectors):
    """Both halves of a new key and its tombstone, transactions, messages: ids of the commit, one behind the other; none is refused."""
    db.execute("create table t (id int primary key)")
    config = {"sink.redis.address": redis, "walduct.sink.redis.ids": "position", "provide.transaction.metadata": "true",
              "transforms": "one", "transforms.one.type": "org.apache.kafka.connect.transforms.RegexRouter",
              "transforms.one.regex": f"{db.name}\\..*", "transforms.one.replacement": f"{db.name}.all"}
    db.execute("insert into t values (0)")
    connector = connectors(db, config, sink="redis").start().wait_streaming()
    begin = db.value("select (pg_current_wal_lsn() - '0/0')::bigint")
    db.script("insert into t values (1); update t set id = 2 where id = 1; "
              "begin; insert into t values (3); select pg_logical_emit_message(true, 'p', 'in'); delete from t where id = 3; commit; "
              "select pg_logical_emit_message(false, 'p', 'alone'); insert into t values (4)")
    stream = f"{db.name}.all"

    def ids():
        with Redis(redis) as client:
            return [tuple(map(int, entry.split("-"))) for entry, _ in client.entries(stream)]
    wanted = 1 + 3 + 5 + 6 + 1 + 3  # the snapshot's row; then with BEGIN and END each, but for the message of its own
    wait_until(lambda: len(ids()) >= wanted, 30, f"{wanted} entries, not {len(ids())}")
    connector.stop()
    end = db.value("select (pg_current_wal_lsn() - '0/0')::bigint")
    found = ids()
    assert len(found) == wanted and found == sorted(set(found))
    assert found[0][0] <= begin and all(begin <= first <= end for first, _ in found[1:])


def test_run_without_a_file_reads_debezium_servers(db, redis, connectors, tmp_path):
    """In the folder that Debezium Server is started in."""
    db.execute("create table t (id int primary key); insert into t values (1)")
    (tmp_path / "config").mkdir()
    source = {**connectors(db).config, "slot.name": db.name}
    (tmp_path / "config/application.properties").write_text(
        f"debezium.sink.type=redis\ndebezium.sink.redis.address={redis}\n" +
        "".join(f"debezium.source.{name}={value}\n" for name, value in source.items() if "converter" not in name))
    process = subprocess.Popen([BINARY, "run"], cwd=tmp_path, stderr=subprocess.PIPE)
    try:
        with Redis(redis) as client:
            wait_until(lambda: client.do("XLEN", f"{db.name}.public.t") == 1, 30, "the row")
    finally:
        process.terminate()
        process.communicate()
    assert process.returncode == 0
    assert (tmp_path / "data/offsets.dat").exists()
    nothing = subprocess.run([BINARY, "run"], cwd=tmp_path / "data", capture_output=True, text=True)
    assert nothing.returncode == 2 and "config/application.properties" in nothing.stderr
