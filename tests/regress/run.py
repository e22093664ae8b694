#!/usr/bin/env python3
"""PostgreSQL's own regression tests as a workload: its files in random order and several at a time, walduct killed meanwhile; at the
end each row is accounted for.

  tests/regress/run.py [--seed N] [--schemas] [--identity default|full] [--jobs N] [--kill-every S] [--without-kills] [--keep] [FILE...]

FILE: names of tests, such as `triggers`; none: all but `vacuum`, which doubles a table to four million rows. What walduct must
have published is what a second slot with test_decoding says of the same WAL: in each transaction the same tables in the same order
with the same operations. `--identity full`: tables get REPLICA IDENTITY FULL as they are made, so that updates and deletes of tables
without a key are not refused by the server.
Needs scripts/deps postgres regress and scripts/build release. Exit status: 0 all is accounted for, 1 not, 2 usage.
"""
import argparse
import contextlib
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from regress.ledger import Account, read_reference  # noqa: E402
from support import servers  # noqa: E402
from support.connector import PLAIN_JSON, Connector, database_properties  # noqa: E402
from support.paths import DEPS  # noqa: E402
from support.wait import wait_until  # noqa: E402

SUITE = DEPS / "regress"
PSQL = Path("/usr/lib/postgresql/15/bin/psql")
FIRST = "test_setup"  # all others use its tables
LARGE = ("vacuum",)
FILE_S = 240          # a file that waits for another one's locks
SERVER = {"max_prepared_transactions": "10", "lock_timeout": "20s", "statement_timeout": "120s", "max_wal_size": "4GB"}

# What test_decoding tells and no publication has: rows of materialized views, and that a partitioned table was truncated (its
# partitions were).
SETUP = """
create schema walduct_regress;
create table walduct_regress.views (name text);
create table walduct_regress.partitioned (name text);
create table walduct_regress.done (id int primary key);
create function walduct_regress.note() returns event_trigger language plpgsql security definer set search_path = pg_catalog as $$
declare made record;
begin
  for made in select * from pg_event_trigger_ddl_commands() loop
    if made.object_type = 'materialized view' then
      insert into walduct_regress.views values (made.object_identity);
    elsif exists (select from pg_class where oid = made.objid and made.classid = 'pg_class'::regclass and relkind = 'p') then
      insert into walduct_regress.partitioned values (made.object_identity);
    end if;
    {identity}
  end loop;
exception when others then null;
end $$;
create event trigger walduct_regress on ddl_command_end execute function walduct_regress.note();
"""
IDENTITY = """if made.command_tag in ('CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO') and made.object_type = 'table' then
      execute format('alter table %s replica identity full', made.object_identity);
    end if;"""


def names_of(wanted):
    known = sorted(path.stem for path in (SUITE / "sql").glob("*.sql"))
    unknown = set(wanted) - set(known)
    if unknown:
        sys.exit(f"run.py: no such test: {', '.join(sorted(unknown))}")
    return [name for name in (wanted or known) if name != FIRST and (wanted or name not in LARGE)]


class Suite:
    """Runs its files with psql, whatever they think of their own results."""

    def __init__(self, database, directory):
        server = database.server
        (directory / "results").mkdir(parents=True)
        self.environment = {
            **os.environ, "PGHOST": server.host, "PGPORT": str(server.port), "PGUSER": server.user, "PGPASSWORD": server.password,
            "PGDATABASE": database.name, "PGTZ": "PST8PDT", "PGDATESTYLE": "Postgres, MDY", "PGOPTIONS": "-c intervalstyle=postgres_verbose",
            "PG_ABS_SRCDIR": str(SUITE), "PG_ABS_BUILDDIR": str(directory), "PG_LIBDIR": "/usr/lib/postgresql/15/lib", "PG_DLSUFFIX": ".so"}
        self.directory, self.late = directory, []

    def run(self, name):
        with open(SUITE / "sql" / f"{name}.sql") as script, open(self.directory / f"{name}.out", "wb") as out:
            psql = subprocess.Popen([PSQL, "-X", "-a", "-q"], stdin=script, stdout=out, stderr=out, env=self.environment, cwd=self.directory)
            try:
                psql.wait(FILE_S)
            except subprocess.TimeoutExpired:
                self.late.append(name)
                psql.kill()
                psql.wait()


class Killer:
    """Ends the connector with kill -9 every now and then, and starts it again; what ended by itself is kept in `stopped`."""

    def __init__(self, connector, every_s, seed):
        self.connector, self.every_s, self.choose = connector, every_s, random.Random(f"kill {seed}")
        self.kills, self.stopped, self._over = 0, None, threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()

    def _run(self):
        while not self._over.wait(self.choose.uniform(0.2, 2 * self.every_s) if self.every_s else 1):
            if not self.connector.running():
                self.stopped = f"exit code {self.connector.process.returncode}:\n{self.connector.log_text()[-3000:]}"
                return
            if self.every_s:
                self.connector.kill()
                self.connector.start()
                self.kills += 1


def configuration(database, directory, schemas):
    converters = {name: str(schemas).lower() if name.endswith("schemas.enable") else value for name, value in PLAIN_JSON.items()}
    config = {
        "connector.class": "io.debezium.connector.postgresql.PostgresConnector", **database_properties(database),
        "plugin.name": "pgoutput", "topic.prefix": "srv", "slot.name": "walduct", "publication.name": "walduct",
        "publication.autocreate.mode": "all_tables", "snapshot.mode": "no_data", "provide.transaction.metadata": "true",
        "skipped.operations": "none", "tombstones.on.delete": "false", "errors.tolerance": "all", "errors.log.enable": "true",
        "sink": "file", "sink.file.path": str(directory / "records.jsonl"),
    }
    worker = {**converters, "offset.storage.file.filename": str(directory / "offsets.dat")}
    return Connector(directory, config, worker, name="regress")


def caught_up(database, connector, slot):
    """Once the connector has confirmed all that is there now."""
    target = database.value("select pg_current_wal_insert_lsn()")

    def confirmed():
        assert connector.running(), f"ended with exit code {connector.process.returncode}:\n{connector.log_text()[-3000:]}"
        return database.value("select confirmed_flush_lsn >= %s::pg_lsn from pg_replication_slots where slot_name = %s", target, slot)
    wait_until(confirmed, 600, "the connector has confirmed all", interval_s=0.5)


def play(args, server, directory):
    seed, names = args.seed, names_of(args.names)
    random.Random(f"order {seed}").shuffle(names)
    database = server.database("regression").create("template template0 lc_collate 'C' lc_ctype 'C'")
    # As pg_regress has it.
    database.execute("alter database regression set bytea_output = 'hex'")
    database.script(SETUP.replace("{identity}", IDENTITY if args.identity == "full" else ""))
    connector = configuration(database, directory, args.schemas)
    suite = Suite(database, directory / "suite")
    try:
        connector.start().wait_streaming(60)
        database.execute("select pg_create_logical_replication_slot('reference', 'test_decoding')")
        database.execute("insert into walduct_regress.done values (1)")  # what comes before it is not compared
        begin = time.monotonic()
        with Killer(connector, 0 if args.without_kills else args.kill_every, seed) as killer:
            suite.run(FIRST)
            with ThreadPoolExecutor(args.jobs) as pool:
                list(pool.map(suite.run, names))
        took = time.monotonic() - begin
        database.close_session()  # a test ends those of superusers
        for (prepared,) in database.execute("select gid from pg_prepared_xacts where database = 'regression'"):
            database.execute(f"rollback prepared '{prepared}'")
        database.execute("insert into walduct_regress.done values (2)")
        if killer.stopped:
            print(f"the connector stopped by itself, {killer.stopped}")
            return 1
        caught_up(database, connector, "walduct")
        connector.stop()
        late = f", ended after {FILE_S} s: {' '.join(suite.late)}" if suite.late else ""
        print(f"{len(names) + 1} files in {took:.0f} s, {killer.kills} kills{late}", flush=True)
        account = Account(directory / "records.jsonl", connector.log.read_text(errors="replace"))
        differences = account.compare(read_reference(database))
        print(account.summary())
        print("".join(f"    {line}\n" for line in differences[:40]), end="")
        return 1 if differences else 0
    finally:
        connector.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--schemas", action="store_true")
    parser.add_argument("--identity", choices=["default", "full"], default="default")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--kill-every", type=float, default=3, metavar="S")
    parser.add_argument("--without-kills", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("names", nargs="*", metavar="FILE")
    args = parser.parse_args()
    if not (SUITE / "sql").is_dir() or not PSQL.exists():
        sys.exit("run.py: run scripts/deps postgres regress first")
    with contextlib.ExitStack() as end:
        end.callback(servers.leave_run, servers.join_run())
        own = servers.private(postgres=15, pg_set=SERVER)
        end.callback(own.remove)
        directory = Path(tempfile.mkdtemp(prefix="regress-") if args.keep else end.enter_context(tempfile.TemporaryDirectory(prefix="regress-")))
        print(f"seed {args.seed}, {'with' if args.schemas else 'without'} schemas, identity {args.identity}" + (f", {directory}" if args.keep else ""), flush=True)
        failed = play(args, own.postgres, directory)
    print("regress: " + ("FAILED" if failed else "all is accounted for"))
    return failed


if __name__ == "__main__":
    sys.exit(main())
