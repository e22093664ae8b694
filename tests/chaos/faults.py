"""What happens to the connector, its database, its broker and its offset file. Each fault is over when its function returns, but for
what the connector itself has to mend. `loses_place`: the slot is lost with it, and a snapshot fills the gap."""
import contextlib
import os
import signal
import time
from pathlib import Path

import psycopg

from chaos.bench import NotPlayed
from chaos.ledger import PUBLISHED

FAULTS = {}
ALL_TABLES = f"alter publication chaos set table {PUBLISHED}"
LOSE_THE_SLOT = "select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = 'chaos' and active"


def fault(weight=1, loses_place=False):
    def register(function):
        function.weight, function.loses_place = weight, loses_place
        FAULTS[function.__name__] = function
        return function
    return register


# --- the connector ---

@fault(4)
def kill_9(bench, choose):
    bench.signal(signal.SIGKILL)


@fault(3)
def pause(bench, choose):
    bench.signal(signal.SIGSTOP)
    time.sleep(choose.uniform(0.1, 4))
    bench.signal(signal.SIGCONT)


@fault(2)
def stop_and_start(bench, choose):
    bench.signal(signal.SIGTERM)


@fault(3)
def second_instance(bench, choose):
    """One more with the same configuration, as in a rolling update; whoever has the slot may stand still or lose it meanwhile."""
    bench.second.start()
    try:
        time.sleep(choose.uniform(0.2, 3))
        what = choose.choice(("nothing", "killed", "stands still", "loses the slot"))
        if what == "killed":
            bench.signal(signal.SIGKILL)
        if what == "stands still":
            bench.signal(signal.SIGSTOP)
        if what in ("loses the slot", "stands still"):
            bench.sql(LOSE_THE_SLOT)
        time.sleep(choose.uniform(0.2, 3))
        bench.signal(signal.SIGCONT)
        time.sleep(choose.uniform(0, 1))
    finally:
        if bench.second.running():
            bench.second.process.send_signal(choose.choice((signal.SIGTERM, signal.SIGKILL)))
        bench.second.wait_exit(30)


# --- its connections ---

@fault(3)
def cut(bench, choose):
    bench.proxy.cut()


@fault(2)
def stall(bench, choose):
    bench.proxy.stall()
    time.sleep(choose.uniform(0.5, 6))
    bench.proxy.go_on()


@fault(2)
def half_close(bench, choose):
    bench.proxy.half_close()


@fault(3)
def truncate(bench, choose):
    bench.proxy.truncate(choose.choice((1, 5, 100, 1000, choose.randint(1, 100_000))))


@fault(3)
def walsender_terminated(bench, choose):
    bench.sql(LOSE_THE_SLOT)


@fault(2)
def sessions_terminated(bench, choose):
    bench.sql("select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'walduct%'")


# --- the database server ---

@fault()
def postgres_fast(bench, choose):
    bench.servers.pg_ctl("-m", "fast", "-w", "-t", "60", "restart", "-l", bench.servers.values["PG_DATA"] + ".log", timeout_s=90)


@fault()
def postgres_immediate(bench, choose):
    bench.servers.pg_ctl("-m", "immediate", "-w", "restart", "-l", bench.servers.values["PG_DATA"] + ".log", timeout_s=90)


@fault()
def postgres_killed(bench, choose):
    bench.servers.do("kill-postgres")
    time.sleep(choose.uniform(0, 2))
    bench.servers.do("start-postgres")


@fault()
def postgres_paused(bench, choose):
    bench.servers.pause_postgres()
    time.sleep(choose.uniform(0.5, 5))
    bench.servers.resume_postgres()


@fault(2)
def promotion(bench, choose):
    bench.promote()


# --- the broker, and connections to it ---

@fault(2)
def kafka_cut(bench, choose):
    bench.kafka_proxy.cut()


@fault(2)
def kafka_stall(bench, choose):
    bench.kafka_proxy.stall()
    time.sleep(choose.uniform(0.5, 6))
    bench.kafka_proxy.go_on()


@fault(2)
def kafka_half_close(bench, choose):
    bench.kafka_proxy.half_close()


@fault(3)
def kafka_truncate(bench, choose):
    """In the middle of what is sent, or of the answer."""
    bench.kafka_proxy.truncate(choose.choice((1, 5, 100, 1000, choose.randint(1, 100_000))), from_server=choose.random() < 0.5)


@fault()
def kafka_stopped(bench, choose):
    bench.servers.do("stop-kafka")
    time.sleep(choose.uniform(0, 3))
    bench.servers.do("start-kafka")


@fault()
def kafka_killed(bench, choose):
    with contextlib.suppress(ProcessLookupError):
        os.kill(bench.servers.broker, signal.SIGKILL)
    time.sleep(choose.uniform(0.5, 2))
    bench.servers.do("start-kafka")


@fault(2)
def kafka_paused(bench, choose):
    bench.servers.pause_kafka()
    time.sleep(choose.uniform(0.5, 6))
    bench.servers.resume_kafka()


# --- what is in the database ---

@fault(2)
def lock(bench, choose):
    """On a table that is captured, while its schema changes."""
    with bench.database.connect(autocommit=False) as session:
        session.execute("alter table scratch alter v set default 'x'")
        time.sleep(choose.uniform(0.5, 4))
        session.commit()


@fault(2)
def table_created_anew(bench, choose):
    bench.sql("drop table if exists scratch", "create table scratch (id int primary key, v text)", ALL_TABLES,
              "insert into scratch values (1, 'new')")


@fault()
def publication_altered(bench, choose):
    bench.sql("alter publication chaos drop table scratch", "insert into scratch values (2) on conflict do nothing", ALL_TABLES)


# Another table under the name, and in the publication with the same commit: what is written to it from then on comes.

@fault(2)
def swapped(bench, choose):
    bench.sql("drop table if exists moved_before; create table moved_after (like moved including all); "
              "lock table moved in access exclusive mode; insert into moved_after select * from moved; "
              f"alter table moved rename to moved_before; alter table moved_after rename to moved; {ALL_TABLES}")


@fault(2)
def dropped_and_created(bench, choose):
    bench.sql("lock table moved in access exclusive mode; create table moved_kept as table moved; drop table moved; "
              "create table moved (id bigint primary key, mood mood not null); insert into moved select * from moved_kept; "
              f"drop table moved_kept; {ALL_TABLES}")


@fault(2)
def enum_made_anew(bench, choose):
    bench.sql("create type mood_after as enum ('calm', 'cross', 'new'); alter table moved alter column mood type mood_after "
              "using mood::text::mood_after; drop table if exists moved_before; drop type mood; alter type mood_after rename to mood")


@fault(2)
def leaf_replaced(bench, choose):
    """A partition with a key of its own goes, another one comes."""
    bench.sql("lock table leaves in access exclusive mode; alter table leaves detach partition leaves_1; "
              "alter table leaves_1 rename to leaves_before; create table leaves_1 (like leaves); "
              "alter table leaves_1 add primary key (id); insert into leaves_1 select * from leaves_before; drop table leaves_before; "
              "alter table leaves attach partition leaves_1 for values in (1)")


@fault()
def rights_revoked(bench, choose):
    bench.sql(f'revoke connect on database "{bench.database.name}" from public, connector')
    bench.sql("select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'walduct%'")
    time.sleep(choose.uniform(0.5, 3))
    bench.sql(f'grant connect on database "{bench.database.name}" to public')


@fault(loses_place=True)
def slot_dropped(bench, choose):
    for _ in range(50):
        bench.sql(LOSE_THE_SLOT)
        with contextlib.suppress(psycopg.errors.ObjectInUse):
            bench.sql("select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = 'chaos'")
            return


@fault(loses_place=True)
def slot_advanced(bench, choose):
    for _ in range(50):
        bench.sql(LOSE_THE_SLOT)
        with contextlib.suppress(psycopg.errors.ObjectInUse, psycopg.errors.ObjectNotInPrerequisiteState):
            bench.sql("select pg_replication_slot_advance(slot_name, pg_current_wal_lsn()) from pg_replication_slots "
                      "where slot_name = 'chaos'")
            return


# --- the offset file ---

@fault(2)
def offset_file_cannot_be_written(bench, choose):
    """What is to become the new file cannot be made."""
    if bench.offset_file is None:
        raise NotPlayed("the offset is in a topic")
    in_the_way = Path(f"{bench.offset_file}.walduct-new")
    with contextlib.suppress(FileExistsError):
        in_the_way.unlink(missing_ok=True)
        in_the_way.mkdir()
    time.sleep(choose.uniform(0.5, 5))
    in_the_way.rmdir()


@fault(2)
def disk_full(bench, choose):
    bench.disk.fill()
    time.sleep(choose.uniform(0.5, 5))
    bench.disk.empty()
