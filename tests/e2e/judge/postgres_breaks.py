"""Breaks by the server: roles, slots, locks, and the server itself."""
import os
import signal
from pathlib import Path

from catalog_breaks import OFTEN
from support.judge import Break, either, failed, lag, retrying, slot_lost, stalled
from support.wait import wait_until

STOPS = either(failed, retrying)
SMALL = {"postgres": 17, "pg_set": {"max_slot_wal_keep_size": "32MB", "wal_keep_size": "0", "min_wal_size": "32MB", "max_wal_size": "64MB"}}


def role_of(patient):
    """From now on it logs in as a role of its own."""
    return patient.connector.config["database.user"]


def as_role(rights):
    """What is done to its role, and its sessions end."""
    def does(patient):
        patient.db.server.query(rights.format(role=role_of(patient), db=patient.db.name))
        patient.cut_off()
    return does


def fill_wal(patient):
    """Until the slot is lost."""
    def lost():
        patient.db.script("insert into other select 1 on conflict do nothing; delete from other; select pg_switch_wal();" * 4 + "checkpoint")
        return patient.db.slot(patient.connector.slot)["wal_status"] == "lost"
    wait_until(lost, 120, "the slot is lost", interval_s=0)


def row_behind_a_lock(patient):
    patient.lock = patient.db.connect(autocommit=False)
    patient.lock.execute("lock table late in access exclusive mode; insert into late values (1)")
    other = patient.db.connect(autocommit=False)
    patient.lock.commit()
    other.execute("lock table late in access exclusive mode")
    patient.other = other


def stop_walsender(patient):
    pid = patient.db.slot(patient.connector.slot)["active_pid"]
    os.kill(pid, signal.SIGSTOP)
    patient.stopped = pid
    patient.insert()


def go_on(patient):
    os.kill(patient.stopped, signal.SIGCONT)


OWN = {"own role": True}

def no_line_for_it(patient):
    """No line of pg_hba.conf lets it in any more."""
    hba = Path(patient.servers.values["PG_DATA"]) / "pg_hba.conf"
    hba.write_text(f"host all {patient.connector.config['database.user']} 0.0.0.0/0 reject\n" + hba.read_text())
    patient.servers.pg_ctl("reload")
    patient.cut_off()


POSTGRES = {
    "the password has expired": Break(as_role("alter role \"{role}\" valid until 'yesterday'"), "authentication_failed|password", STOPS, ready=503,
                                      doctor="password", config=OWN, ends=True),
    "its statements are cut short": Break(as_role("alter role \"{role}\" set statement_timeout = 1; alter role \"{role}\" set lock_timeout = 1"),
                                          "", lambda samples: True, ready=200, config=OWN),
    "pg_hba.conf lets it in no more": Break(no_line_for_it, "pg_hba.conf", STOPS, ready=503, doctor="pg_hba.conf", config=OWN, servers={"postgres": 17}, ends=True),
    "the slot is dropped": Break(
        lambda p: p.db.drop_slot(p.connector.slot), "position_lost|slot_missing", either(STOPS, slot_lost), ready=503, doctor="slot_missing|position_lost", ends=True),
    "REPLICATION is revoked": Break(
        as_role('alter role "{role}" noreplication'), "role_may_not_replicate", STOPS, ready=503, doctor="role_may_not_replicate", config=OWN, ends=True),
    "LOGIN is revoked": Break(as_role('alter role "{role}" nologin'), "role_may_not_log_in", STOPS, ready=503, doctor="role_may_not_log_in", config=OWN, ends=True),
    "the password is another": Break(as_role("alter role \"{role}\" password 'other'"), "authentication_failed|password", STOPS, ready=503,
                                     doctor="authentication_failed|password", config=OWN, ends=True),
    "the role has no connections left": Break(as_role('alter role "{role}" connection limit 0'), "too_many_connections|connection", STOPS, ready=503, doctor="connection", config=OWN, ends=True),
    "CONNECT is revoked": Break(
        as_role('revoke connect on database "{db}" from public, "{role}"'), "may_not_connect", STOPS, ready=503, doctor="may_not_connect", config=OWN, ends=True),
    "SELECT is revoked": Break(
        lambda p: p.db.script("revoke all on items from shop_owners; alter table items owner to postgres"), "", lambda samples: True, ready=200, doctor="table_not_readable|publication"),
    "the server is away": Break(
        lambda p: p.servers.pg_ctl("stop", "-m", "fast"), "postgres_unreachable|server_shutting_down|connection", STOPS, ready=503, doctor="postgres_unreachable",
        servers={"postgres": 17}, mends=lambda p: p.servers.do("start-postgres")),
    "the server answers nothing": Break(
        lambda p: (p.insert(), p.servers.pause_postgres()), "stall|lag", either(stalled, lag, STOPS), servers={"postgres": 17},
        mends=lambda p: p.servers.resume_postgres()),
    "the walsender stands still": Break(
        stop_walsender, "stall", either(stalled, lag), config=OFTEN, mends=go_on),
    "a row waits behind a lock": Break(
        row_behind_a_lock, r"descri\w+ (of )?a table|held up by pid", either(stalled, lag), config=OFTEN, tables="create table late (id int, w text default 'y')",
        mends=lambda p: p.other.rollback()),
    "the slot is lost while Kafka is away": Break(
        lambda p: (p.servers.do("stop-kafka"), fill_wal(p)), r"\blost\b|slot_lost", slot_lost, ready=503, doctor="slot_lost|slot_invalidated",
        servers={**SMALL, "kafka": True}, sink="kafka", config=OFTEN),
}
