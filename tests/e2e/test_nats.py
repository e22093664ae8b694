"""The sink nats-jetstream against Debian's NATS: what arrives, what is refused, what is away, what comes twice."""
import base64
import json
import os
import subprocess
import time

import pytest

from golden import server_replay
from golden.nats_replay import NatsReplay
from support import servers
from support.nats import Nats
from support.paths import BINARY, NATS_CONTRACT
from support.tls import Authority
from support.wait import wait_until
from support.writer import ThreeWriters, updates_in

KILLS = int(os.environ.get("E2E_KILLS", "3"))
USERS = 'accounts { A { jetstream: enabled, users: [ { user: debezium, password: dummy } ] } }\n'


@pytest.fixture(scope="session")
def nats():
    """URL of the shared server."""
    return servers.shared("nats", nats=True).nats


@pytest.fixture
def own(private_servers):
    """A NATS of this test's own."""
    return private_servers(nats=True)


def stream_of(url, db, **settings):
    with Nats(url) as client:
        client.create(db.name, [f"{db.name}.>"], **settings)


def sink(url, **more):
    return {"sink.nats-jetstream.url": url, **more}


def rows(url, db, table="t"):
    """(id, op) of each message of the table's subject, in order."""
    with Nats(url) as client:
        bodies = [json.loads(body) for subject, _, body in client.messages(db.name) if subject == f"{db.name}.public.{table}"]
    return [((body.get("after") or body.get("before"))["id"], body["op"]) for body in bodies]


def count(url, db):
    with Nats(url) as client:
        return client.info(db.name)["state"]["messages"]


def wait_rows(connector, url, db, wanted, timeout_s=30):
    def there():
        assert connector.running(), connector.log_text()[-3000:]
        return count(url, db) >= wanted
    wait_until(there, timeout_s, f"{wanted} messages")
    return rows(url, db)


def test_contract_of_sinks_on_a_real_server(nats):
    """The tests that every sink passes (tests/sink/contract.h), and its own."""
    done = subprocess.run([NATS_CONTRACT], env={**os.environ, "WALDUCT_TEST_NATS": nats}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300)
    assert done.returncode == 0 and "[  PASSED  ]" in done.stdout, done.stdout[-4000:]


@pytest.mark.parametrize("name", server_replay.scenario_names("nats"))
def test_as_debezium_server(name, tmp_path, private_servers):
    """What the real Debezium Server wrote, from its own application.properties."""
    one = private_servers(nats=True)
    if name == "nats_auth":
        one.do("stop-nats")
        (one.dir / "nats.users").write_text(USERS)
        one.do("start-nats")
    server_replay.check(name, one.nats, tmp_path, NatsReplay)


def test_a_full_stream_is_waited_for(db, own, connectors):
    """Nothing is lost, nothing overtakes, and nobody has to do anything but to make room."""
    db.execute("create table t (id int primary key)")
    stream_of(own.nats, db, discard="new", max_msgs=1)
    connector = connectors(db, sink(own.nats), sink="nats-jetstream").start().wait_streaming()
    db.execute("insert into t values (1)")
    wait_rows(connector, own.nats, db, 1)
    db.script("insert into t select n from generate_series(2, 1500) n; insert into t values (1501)")
    connector.wait_log("does not take.*maximum messages exceeded")
    assert rows(own.nats, db) == [(1, "c")]
    with Nats(own.nats) as client:
        client.update(db.name, [f"{db.name}.>"], discard="new", max_msgs=100000)
    assert wait_rows(connector, own.nats, db, 1501) == [(n, "c") for n in range(1, 1502)]
    connector.wait_log("NATS takes records again")
    connector.stop()


@pytest.mark.parametrize("limit", ["max_msgs", "max_bytes", "max_msgs_per_subject"])
def test_a_stream_that_drops_its_oldest_is_told(db, nats, connectors, limit):
    """JetStream acknowledges what it has dropped soon after: the start says so, and doctor, with what to type. Typed, nothing is dropped."""
    db.execute("create table t (id int primary key)")
    with Nats(nats) as client:
        client.create(db.name, [f"{db.name}.>"], **{limit: 400})
    connector = connectors(db, sink(nats), sink="nats-jetstream").start().wait_streaming()
    typed = f"nats stream edit {db.name} --discard=new{' --discard-per-subject' if 'subject' in limit else ''}"
    connector.wait_log(rf"warning .*drops its oldest records where it is full.*{typed}")
    assert typed in connector.call("doctor").stdout
    connector.stop()
    with Nats(nats) as client:
        client.update(db.name, [f"{db.name}.>"], **{limit: 400}, discard="new", discard_new_per_subject="subject" in limit)
    connector.start().wait_streaming()
    db.execute("insert into t select n from generate_series(1, 401) n")
    connector.wait_log("does not take.*exceeded")
    assert not connector.logged("drops its oldest") and typed not in connector.call("doctor").stdout
    found = rows(nats, db)
    assert found == [(n, "c") for n in range(1, len(found) + 1)]
    with Nats(nats) as client:
        client.update(db.name, [f"{db.name}.>"], **{limit: 1_000_000}, discard="new", discard_new_per_subject="subject" in limit)
    assert wait_rows(connector, nats, db, 401) == [(n, "c") for n in range(1, 402)]
    connector.stop()
    with Nats(nats) as client:
        client.delete(db.name)


def test_a_stop_is_not_held_up_and_what_waited_comes_at_the_next_start(db, own, connectors):
    db.execute("create table t (id int primary key)")
    connector = connectors(db, sink(own.nats), sink="nats-jetstream").start().wait_streaming()
    db.execute("insert into t values (1)")
    connector.wait_log("does not take.*no stream takes the subject")
    connector.terminate(timeout_s=20)
    stream_of(own.nats, db)
    connector.start().wait_streaming()
    assert wait_rows(connector, own.nats, db, 1) == [(1, "c")]
    connector.stop()


def test_away_and_back(db, own, connectors):
    """Killed, started again, paused for longer than an acknowledgement may take, its stream deleted and made again."""
    db.execute("create table t (id int primary key)")
    stream_of(own.nats, db)
    connector = connectors(db, sink(own.nats, **{"sink.nats-jetstream.async.timeout.ms": "700"}), sink="nats-jetstream").start().wait_streaming()
    db.execute("insert into t values (1)")
    wait_rows(connector, own.nats, db, 1)
    own.do("kill-nats")
    db.execute("insert into t select n from generate_series(2, 700) n")
    connector.wait_log("does not take")
    own.do("start-nats")
    wait_rows(connector, own.nats, db, 700)
    own.pause_nats()
    db.execute("insert into t select n from generate_series(701, 1400) n")
    wait_until(lambda: "no acknowledgement" in connector.log_text(), 30, "an acknowledgement that does not come")
    own.resume_nats()
    assert wait_rows(connector, own.nats, db, 1400) == [(n, "c") for n in range(1, 1401)]
    with Nats(own.nats) as client:
        client.delete(db.name)
    db.execute("insert into t select n from generate_series(1401, 1500) n")
    connector.wait_log("no stream takes the subject")
    stream_of(own.nats, db)
    assert wait_rows(connector, own.nats, db, 100) == [(n, "c") for n in range(1401, 1501)]
    connector.stop()


def test_away_at_the_start_is_waited_for_and_a_wrong_password_is_not(db, own, connectors):
    db.execute("create table t (id int primary key); insert into t values (1)")
    own.do("stop-nats")
    (own.dir / "nats.users").write_text(USERS)
    own.do("start-nats")
    with Nats(own.nats, "debezium", "dummy") as client:
        client.create(db.name, [f"{db.name}.>"])
    connector = connectors(db, sink(own.nats, **{"sink.nats-jetstream.auth.user": "debezium", "sink.nats-jetstream.auth.password": "wrong"}), sink="nats-jetstream")
    assert connector.run_to_end() == 3
    assert connector.logged("nats_authentication_failed")
    connector.config["sink.nats-jetstream.auth.password"] = "dummy"
    own.do("stop-nats")
    connector.start().wait_log("retrying: NATS at .*nats_unavailable")
    own.do("start-nats")

    def there():
        with Nats(own.nats, "debezium", "dummy") as client:
            return client.last(db.name) == 1
    wait_until(there, 30, "the row")
    connector.stop()


def test_an_idle_connection_that_is_closed_is_no_trouble(db, own, connectors):
    """It is made anew for the next record; until then nothing turns, and nothing is said."""
    db.execute("create table t (id int primary key)")
    stream_of(own.nats, db)
    connector = connectors(db, sink(own.nats), sink="nats-jetstream").start().wait_streaming()
    db.execute("insert into t values (1)")
    wait_rows(connector, own.nats, db, 1)
    own.do("stop-nats")
    own.do("start-nats")
    before = connector.cpu_seconds()
    deadline = time.monotonic() + 2
    wait_until(lambda: time.monotonic() > deadline, 10, "two seconds")
    assert connector.cpu_seconds() - before < 0.2
    db.execute("insert into t values (2)")
    assert wait_rows(connector, own.nats, db, 2) == [(1, "c"), (2, "c")]
    assert not connector.logged("does not take")
    connector.stop()


def test_rights_that_are_missing(db, own, connectors):
    """Streams cannot be asked for, and one subject is not to be written to: it stops at a start, and is retried once it ran."""
    def allow(subjects):
        own.do("stop-nats")
        (own.dir / "nats.users").write_text(
            'accounts { A { jetstream: enabled, users: [ { user: admin, password: x }, { user: walduct, password: y, permissions: '
            f'{{ publish: {json.dumps(subjects)}, subscribe: "_INBOX.walduct.>" }} }} ] }} }}\n')
        own.do("start-nats")
    db.execute("create table t (id int primary key); insert into t values (1)")
    allow(["nothing"])
    with Nats(own.nats, "admin", "x") as client:
        client.create(db.name, [f"{db.name}.>"])
    config = sink(own.nats, **{"sink.nats-jetstream.auth.user": "walduct", "sink.nats-jetstream.auth.password": "y",
                               "retriable.restart.connector.wait.ms": "300"})
    connector = connectors(db, config, sink="nats-jetstream")
    connector.start().wait_log("nats_permission_denied")
    connector.kill()
    allow([f"{db.name}.>"])
    connector.start().wait_streaming()

    def last():
        with Nats(own.nats, "admin", "x") as client:
            return client.last(db.name)
    wait_until(lambda: last() == 1, 30, "the row")
    assert connector.logged("streams cannot be asked for")
    connector.stop()


def under_writers(db, url, connector, writers, disturb):
    """Nothing is lost, each key keeps its order, and nothing comes twice."""
    writers.disturb(disturb, KILLS, 30)
    got, read = [], [0]

    def seen():
        with Nats(url) as client:
            last = client.last(db.name)
            got.extend(updates_in(body for _, _, body in client.messages(db.name, read[0] + 1)) if last > read[0] else [])
        read[0] = last
        return got
    wait_until(lambda: writers.all_in(seen()), 60, "all updates")
    connector.stop()
    writers.check(seen(), once=True)
    with Nats(url) as client:
        client.delete(db.name)


@pytest.mark.parametrize("discard", ["old", "new"])
def test_killed_again_and_again(db, nats, connectors, discard):
    """Under three writers. Nothing is lost, each key keeps its order, and nothing comes twice."""
    writers = ThreeWriters(db)
    stream_of(nats, db, discard=discard, max_bytes=500_000_000)
    connector = connectors(db, sink(nats), sink="nats-jetstream").start().wait_streaming()

    def kill():
        connector.kill()
        connector.start().wait_streaming()
    under_writers(db, nats, connector, writers, kill)


@pytest.mark.parametrize("how", ["killed", "restarted", "paused"])
def test_the_server_is_disturbed_again_and_again(db, own, connectors, how):
    """The same: what was not acknowledged is sent again over another connection, and JetStream knows it."""
    writers = ThreeWriters(db)
    stream_of(own.nats, db, discard="new", max_bytes=500_000_000)
    connector = connectors(db, sink(own.nats, **{"sink.nats-jetstream.async.timeout.ms": "300"}), sink="nats-jetstream").start().wait_streaming()

    def disturb():
        if how == "paused":
            own.pause_nats()
            deadline = time.monotonic() + 0.7
            wait_until(lambda: time.monotonic() > deadline, 10, "a while")
            own.resume_nats()
        else:
            own.do("kill-nats" if how == "killed" else "stop-nats")
            own.do("start-nats")
    under_writers(db, own.nats, connector, writers, disturb)


def test_a_record_that_is_too_large_follows_its_policy(db, nats, connectors):
    """Of a subject whose stream has a limit; the one before and the one behind arrive, and so does the letter."""
    db.execute("create table t (id int primary key, v text)")
    stream_of(nats, db, max_msg_size=4000)
    config = sink(nats, **{"walduct.errors.too.large": "dead.letter", "errors.deadletterqueue.topic.name": f"{db.name}.dead",
                           "errors.deadletterqueue.context.headers.enable": "true"})
    connector = connectors(db, config, sink="nats-jetstream").start().wait_streaming()
    db.script("insert into t values (1, 'a'); insert into t values (2, repeat('x', 5000)); insert into t values (3, 'c')")
    wait_rows(connector, nats, db, 3)
    assert rows(nats, db) == [(1, "c"), (3, "c")]
    with Nats(nats) as client:
        letter, = [headers for subject, headers, _ in client.messages(db.name) if subject == f"{db.name}.dead"]
        client.delete(db.name)
    assert "4000" in letter["__connect.errors.exception.message"]
    connector.stop()


class Nkey:
    """An Ed25519 key as NATS writes it. kind: of an operator, an account, a user."""
    KINDS = {"operator": 14, "account": 0, "user": 20}

    def __init__(self, tmp_path, kind):
        self.file, prefix = tmp_path / f"{kind}.der", self.KINDS[kind] << 3
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-outform", "DER", "-out", self.file], check=True)
        public = subprocess.run(["openssl", "pkey", "-inform", "DER", "-in", self.file, "-pubout", "-outform", "DER"],
                                check=True, capture_output=True).stdout
        self.seed = self._text(bytes([18 << 3 | prefix >> 5, (prefix & 31) << 3]) + self.file.read_bytes()[-32:])
        self.public = self._text(bytes([prefix]) + public[-32:])

    @staticmethod
    def _text(data):
        crc = 0
        for byte in data:
            crc ^= byte << 8
            for _ in range(8):
                crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
        return base64.b32encode(data + crc.to_bytes(2, "little")).decode().rstrip("=")

    def jwt(self, of, name, **claims):
        """That this key vouches for another one."""
        def part(what):
            return base64.urlsafe_b64encode(what).decode().rstrip("=")
        claims = {"jti": name, "iat": 1700000000, "iss": self.public, "name": name, "sub": of.public, "nats": {"version": 2, **claims}}
        text = ".".join(part(json.dumps(piece).encode()) for piece in ({"typ": "JWT", "alg": "ed25519-nkey"}, claims))
        unsigned = self.file.with_suffix(".txt")
        unsigned.write_text(text)
        done = subprocess.run(["openssl", "pkeyutl", "-sign", "-rawin", "-keyform", "DER", "-inkey", self.file, "-in", unsigned],
                              check=True, capture_output=True)
        return f"{text}.{part(done.stdout)}"


@pytest.mark.parametrize("how", ["jwt", "credentials"])
def test_a_user_that_an_account_vouches_for(db, own, tmp_path, connectors, how):
    """JWT and seed as properties, or in a file of credentials. The stream is created."""
    operator, account, user = (Nkey(tmp_path, kind) for kind in ("operator", "account", "user"))
    without_streams = dict.fromkeys(("subs", "data", "payload", "imports", "exports", "conn", "leaf"), -1) | {"wildcards": True}
    limits = without_streams | dict.fromkeys(("mem_storage", "disk_storage", "streams", "consumer"), -1)
    (tmp_path / "operator.jwt").write_text(operator.jwt(operator, "O", type="operator"))
    (tmp_path / "system").mkdir()
    system = Nkey(tmp_path / "system", "account")
    mine = account.jwt(user, "walduct", type="user", subs=-1, data=-1, payload=-1)
    own.do("stop-nats")
    (own.dir / "nats.users").write_text(
        f'operator: "{tmp_path}/operator.jwt"\nresolver: MEMORY\nsystem_account: {system.public}\n'
        f'resolver_preload: {{ {account.public}: {operator.jwt(account, "A", type="account", limits=limits)},'
        f' {system.public}: {operator.jwt(system, "SYS", type="account", limits=without_streams)} }}\n')
    own.do("start-nats")
    db.execute("create table t (id int primary key); insert into t values (1)")
    config = sink(own.nats, **{"sink.nats-jetstream.create-stream": "true", "sink.nats-jetstream.subjects": f"{db.name}.>"})
    if how == "jwt":
        config |= {"sink.nats-jetstream.auth.jwt": mine, "sink.nats-jetstream.auth.seed": user.seed}
    else:
        config["walduct.sink.nats.credentials.path"] = str(tmp_path / "walduct.creds")
        (tmp_path / "walduct.creds").write_text(f"-----BEGIN NATS USER JWT-----\n{mine}\n------END NATS USER JWT------\n\n"
                                                f"-----BEGIN USER NKEY SEED-----\n{user.seed}\n------END USER NKEY SEED------\n")
    connector = connectors(db, config, sink="nats-jetstream").start().wait_streaming()
    assert not connector.logged("does not take") and mine not in connector.log_text()
    connector.stop()  # the row was acknowledged before the snapshot was complete


def test_tls_with_certificates_on_both_sides_and_an_nkey(db, own, tmp_path, connectors):
    authority = Authority(tmp_path / "ca")
    certificate, key = authority.issue("nats", ["127.0.0.1"])
    mine, my_key = authority.issue("walduct")
    both = tmp_path / "both.pem"
    both.write_text(mine.read_text() + my_key.read_text())
    stream_of(own.nats, db)
    user = Nkey(tmp_path, "user")
    (tmp_path / "seed").write_text(f"# of a test\n{user.seed}\n")
    own.do("stop-nats")
    users = f'authorization {{ users: [ {{ nkey: {user.public} }} ] }}\n'
    (own.dir / "nats.users").write_text(users + f'tls {{ cert_file: "{certificate}", key_file: "{key}", ca_file: "{authority.certificate}", verify: true }}\n')
    own.do("start-nats")
    db.execute("create table t (id int primary key)")
    config = sink(own.nats.replace("nats://", "tls://"), **{
        "walduct.sink.nats.tls.truststore.path": str(authority.certificate), "sink.nats-jetstream.auth.tls.keystore": str(both),
        "walduct.sink.nats.nkey.path": str(tmp_path / "seed")})
    connector = connectors(db, config, sink="nats-jetstream").start().wait_streaming()
    db.execute("insert into t select n from generate_series(1, 3000) n")
    end = db.value("select pg_current_wal_lsn()::text")
    confirmed = f"select confirmed_flush_lsn >= '{end}' from pg_replication_slots where database = current_database()"
    wait_until(lambda: db.value(confirmed), 30, "all of it confirmed")
    connector.stop()
    connector.config["walduct.sink.nats.tls.truststore.path"] = str(Authority(tmp_path / "other").certificate)
    assert connector.run_to_end() == 3
    assert connector.logged("nats_tls_failed")
    own.do("stop-nats")
    (own.dir / "nats.users").unlink()
    own.do("start-nats")
    assert rows(own.nats, db) == [(n, "c") for n in range(1, 3001)]


def test_run_without_a_file_reads_debezium_servers(db, nats, connectors, tmp_path):
    """In the folder that Debezium Server is started in; a variable whose name has hyphens counts. doctor says what there is."""
    db.execute("create table t (id int primary key); insert into t values (1)")
    (tmp_path / "config").mkdir()
    source = {**connectors(db).config, "slot.name": db.name}
    (tmp_path / "config/application.properties").write_text(
        f"debezium.sink.type=nats-jetstream\ndebezium.sink.nats-jetstream.url={nats}\n"
        f"debezium.sink.nats-jetstream.subjects={db.name}.>\ndebezium.sink.nats-jetstream.stream-name={db.name}\n" +
        "".join(f"debezium.source.{name}={value}\n" for name, value in source.items() if "converter" not in name))
    environment = {**os.environ, "DEBEZIUM_SINK_NATS_JETSTREAM_CREATE_STREAM": "true"}
    process = subprocess.Popen([BINARY, "run"], cwd=tmp_path, stderr=subprocess.PIPE, env=environment)
    try:
        def there():
            with Nats(nats) as client:
                return db.name in client.streams() and client.last(db.name) == 1
        wait_until(there, 30, "the row")
    finally:
        process.terminate()
        process.communicate()
    assert process.returncode == 0
    doctor = subprocess.run([BINARY, "doctor", "-f", "config/application.properties"], cwd=tmp_path, capture_output=True, text=True)
    assert "records of up to 1048576 bytes" in doctor.stdout, doctor.stdout
    with Nats(nats) as client:
        client.delete(db.name)
