#!/usr/bin/env python3
"""Plays what the real Debezium was recorded doing with signals, step by step, through walduct, and compares records, stored
offsets and notifications.

  tests/signals/run.py [--postgres 15|17|18] [--kafka] [--keep DIR] [--strict] [-v] [NAME...]

Without names: the scenarios that must be equal (MUST below). Each gets a fresh database `shop` of the runner's own server.
Exit status: 0 all equal, 1 differences, 2 usage. Run it with .deps/venv/bin/python.
"""
import argparse
import collections
import fnmatch
import json
import re
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from golden import lsn_order  # noqa: E402
from golden.scenario_files import description, statements  # noqa: E402
from recorded import signals as judge  # noqa: E402
from recorded.records import load_all  # noqa: E402
from support import servers  # noqa: E402
from support.connector import Connector, database_properties  # noqa: E402
from support.events import to_line  # noqa: E402
from support.kafka import delete_topics  # noqa: E402
from support.sql import split_statements  # noqa: E402
from support.wait import wait_until  # noqa: E402

CORPUS = HERE / "corpus"
SERVER = {"pg_set": {"autovacuum": "off"}}
WAIT_S = 20
QUIET_S = 1.2
GATES = {"open": 1, "close": 2, "read": 3}

MUST = ["*"]
# Not supported yet.
NOT_YET = []
# The real connector stops its stream while a chunk is read; walduct does not. So where a scenario keeps a watermark waiting, that many
# records of the signaling table are out already, by checkpoint …
EARLIER = {
    "condition": {"condition kept": 2},
    "key_*": {"chunk read, not closed": 2},
    "kill_changes_while_down": {"before": 2, "end": 1},
    "kill_chunk_read": {"before": 2, "end": 1},
    "kill_mode_always": {"before": 2, "end": 2},
    "kill_second_table": {"before": 2, "end": 1},
    "surrogate": {"chunk read, not closed": 2},
    "tables_in_order": {"second table": 1},
    "tables_regex": {"expanded": 1},
}
# … and are not lost when it is killed then: its position is behind them before they are written.
LOST = {
    "kill_changes_while_down": ["W1-close"],
    "kill_chunk_read": ["W1-close"],
    "kill_mode_always": ["W1-close", "W2-open"],
    "kill_second_table": ["W2-close"],
}
# Members of the offset that go with a row of the snapshot: behind it another record is out already.
OF_A_ROW = {"tables_in_order": ["snapshot", "last_snapshot_record", "snapshot_completed"]}
# A signal sent while a watermark waits is taken at once: notifications go by its id from then on, and name its tables.
AT_ONCE = {"tables_quoted": [('"id": ?"s[13]"', '"id":"S"'), ("public.Odd Name,public.b1", "public.Odd Name")]}
# Where a change races with the next chunk, the order counts of each key's records alone.
BY_KEY = {"window_long_transactions": "srv.public.big"}
# Debezium stores a position without them with the last notification, and ends. They say the same: the tables are read.
OF_THE_END = {"mode_data_only": ["snapshot", "last_snapshot_record", "snapshot_completed"]}
SIGNALS = "srv.public.sig"


def matches(name, any_of):
    return any(fnmatch.fnmatch(name, pattern) for pattern in any_of)


def scenario_names(patterns=MUST, without=NOT_YET):
    return [path.parent.name for path in sorted(CORPUS.glob("*/scenario.json"))
            if matches(path.parent.name, patterns) and not matches(path.parent.name, without)]


class Play:
    """One scenario on one server. `bootstrap`: write to that Kafka, None: to a file. `brokers`: of signals."""

    def __init__(self, name, server, directory, bootstrap=None, brokers=None):
        self.name, self.folder, self.actual = name, CORPUS / name, directory / name
        self.scenario, self.bootstrap, self.brokers = description(self.folder), bootstrap, brokers
        self.database = server.database("shop")
        self.connector = Connector(self.actual, self._config(), self._worker(), name="golden")
        self.sessions, self.held = {}, {}
        self.barriers = 0
        self.checkpoints = []

    def _config(self):
        props = {k: v.replace("TMP", str(self.actual)).replace("BROKER", self.brokers or "")
                 for k, v in self.scenario["props"].items()}
        sink = {} if self.bootstrap else {"sink": "file", "sink.file.path": str(self.actual / "records.jsonl")}
        return {
            "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
            **database_properties(self.database),
            "slot.name": "golden",
            "publication.name": "golden_pub",
            "offset.flush.interval.ms": "200",
            **props,
            **sink,
        }

    def _worker(self):
        worker = {"offset.storage.file.filename": str(self.actual / "offsets.dat")}
        return {**worker, "bootstrap.servers": self.bootstrap} if self.bootstrap else worker

    def run(self):
        shutil.rmtree(self.actual)
        self.actual.mkdir(parents=True)
        self.database.create()
        try:
            self.database.script(statements(self.folder, "setup.sql"))
            self.connector.start()
            if self.scenario.get("streams", True):
                self._streaming()
                for step in json.loads(statements(self.folder, "steps.json")):
                    self._step(step)
                self._barrier()
                self._checkpoint("end")
                self.connector.stop()
            else:
                assert self.connector.wait_exit() == 0
                self._checkpoint("end")
            self._write()
        finally:
            for session in [*self.sessions.values(), *self.held.values()]:
                session.close()
            self.connector.close()
            self.database.drop()

    # --- steps ---

    def _step(self, step):
        kind = next(iter(step))
        getattr(self, "_do_" + kind)(step)

    def _session(self, name):
        if name not in self.sessions:
            self.sessions[name] = self.database.connect()
        return self.sessions[name]

    def _do_sql(self, step):
        for statement in split_statements(step["sql"]):
            self._session(step.get("session", "main")).execute(statement)

    def _do_signal(self, step):
        data = step.get("raw", None if step.get("data") is None else json.dumps(step["data"]))
        if step["signal"] == "source":
            self._session("signal").execute("insert into sig values (%s, %s, %s)", [step.get("id"), step.get("type"), data])
        elif step["signal"] == "file":
            line = step.get("raw") or json.dumps({k: step[k] for k in ("id", "type", "data") if k in step})
            with open(self.actual / "signals.txt", "a") as file:
                file.write(line + "\n")
        else:
            self._send_to_kafka(step)

    def _send_to_kafka(self, step):
        from confluent_kafka import Producer
        producer = Producer({"bootstrap.servers": self.brokers})
        value = step["raw"] if "raw" in step else json.dumps({k: step[k] for k in ("id", "type", "data") if k in step})
        producer.produce("srv-signal", key=step.get("key", "srv"), value=value)
        assert producer.flush(20) == 0

    def _do_hold(self, step):
        gate, number = step["hold"]
        session = self.database.connect()
        session.execute("select pg_advisory_lock(%s, %s)", [GATES[gate], number])
        self.held[gate, number] = session

    def _do_held(self, step):
        gate, number = step["held"]
        sql = ("select 1 from pg_locks where locktype = 'advisory' and not granted and classid = %s and objid = %s "
               "and database = (select oid from pg_database where datname = current_database())")
        wait_until(lambda: self.database.execute(sql, GATES[gate], number), WAIT_S, f"{step}")

    def _do_release(self, step):
        """And waits until what was held is over: Debezium's stream stands still until then, walduct's does not."""
        gate, number = step["release"]
        sql = ("select pid, xact_start from pg_stat_activity join pg_locks using (pid) where locktype = 'advisory' and not granted "
               "and classid = %s and objid = %s")
        waiting = self.database.execute(sql, GATES[gate], number)
        self.held.pop((gate, number)).close()
        for pid, begun in waiting:
            same = "select 1 from pg_stat_activity where pid = %s and xact_start = %s"
            wait_until(lambda pid=pid, begun=begun: not self.database.execute(same, pid, begun), WAIT_S, f"{step}")

    def _do_blocked(self, step):
        sql = "select 1 from pg_locks l join pg_stat_activity a using (pid) where not l.granted and l.locktype = 'relation' and a.application_name like 'walduct%%'"
        wait_until(lambda: self.database.execute(sql), WAIT_S, f"{step}")

    def _do_await(self, step):
        self.connector.wait_events(lambda events: sum(e.topic == step["await"] for e in events) >= step["count"], WAIT_S, f"{step}")

    def _do_notified(self, step):
        def seen(events):
            told = [json.loads(e.value) for e in events if e.topic == "srv-notifications"]
            told = [t.get("payload", t) for t in told]
            return sum(t["type"] == step["notified"] and t["aggregate_type"] == step.get("aggregate", t["aggregate_type"]) for t in told) >= step["count"]
        self.connector.wait_events(seen, WAIT_S, f"{step}")

    def _do_logged(self, step):
        self.connector.wait_log(step["logged"])

    def _do_file_empty(self, step):
        wait_until(lambda: (self.actual / "signals.txt").stat().st_size == 0, WAIT_S, "the signal file to be emptied")

    def _do_sleep(self, step):
        time.sleep(step["sleep"])

    def _do_barrier(self, step):
        self._barrier()

    def _barrier(self):
        self.barriers += 1
        self.database.execute("insert into zz_done values (%s)", self.barriers)
        key = self.barriers
        self.connector.wait_events(lambda events: any(e.topic.endswith("zz_done") and e.id == key for e in events), WAIT_S, f"barrier {key}")

    def _do_checkpoint(self, step):
        self._checkpoint(step["checkpoint"])

    def _checkpoint(self, label):
        def state():
            counts = collections.Counter(e.topic for e in self.connector.events() if e.topic != "srv-signal")
            return dict(sorted(counts.items())), self.connector.offset()
        last, since = state(), time.monotonic()
        while time.monotonic() - since < QUIET_S:
            time.sleep(0.1)
            now = state()
            if now != last:
                last, since = now, time.monotonic()
        self.checkpoints.append({"label": label, "records": last[0], "offset": last[1]})

    def _do_kill(self, step):
        self.connector.terminate(how=signal.SIGKILL)
        self.database.execute("select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'walduct%%'")
        self._inactive()

    def _do_stop(self, step):
        self.connector.stop()
        self._inactive()

    def _inactive(self):
        wait_until(lambda: not (self.database.slot("golden") or {}).get("active"), WAIT_S, "slot inactive")

    def _streaming(self):
        self.connector.wait_streaming()
        self.database.wait_slot_active("golden")

    def _do_start(self, step):
        self.connector.start()
        self._streaming()

    # --- the result ---

    def _write(self):
        events = [e for e in self.connector.events() if e.topic != "srv-signal"]
        events.sort(key=lambda e: (e.topic, e.partition, e.offset))
        dump = lambda thing: json.dumps(thing, ensure_ascii=False)
        (self.actual / "records.jsonl").write_text("".join(dump(to_line(e)) + "\n" for e in events))
        (self.actual / "checkpoints.jsonl").write_text("".join(dump(c) + "\n" for c in self.checkpoints))
        shutil.copy(self.connector.log, self.actual / "log.txt")
        tables = self.database.execute("select c.oid::regclass::text, c.relname from pg_class c join pg_namespace n on n.oid = relnamespace "
                                       "where relkind in ('r', 'p') and not relispartition and nspname not in ('pg_catalog', 'information_schema', 'judge')")
        final = {name: [r[0] for r in self.database.execute(f"select row_to_json(the_row) from {full} the_row")] for full, name in tables}
        (self.actual / "final.json").write_text(dump(final))

    def differences(self, strict):
        return differences(self.folder, self.actual, self.scenario, strict)


def of(table, name, default):
    return next((entry for pattern, entry in table.items() if fnmatch.fnmatch(name, pattern)), default)


def without_lost(records, lost):
    """Records without those of these watermarks, which are named by order of appearance."""
    if not lost:
        return records
    named = judge.prepared(records)
    return [r for r, n in zip(records, named) if not (r["topic"] == SIGNALS and any(f'"{name}"' in (n["key"] or "") for name in lost))]


def with_one_signal(records, alike):
    def one(text):
        for pattern, same in alike:
            text = re.sub(pattern, same, text)
        return text
    return [{**r, "key": one(r["key"]), "value": one(r["value"])} if r["topic"] == "srv-notifications" else r for r in records]


def by_key(records, topic):
    """Those of the topic in the order of their keys; those of one key as they come."""
    keys = iter(sorted((r for r in records if r["topic"] == topic), key=lambda r: r["key"]))
    return [next(keys) if r["topic"] == topic else r for r in records]


def as_recorded(checkpoints, name):
    """Checkpoints of walduct without what it is known to have more of, or less."""
    earlier, members = of(EARLIER, name, {}), of(OF_A_ROW, name, [])
    for one in checkpoints:
        signals = one["records"].pop(SIGNALS, 0) - earlier.get(one["label"], 0)
        if signals:
            one["records"][SIGNALS] = signals
    return checkpoints, members


def compare_checkpoints(golden, actual, meta):
    wanted, (got, members) = judge.checkpoints(golden), as_recorded(judge.checkpoints(actual), golden.name)
    for one in wanted:
        one["offset"] = {k: v for k, v in (one["offset"] or {}).items() if k not in members}
    for one in got:
        one["offset"] = {k: v for k, v in (one["offset"] or {}).items() if k not in of(OF_THE_END, golden.name, [])}
    return list(judge.compare_checkpoints(wanted, got, meta))


def differences(golden, actual, meta, strict):
    """As recorded/signals.py finds them; where the real connector breaks data, by the law alone."""
    if meta.get("defect"):
        return judge.laws(actual, meta) if meta.get("converges") else []
    alike = of(AT_ONCE, golden.name, [])
    theirs, ours = load_all(golden / "records.jsonl", actual / "records.jsonl")
    wanted = with_one_signal(theirs, alike)
    got = with_one_signal(without_lost(ours, of(LOST, golden.name, [])), alike)
    if topic := of(BY_KEY, golden.name, None):
        wanted, got, strict = by_key(wanted, topic), by_key(got, topic), False
    found = judge.compare_records(wanted, got, meta, strict) + compare_checkpoints(golden, actual, meta)
    if meta.get("converges"):
        found += judge.laws(actual, meta)
    if meta.get("notification_log") and judge.logged(golden) != judge.logged(actual):
        found.append(f"notifications in the log: want {judge.logged(golden)}\n got {judge.logged(actual)}")
    return found


def needs_kafka(name):
    return "BROKER" in description(CORPUS / name)["props"].values()


def play(name, server, directory, bootstrap=None, strict=True, brokers=None):
    """Plays one scenario; its differences, plain and strict."""
    brokers = brokers or bootstrap

    def once(directory):
        if brokers:
            delete_topics(brokers, "srv")
        one = Play(name, server, directory, bootstrap, brokers)
        one.run()
        found = [f"plain: {d}" for d in one.differences(False)]
        return found + ([f"strict: {d}" for d in one.differences(True)] if strict and not found else [])
    return lsn_order.twice(once, directory)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--postgres", type=int, default=17, choices=[15, 17, 18])
    parser.add_argument("--kafka", action="store_true")
    parser.add_argument("--keep", metavar="DIR", type=Path)
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    names = scenario_names(args.names, []) if args.names else scenario_names()
    if not names:
        parser.error("no such scenario")
    directory = args.keep or Path(tempfile.mkdtemp(prefix="signals-"))
    membership = servers.join_run()  # else another run that ends takes the servers for those of a broken one
    own = servers.private(postgres=args.postgres, kafka=args.kafka or any(map(needs_kafka, names)), **SERVER)
    failed = []
    try:
        for name in names:
            try:
                found = play(name, own.postgres, directory, own.bootstrap if args.kafka else None, args.strict,
                             own.bootstrap if args.kafka or needs_kafka(name) else None)
            except Exception as error:
                found = [str(error)]
            if found:
                failed.append(name)
                print(f"DIFF {name}: {len(found)}")
                print("".join(f"    {d}\n" for d in found[: None if args.verbose else 4]), end="", flush=True)
    finally:
        own.remove()
        servers.leave_run(membership)
    print(f"signals, PostgreSQL {args.postgres}: {len(names) - len(failed)} passed, {len(failed)} failed {' '.join(failed)}".rstrip())
    if args.keep is None:
        shutil.rmtree(directory)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
