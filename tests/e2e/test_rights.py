"""PRM: nothing is asked of the server that the records do not need. What is missing is said before anything is made, with the GRANT."""
import json
import re

import pytest
from test_doctor import examine

PEOPLE = """
create table people (id int primary key, name text, ssn text, joined date default '2020-01-01');
insert into people values (1, 'ann', 'SECRET', default), (2, 'bob', null, default);
create table heap (a int, secret text);
insert into heap values (1, 'x'), (2, 'y');
create table sig (id varchar(64) primary key, type varchar(64), data varchar(4096));
create table beat (n int);
"""
# Every right that a connector of this configuration needs, and what says that it is missing: in the log of `run`, which then stops
# (3), or goes on (0), and in the finding of doctor.
RIGHTS = {
    "usage on schema public": (3, "table_not_readable", 'GRANT USAGE ON SCHEMA "public" TO "{role}";'),
    "select (id, name, joined) on people": (3, "table_not_readable", 'GRANT SELECT ("id", "name", "joined") ON "public"."people" TO "{role}";'),
    "select (a, ctid, xmin) on heap": (3, "table_not_readable", 'GRANT SELECT ("a") ON "public"."heap" TO "{role}";'),
    "insert (id, type, data) on sig": (0, "signal_table_not_writable", 'GRANT INSERT ON "public"."sig" TO "{role}";'),
    "delete on sig": (0, "signal_table_not_writable", 'GRANT DELETE ON "public"."sig" TO "{role}";'),
    "select (id) on sig": (0, "signal_table_not_writable", 'GRANT SELECT ("id") ON "public"."sig" TO "{role}";'),
}
CONFIG = {
    "publication.autocreate.mode": "disabled",
    "table.include.list": r"public\.people,public\.heap,public\.sig",
    "column.exclude.list": r"public\.people\.ssn,public\.heap\.secret",
    "signal.data.collection": "public.sig",
    "incremental.snapshot.watermarking.strategy": "insert_delete",
    "walduct.snapshot.keyless": "ctid",
    "snapshot.max.threads": "2",
    "walduct.snapshot.resume": "true",
    "snapshot.locking.mode": "shared",
}


class Role:
    """A role that may replicate, and has no other right yet."""

    def __init__(self, db, suffix="", attributes="login replication password 'x'"):
        self.db, self.name = db, f"{db.name}{suffix}"
        db.execute(f'create role "{self.name}" {attributes}')

    def run(self, sql):
        self.db.execute(sql.format(role=f'"{self.name}"'))

    def grant(self, rights):
        self.run(f"grant {rights} to {{role}}")

    def revoke(self, rights):
        self.run(f"revoke {rights} from {{role}}")

    def drop(self):
        self.run("drop owned by {role}")
        self.run("drop role {role}")


@pytest.fixture
def roles():
    made = []

    def make(*arguments):
        made.append(Role(*arguments))
        return made[-1]
    yield make
    for role in reversed(made):
        role.drop()


def as_role(role, **more):
    return {**CONFIG, "database.user": role.name, "database.password": "x", **more}


def signal(db, name, kind, *tables):
    data = json.dumps({"data-collections": [f"public.{table}" for table in tables], "type": kind})
    db.execute("insert into sig values (%s, 'execute-snapshot', %s)", name, data)


def reads(events, table):
    return [e.after for e in events if e.table == table and e.op == "r"]


@pytest.mark.parametrize("version", [15, 18])
def test_PRM_columns_alone(version, databases, roles, connectors, request):
    """Snapshot, stream, incremental and blocking snapshot with SELECT on what is captured, and no right more."""
    db = databases(request.getfixturevalue(f"pg{version}"))
    db.script(f'revoke all on schema public from public; {PEOPLE}; create publication "{db.name}" for table people, heap, sig')
    role = roles(db)
    for rights in RIGHTS:
        role.grant(rights)
    connector = connectors(db, as_role(role, **{"heartbeat.interval.ms": "1000", "heartbeat.action.query": "insert into public.beat values (1)"}),
                           sink="file")
    assert "heartbeat.action.query" in examine(connector)[1]["permission_denied"]["message"]
    role.grant("insert on beat")
    code, findings = examine(connector)
    assert not {"table_not_readable", "signal_table_not_writable", "permission_denied"} & set(findings), findings
    connector.start().wait_streaming()
    people = [{"id": 1, "name": "ann", "joined": 18262}, {"id": 2, "name": "bob", "joined": 18262}]
    events = connector.wait_events(4)
    assert reads(events, "people") == people and reads(events, "heap") == [{"a": 1}, {"a": 2}]
    signal(db, "i", "incremental", "people", "heap")
    connector.wait_events(lambda seen: reads(seen, "people") == 2 * people and reads(seen, "heap") == 2 * [{"a": 1}, {"a": 2}])
    signal(db, "b", "blocking", "people")
    connector.wait_events(lambda seen: reads(seen, "people") == 3 * people)
    db.execute("insert into people values (3, 'eve', 'HIDDEN')")
    connector.wait_events(lambda seen: any(e.op == "c" and e.id == 3 for e in seen))
    connector.stop()
    assert "permission denied" not in connector.log_text()
    text = (connector.dir / "records.jsonl").read_text()
    assert "SECRET" not in text and "HIDDEN" not in text


@pytest.mark.parametrize("missing", RIGHTS)
def test_PRM_each_right_is_asked_for(missing, databases, pg17, roles, connectors):
    """Without it: told by doctor and by a start, with the statement that gives it; then it works."""
    stops, reason, grant = RIGHTS[missing]
    db = databases(pg17)
    db.script(f'revoke all on schema public from public; {PEOPLE}; create publication "{db.name}" for table people, heap, sig')
    role = roles(db)
    for rights in RIGHTS:
        if rights != missing:
            role.grant(rights)
    connector = connectors(db, as_role(role), sink="file")
    grant = grant.format(role=role.name)
    code, findings = examine(connector)
    assert reason in findings and grant in findings[reason]["hint"], findings
    assert (code, findings[reason]["severity"]) == ((2, "error") if stops else (1, "warning")), findings
    if stops:
        assert connector.run_to_end() == stops and f"reason={reason}" in connector.log_text(), connector.log_text()
        assert not db.slots(), "nothing is made before"
    else:
        connector.start().wait_streaming()
        connector.stop()
    assert grant in connector.log_text().replace('\\"', '"'), connector.log_text()
    db.execute(grant)
    connector.start().wait_streaming()
    connector.wait_events(4)
    connector.stop()
    assert not connector.logged(f"reason={reason}")


def test_PRM_a_right_is_taken_away_while_it_runs(databases, pg17, roles, connectors):
    """A chunk says what is missing; so does a blocking snapshot. The stream goes on."""
    db = databases(pg17)
    db.script(f'{PEOPLE}; create publication "{db.name}" for table people, heap, sig')
    role = roles(db)
    for rights in RIGHTS:
        role.grant(rights)
    connector = connectors(db, as_role(role, **{"snapshot.mode": "no_data"}), sink="file").start().wait_streaming()
    role.revoke("select (name) on people")
    role.revoke("select (xmin) on heap")
    signal(db, "i", "incremental", "people", "heap")
    connector.wait_log(rf'GRANT SELECT \(\\?"name\\?"\) ON .*people')
    connector.wait_log(r"GRANT SELECT \(xmin\) ON .*heap")
    signal(db, "b", "blocking", "people")
    connector.wait_log(rf'blocking.*GRANT SELECT \(\\?"name\\?"\) ON .*people')
    role.grant("select (name) on people")
    signal(db, "again", "incremental", "people")
    connector.wait_events(lambda seen: len(reads(seen, "people")) == 2)
    connector.stop()


def test_PRM_as_the_role_that_the_session_becomes(databases, pg17, roles, connectors):
    """ALTER ROLE … SET role: REPLICATION is of who logs in, SELECT of what it becomes; inherited rights count, NOINHERIT ones do not."""
    db = databases(pg17)
    db.script(f'{PEOPLE}; create publication "{db.name}" for table people, heap, sig')
    reader = roles(db, "_reader", "nologin")
    reader.grant("select on people, heap, sig")
    reader.grant("insert, delete on sig")
    login = roles(db)
    reader.run(f'grant {{role}} to "{login.name}" with inherit false')
    connector = connectors(db, as_role(login), sink="file")
    code, findings = examine(connector)
    assert code == 2 and f'TO "{login.name}"' in findings["table_not_readable"]["hint"], findings
    assert connector.run_to_end() == 3 and "table_not_readable" in connector.log_text() and not db.slots()
    login.run(f'alter role {{role}} set role = "{reader.name}"')
    assert "table_not_readable" not in examine(connector)[1] and "role_may_not_replicate" not in examine(connector)[1]
    connector.start().wait_streaming()
    connector.wait_events(4)
    connector.stop()
    # It may drop the slot, too: who has logged in may replicate.
    connector.config.update({"snapshot.mode": "when_needed"})
    connector.offset_file.unlink()
    connector.start().wait_streaming().stop()
    # The other way round the walsender is refused.
    login.run("alter role {role} noreplication")
    reader.run("alter role {role} replication")
    assert f'ALTER ROLE "{login.name}" REPLICATION' in examine(connector)[1]["role_may_not_replicate"]["hint"]
    assert connector.run_to_end() == 3 and "role_may_not_replicate" in connector.log_text()


def test_PRM_what_an_override_reads(databases, pg17, roles, connectors):
    """Not the table, but what its statement names; found before a slot is made. A foreign partition needs a user mapping."""
    db = databases(pg17)
    db.script(f'{PEOPLE}; create table hidden (id int primary key); create view seen as select id, name from people;'
              f'create publication "{db.name}" for table people, hidden')
    role = roles(db)
    role.grant("usage on schema public")
    statement = {"snapshot.select.statement.overrides": "public.people",
                 "snapshot.select.statement.overrides.public.people": "select id, name from seen"}
    connector = connectors(db, as_role(role, **statement, **{"table.include.list": "public.people", "signal.data.collection": None}), sink="file")
    finding = examine(connector)[1]["table_not_readable"]
    assert "seen" in finding["message"] and f'"{role.name}" SELECT on what snapshot.select.statement.overrides.public.people' in finding["hint"]
    assert connector.run_to_end() == 3 and "table_not_readable" in connector.log_text() and not db.slots()
    role.grant("select on seen")
    connector.start().wait_streaming()
    assert [r["name"] for r in reads(connector.wait_events(2), "people")] == ["ann", "bob"]
    connector.stop()
    assert re.search("snapshot completed", connector.log_text())


# By what is revoked while an incremental snapshot runs: what gives it again.
REVOKED = {
    "select on s.big": ("table_not_readable", 'GRANT SELECT ("id", "v") ON "s"."big" TO "{role}"; then ask for it again: '
                        'walduct signal execute-snapshot -f … --table s.big'),
    "select (v) on s.narrow": ("table_not_readable", 'GRANT SELECT ("v") ON "s"."narrow" TO "{role}"; then ask for it again: '
                               'walduct signal execute-snapshot -f … --table s.narrow'),
    "usage on schema s": ("table_not_readable", 'GRANT USAGE ON SCHEMA "s" TO "{role}"; then ask for it again: '
                          'walduct signal execute-snapshot -f … --table s.'),
}


def test_PRM_revoked_while_an_incremental_snapshot_runs(databases, pg17, roles, connectors):
    """What it leaves out is told with the rows that it has read, and with all that brings the rest."""
    db = databases(pg17)
    rows = 3000
    db.script(f"""create schema s; create table sig (id varchar(64) primary key, type varchar(64), data varchar(4096));
                  create table s.big (id int primary key, v text, secret text); create table s.narrow (like s.big including all);
                  create publication "{db.name}" for table s.big, s.narrow, sig;
                  insert into s.big select i, 'x' from generate_series(1, {rows}) i; insert into s.narrow select * from s.big""")
    role = roles(db)
    for rights in ("usage on schema public, s", "select on s.big", "select (id, v) on s.narrow", "insert, select, delete on sig"):
        role.grant(rights)
    connector = connectors(db, {
        "publication.autocreate.mode": "disabled", "snapshot.mode": "no_data", "schema.include.list": None,
        "table.include.list": "s.big,s.narrow,public.sig", "column.exclude.list": r"s\..*\.secret", "signal.data.collection": "public.sig",
        "incremental.snapshot.chunk.size": "10", "database.user": role.name, "database.password": "x"}, sink="file")
    connector.start().wait_streaming()

    def ask(name, table):
        data = json.dumps({"data-collections": [f"s.{table}"], "type": "incremental"})
        db.execute("insert into sig values (%s, 'execute-snapshot', %s)", name, data)

    for rights, (reason, hint) in REVOKED.items():
        table = "narrow" if "narrow" in rights else "big"
        before = len(reads(connector.events(), table))
        ask(f"{rights} 1", table)
        connector.wait_events(lambda seen: len(reads(seen, table)) > before)
        role.revoke(rights)
        connector.wait_log(f"warning .*the table is left out.*rows_before=[1-9]\\d* table=s.{table} reason={reason} hint="
                           + re.escape(json.dumps(hint.format(role=role.name), ensure_ascii=False)[:-1]).replace("…", r"\S+ -w \S+"), 10)
        role.grant(rights)
        seen = len(connector.events())
        assert len(reads(connector.events(), table)) < before + rows
        ask(f"{rights} 2", table)
        connector.wait_events(lambda events: len({row["id"] for row in reads(events[seen:], table)}) == rows)
    assert connector.running()


@pytest.mark.parametrize("rights, hint", [("select on b", 'GRANT SELECT ON "public"."b" TO "{role}";'),
                                          ("usage on schema public", 'GRANT USAGE ON SCHEMA "public" TO "{role}";')])
def test_PRM_revoked_while_tables_are_read(rights, hint, databases, pg17, roles, connectors):
    """Between the check of a start and the table: told like there, and read by the next start."""
    db = databases(pg17)
    db.script(f"""revoke all on schema public from public; create table a (id int primary key); create table b (id int primary key);
                  insert into a values (1); insert into b values (2); create publication "{db.name}" for table a, b""")
    role = roles(db)
    role.grant("usage on schema public")
    role.grant("select on a, b")
    connector = connectors(db, {"publication.autocreate.mode": "disabled", "table.include.list": "public.a,public.b", "schema.include.list": None,
                                "database.user": role.name, "database.password": "x", "snapshot.select.statement.overrides": "public.a",
                                "snapshot.select.statement.overrides.public.a": "select id from public.a where (select pg_sleep(2)) is not null"},
                           sink="file")
    connector.start().wait_log("snapshot started")
    role.revoke(rights)
    assert connector.wait_exit() == 3
    assert connector.logged("stopped: .*reason=table_not_readable hint=" + re.escape(json.dumps(hint.format(role=role.name)))), connector.log_text()
    role.grant(rights)
    connector.start().wait_streaming()
    connector.stop()
    assert {e.id for e in connector.events() if e.op == "r"} == {1, 2}
