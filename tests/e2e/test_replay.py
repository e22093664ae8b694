"""A part of the past out of a restored backup into topics of its own: `walduct replay`."""
import json
import os
import random
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.events import from_lines
from support.kafka import delete_topics, read_topics
from support.many import difference, last_line, lines_of, seconds_between
from support.recovery import gap, refused, without_times
from support.wait import wait_until

NOW = {"lsn": "select pg_current_wal_lsn()::text", "time": "select clock_timestamp()::text"}


def by_topic(events):
    records = {}
    for event in events:
        records.setdefault(event.topic, []).append((event.key, without_times(event)))
    return records


def _as_of_prefix(records, prefix):
    """What has that prefix as a replay would have it."""
    return json.loads(json.dumps(records, sort_keys=True, default=repr).replace(f'"{prefix}.', '"replayed.').replace(f'"{prefix}"', '"replayed"'))


class Past:
    """What the connector of a scene streamed between two moments, after which it was stopped and the backup restored."""

    def __init__(self, scene, what, work=gap):
        self.scene, self.connector = scene, scene.lost
        scene.db.execute("insert into items values (3, 'too early')")
        self.connector.wait_events(lambda events: any(e.table == "items" and e.id == 3 for e in events))
        before = {topic: len(records) for topic, records in scene.records(self.connector).items()}
        self.since = scene.db.value(what)
        work(scene.db)
        scene.db.execute("insert into slow values (99, 'the last one')")
        self.connector.wait_events(lambda events: any(e.table == "slow" and e.id == 99 for e in events), 60)
        self.until = scene.db.value(what)
        streamed = {topic: records[before.get(topic, 0):] for topic, records in scene.records(self.connector).items()}
        self.streamed = {topic: records for topic, records in streamed.items() if records}
        scene.db.execute("insert into items select i, 'too late' from generate_series(500, 510) i")
        scene.backup.wait_archived()
        self.restored = scene.restore()
        self.connector.stop()
        self.left = self.of_the_connector()

    def of_the_connector(self):
        return self.connector.offset(), self.scene.primary.query("select slot_name from pg_replication_slots order by 1")

    def replay(self, *arguments, since=None, until=None):
        return self.connector.start("--from", f"{self.restored.postgres.host}:{self.restored.postgres.port}", "--state", self.restored.state,
                                    "--since", since or self.since, "--until", until or self.until, "--to", "replayed", *arguments, command="replay")

    def check(self, events):
        """Equal to what was streamed then; nothing of the replay is left."""
        prefix = self.connector.prefix
        assert _as_of_prefix(by_topic(events), prefix) == _as_of_prefix(self.streamed, prefix)
        assert self.connector.logged("the replay is done"), self.connector.log_text()
        assert self.restored.query("select count(*) from pg_replication_slots")[0][0] == 0
        assert not {"replay", "offsets.dat", "recovery.json"} & {p.name for p in self.restored.state.iterdir()}
        assert self.of_the_connector() == self.left


@pytest.mark.parametrize("ends", ["lsn", "time"])
def test_replay_gives_what_was_streamed_then(ends, scenes):
    """The primary is not asked, and nothing is left."""
    past = Past(scenes(18), NOW[ends])
    out = past.restored.state / "replayed.jsonl"
    past.replay("-o", f"sink.file.path={out}")
    past.restored.start()
    assert past.connector.wait_exit(60) == 0, past.connector.log_text()
    past.check(from_lines(out.read_text()))


@pytest.mark.parametrize("version", [17, 16])
def test_a_replay_that_is_killed(version, scenes):
    """With exactly once, walduct and the restored server by turns. Runs by name."""
    topic = f"offsets-replay-{version}"
    scene = scenes(version, sink="kafka", worker={"offset.storage.file.filename": None, "offset.storage.topic": topic},
                   **{"exactly.once.support": "required"})
    bootstrap = scene.lost.worker["bootstrap.servers"]
    delete_topics(bootstrap, "replayed.")

    def work(db):
        for first in range(1000, 6000, 1000):
            gap(db, first)
            db.execute("insert into many select i, repeat('x', 400) from generate_series(%s::int, %s::int) i", first * 10, first * 10 + 4000)
            db.execute("select pg_switch_wal()")
    past = Past(scene, NOW["time"], work)
    past.replay()
    past.restored.start()
    rng = random.Random(7)
    kills = 0
    for turn in range(100):
        time.sleep(rng.uniform(0.3, 2))
        if not past.connector.running():
            break
        if turn % 4 == 3:
            past.restored.kill()
            past.restored.start(waits=False)
        else:
            past.connector.kill()
            kills += 1
            past.replay()
    assert past.connector.wait_exit(120) == 0, past.connector.log_text()
    assert kills > 3, "it was killed"
    past.check(read_topics(bootstrap, "replayed."))
    delete_topics(bootstrap, "replayed.")


def test_what_cannot_be_replayed(scenes):
    """A backup that is too young for --since, another replay's folder, a server that is not restored. Runs by name."""
    scene = scenes(17)
    past = Past(scene, NOW["time"])
    out = ("-o", f"sink.file.path={past.restored.state}/replayed.jsonl")
    past.replay(*out)
    past.connector.wait_log("waiting for the restored server")
    past.connector.kill()
    past.replay(*out, since="2020-01-01T00:00:00Z")
    refused(scene, "recover_state_folder")
    (past.restored.state / "replay").unlink()
    past.replay(*out, since="2020-01-01T00:00:00Z")
    past.restored.start(waits=False)
    refused(scene, "recover_backup_too_young")
    assert scene.lost.logged("older backup.*later --since|ended before then"), scene.lost.log_text()
    past.restored.stop()
    past.restored.forget()
    past.restored = scene.restore()
    past.replay(*out, since="0/1000028", until="0/2000000")
    past.restored.start(waits=False)
    refused(scene, "recover_backup_too_young")
    state = past.restored.state.parent / "state-of-a-primary"
    state.mkdir()
    scene.lost.start("--from", f"{scene.primary.host}:{scene.primary.port}", "--state", state, "--since", past.since, "--until", past.until,
                     "--to", "replayed", *out, command="replay")
    refused(scene, "recover_not_in_recovery")
    assert not (past.restored.state / "replayed.jsonl").exists() or not (past.restored.state / "replayed.jsonl").read_text()
    assert past.of_the_connector() == past.left


ARGUMENTS = {"--from": "127.0.0.1:1", "--since": "0/1000000", "--until": "0/2000000", "--to": "replayed"}
# What is typed, what the connector has, and what is said of it.
REFUSED = {
    "a time without its zone": ({"--since": "2026-08-01T09:00:00"}, {}, "--since: '2026-08-01T09:00:00' is neither an LSN nor a time with its zone"),
    "no time": ({"--until": "yesterday"}, {}, "--until: 'yesterday' is neither an LSN nor a time with its zone"),
    "nothing between": ({"--until": "0/1000000"}, {}, "--until: '0/1000000' is not behind --since '0/1000000'"),
    "no server": ({"--from": "nowhere"}, {}, "--from: 'nowhere'"),
    "no folder": ({"--state": "/nowhere/at/all"}, {}, "--state: '/nowhere/at/all' is no folder"),
    "no prefix": ({"--to": "a b"}, {}, "--to: 'a b': a topic.prefix has"),
    "the live prefix": ({"--to": "{prefix}"}, {}, "would write into topics of the live connector"),
    "below the live prefix": ({"--to": "{prefix}.replayed"}, {}, "would write into topics of the live connector"),
    "a rule of the live prefix": ({}, {"transforms": "r", "transforms.r.type": "org.apache.kafka.connect.transforms.RegexRouter",
                                       "transforms.r.regex": "{prefix}\\.public\\.(.*)", "transforms.r.replacement": "$1"}, "-o transforms.r.regex=VALUE"),
    "the live file": ({}, {"sink": "file", "sink.file.path": "/tmp/nobody-writes-here"}, "-o sink.file.path=VALUE"),
    "the live exchange": ({}, {"sink": "rabbitmq", "sink.rabbitmq.exchange": "shop"}, "-o sink.rabbitmq.exchange=VALUE"),
    "the live queue": ({}, {"sink": "rabbitmq", "walduct.sink.rabbitmq.default.exchange": "true", "sink.rabbitmq.routingKey": "shop"},
                       "-o sink.rabbitmq.routingKey=VALUE"),
    "the live SQS queue": ({}, {"sink": "sqs", "sink.sqs.region": "eu-central-1", "sink.sqs.queue.url": "https://sqs.test/1/shop"},
                           "-o sink.sqs.queue.url=VALUE"),
    "the live SNS topic": ({}, {"sink": "sns", "sink.sns.region": "eu-central-1", "sink.sns.topic.arn": "arn:aws:sns:eu-central-1:1:shop"},
                           "-o sink.sns.topic.arn=VALUE"),
    "the live receiver": ({}, {"sink": "http", "sink.http.url": "http://shop.test/in"}, "-o sink.http.url=VALUE"),
    "the live file of letters": ({"-o": "sink.http.url=http://replay.test/in"},
                                 {"sink": "http", "sink.http.url": "http://shop.test/in", "errors.deadletterqueue.topic.name": "letters",
                                  "walduct.sink.http.deadletter.file": "/tmp/nobody-writes-here"}, "-o walduct.sink.http.deadletter.file=VALUE"),
    "several slots": ({}, {"walduct.slots": "2"}, "-o walduct.slots=1"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_before_anything_is_asked(case, db, connectors, tmp_path):
    typed, config, said = REFUSED[case]
    connector = connectors(db)
    prefix = connector.config["topic.prefix"]
    connector.config.update({name: value.replace("{prefix}", prefix) for name, value in config.items()})
    arguments = {"--state": str(tmp_path), **ARGUMENTS, **typed}
    done = connector.call("replay", *(word.replace("{prefix}", prefix) for pair in arguments.items() for word in pair))
    assert done.returncode == 2 and said in done.stderr, done


BANK = """
create table branches (id int primary key, balance int not null default 0);
create table tellers (id int primary key, branch int, balance int not null default 0, filler text default repeat('t', 84));
create table accounts (id int primary key, branch int, balance int not null default 0, filler text default repeat('a', 84));
create table history (id bigint generated always as identity primary key, teller int, branch int, account int, delta int, at timestamp);
insert into branches select i from generate_series(1, 10) i;
insert into tellers select i, i % 10 + 1 from generate_series(1, 100) i;
insert into accounts select i, i % 10 + 1 from generate_series(1, 10000) i;
create procedure pay(times int) language plpgsql as $$
declare account int; teller int; branch int; delta int;
begin
  for turn in 1..times loop
    account := 1 + random() * 9999; teller := 1 + random() * 99; branch := 1 + random() * 9; delta := random() * 1000;
    update accounts set balance = balance + delta where id = account;
    update tellers set balance = balance + delta where id = teller;
    update branches set balance = balance + delta where id = branch;
    insert into history (teller, branch, account, delta, at) values (teller, branch, account, delta, clock_timestamp());
    commit;
  end loop;
end $$"""
TRANSACTIONS = int(os.environ.get("E2E_REPLAY_TRANSACTIONS", 20000))


class Bank:
    """Four sessions at once, each of small transactions as pgbench's; how long they took."""

    def __init__(self, scene):
        self.scene, self.took_s = scene, 0

    def pay(self):
        with self.scene.db.connect() as session:
            session.execute(f"call pay({TRANSACTIONS // 4})")

    def work(self, _):
        begun = time.monotonic()
        with ThreadPoolExecutor(4) as sessions:
            for done in [sessions.submit(self.pay) for _ in range(4)]:
                done.result()
        self.took_s = time.monotonic() - begun


def lines_between(connector, first, last):
    """Of its file, behind the record that has the one up to that of the other."""
    lines = iter(lines_of(connector))
    for line in lines:
        if first in line:
            break
    for line in lines:
        yield line
        if last in line:
            return


@pytest.mark.timeout(900 + TRANSACTIONS // 100)
def test_replay_of_many_transactions(scenes):
    """E2E_REPLAY_TRANSACTIONS of four changes each (20,000): line by line what was streamed then. Runs by name."""
    scene = scenes(18, shared={"publication.autocreate.mode": "all_tables"})
    scene.db.script(BANK)
    scene.db.execute("insert into items values (3, 'too early')")
    patience_s = 60 + TRANSACTIONS // 200
    wait_until(lambda: b"too early" in last_line(scene.lost), patience_s, "what is too early is streamed", interval_s=0.5)
    bank, since = Bank(scene), scene.db.value(NOW["time"])
    bank.work(scene.db)
    scene.db.execute("insert into slow values (99, 'the last one')")
    wait_until(lambda: b"the last one" in last_line(scene.lost), patience_s, "all is streamed", interval_s=0.5)
    until = scene.db.value(NOW["time"])
    scene.db.execute("insert into items select i, 'too late' from generate_series(500, 510) i")
    scene.backup.wait_archived(patience_s)
    restored, connector = scene.restore(), scene.lost
    connector.stop()
    out = restored.state / "replayed.jsonl"
    connector.start("--from", f"{restored.postgres.host}:{restored.postgres.port}", "--state", restored.state, "--since", since, "--until", until,
                    "--to", "replayed", "-o", f"sink.file.path={out}", command="replay")
    restored.start()
    assert connector.wait_exit(patience_s) == 0, connector.log_text()
    assert connector.logged("the replay is done"), connector.log_text()
    wanted = [line.replace(connector.prefix, "replayed") for line in lines_between(connector, "too early", "the last one")]
    mine = (line.replace(connector.prefix, "replayed") for line in lines_of(connector, out))
    assert len(wanted) >= 4 * (TRANSACTIONS // 4 * 4)
    assert difference(wanted, mine) is None
    took_s = seconds_between(connector, "streaming slot=", "goal reached")
    print(f"{TRANSACTIONS} transactions in {bank.took_s:.0f} s, {len(wanted)} records: replayed in {took_s:.1f} s, "
          f"{TRANSACTIONS / took_s:,.0f} transactions/s, {len(wanted) / took_s:,.0f} records/s")
