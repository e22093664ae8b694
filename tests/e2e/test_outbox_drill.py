"""`walduct outbox drill`: events in a scratch table, which arrive; afterwards nothing of it is."""
import re
import subprocess
from urllib.parse import quote

from support.kafka import topics_with_prefix
from support.paths import BINARY
from support.wait import wait_until


class Drill:
    def __init__(self, db, tmp_path, *arguments, user=None, password=None):
        self.db, self.name = db, f"drill_{db.name}"[:40].lower()
        secret = tmp_path / "password"
        secret.write_text((password or db.server.password) + "\n")
        url = f"postgres://{quote(user or db.server.user)}@{db.server.host}:{db.server.port}/{db.name}"
        self.command = [str(BINARY), "outbox", "drill", "--url", url, "--password-file", str(secret), "--schema", self.name, *arguments]

    def run(self, timeout_s=120):
        return subprocess.run(self.command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=timeout_s)

    def left(self):
        return self.db.value("select count(*) from pg_namespace where nspname = %s", self.name)


def told(done, drill, place):
    assert done.returncode == 0, done
    said = done.stdout.splitlines()
    assert all(line.startswith("drill: ") for line in said) and len(said) == 5, done
    assert f"95 events have arrived in {place}{drill.name}.events; one is parked, and 4 of its key wait behind it" in said[2]
    assert re.search(rf"mended it: {drill.name}\.outbox \d+ is tried again \(2 attempts before\)$", said[3])
    assert "all 100 events have arrived, each once and those of a key in their order" in said[4]
    assert drill.left() == 0
    assert "password" not in done.stdout + done.stderr


def test_a_drill_without_kafka(databases, pg17, tmp_path):
    """By a role that may create a schema, and neither replicate nor anything else; twice."""
    db = databases(pg17)
    role = f"{db.name}_driller"
    db.script(f"create role {role} login password 'x'; grant create on database {db.name} to {role}")
    drill = Drill(db, tmp_path, user=role, password="x")
    told(drill.run(), drill, "the file, ")
    told(drill.run(), drill, "the file, ")
    db.script(f"drop owned by {role}; drop role {role}")


def test_a_drill_with_kafka(databases, pg17, broker, tmp_path):
    db = databases(pg17)
    drill = Drill(db, tmp_path, "--kafka", broker)
    told(drill.run(), drill, "topic ")
    assert topics_with_prefix(broker, drill.name) == [f"{drill.name}.events"]
    again = drill.run()
    assert again.returncode == 2 and f"Kafka has already {drill.name}.events" in again.stderr and drill.left() == 0
    other = Drill(db, tmp_path, "--kafka", broker, "--delete-topics")
    other.command[other.command.index(drill.name)] = other.name = f"{drill.name[:30]}_more"
    told(other.run(), other, "topic ")
    wait_until(lambda: topics_with_prefix(broker, other.name) == [], 10, "the topic is deleted")


def test_a_drill_touches_nothing_that_is_there_and_says_what_fails(databases, pg17, tmp_path):
    db = databases(pg17)
    drill = Drill(db, tmp_path)
    db.script(f"create schema {drill.name}; create table {drill.name}.outbox (id int)")
    done = drill.run()
    assert done.returncode == 2 and f"has already a schema {drill.name}" in done.stderr and "DROP SCHEMA" in done.stderr, done
    assert db.value(f"select count(*) from {drill.name}.outbox") == 0
    db.script(f"drop schema {drill.name} cascade")
    role = f"{db.name}_nobody"
    db.script(f"create role {role} login password 'x'")
    done = Drill(db, tmp_path, user=role, password="x").run()
    assert done.returncode == 2 and "permission denied for database" in done.stderr and drill.left() == 0, done
    typed = re.search(r'GRANT CREATE ON DATABASE "\S+" TO "\S+"', done.stderr)
    db.script(typed[0])
    told(Drill(db, tmp_path, user=role, password="x").run(), drill, "the file, ")
    bad = Drill(db, tmp_path)
    bad.command[bad.command.index(bad.name)] = "Bad"
    done = bad.run()
    assert done.returncode == 2 and "--schema: 'Bad': at most 40 lower-case letters" in done.stderr, done
    db.script(f"drop owned by {role}; drop role {role}")


def test_a_drill_whose_events_do_not_arrive_fails(databases, pg17, tmp_path):
    """A rule of the server's marks rows before they are read: fewer arrive than were written."""
    db = databases(pg17)
    drill = Drill(db, tmp_path)
    db.script(f"""create function lose() returns event_trigger language plpgsql as $$
        begin
          if to_regclass('{drill.name}.outbox') is not null
             and not exists (select from pg_trigger where tgrelid = to_regclass('{drill.name}.outbox')) then
            execute 'create trigger lose before insert on {drill.name}.outbox for each row when (new.event_type = ''Drilled'''
                    ' and (new.payload ->> ''n'')::int = 42) execute function public.lost()';
          end if;
        end $$;
        create function lost() returns trigger language plpgsql as $$ begin new.published_at := now(); return new; end $$;
        create event trigger lose on ddl_command_end when tag in ('CREATE TABLE', 'CREATE INDEX') execute function lose()""")
    done = drill.run()
    assert done.returncode == 1 and "event 52 of key 2 has arrived where 42 was to: out of order" in done.stderr, done
    assert drill.left() == 0
