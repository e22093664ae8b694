"""What is masked, hashed, truncated or left out stays so when the column, or its table, gets another name: the connector stops
before the first such row, unless walduct.mask.lost=warn. Each with the control that an entry with both names goes on."""
import json

import pytest

from support.wait import wait_until

SECRET = "078-05-1120"
PEOPLE = "create table people (id int primary key, ssn text, note text)"
INSERT = f"insert into people values (1, '{SECRET}', 'first')"
MASK = "column.mask.with.12.chars"
ENTRIES = [MASK, "column.mask.hash.SHA-256.with.salt.pepper", "column.mask.hash.v2.SHA-256.with.salt.pepper",
           "column.truncate.to.3.chars", "column.exclude.list"]


def published(connector):
    path = connector.dir / "records.jsonl"
    return path.read_text() if path.exists() else ""


def stops(connector, *said):
    assert connector.wait_exit() == 3, connector.log_text()
    text = connector.log_text()
    assert "reason=mask_lost" in text, text
    for one in said:
        assert one in text, text
    assert SECRET not in published(connector)


def streams(connector, count):
    connector.wait_events(lambda events: len([e for e in events if e.value]) >= count)
    assert SECRET not in published(connector)
    assert "mask_lost" not in connector.log_text()
    assert connector.terminate() == 0


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("covers", ["one name", "both"])
def test_a_column_is_renamed_while_it_streams(entry, covers, db, connectors):
    db.execute(PEOPLE)
    both = covers == "both"
    connector = connectors(db, {entry: r"public\.people\.ssn" + (", public.people.ssn_no" if both else ", public.people.note")},
                           sink="file").start().wait_streaming()
    db.execute(INSERT)
    connector.wait_events(1)
    db.script(f"alter table people rename column ssn to ssn_no; insert into people values (2, '{SECRET}', 'second')")
    if both:
        return streams(connector, 2)
    stops(connector, "public.people.ssn", "public.people.ssn_no", entry.replace("pepper", "…"), "walduct.mask.lost=warn")
    assert "pepper" not in connector.log_text()
    connector.config[entry] += ", public.people.ssn_no"
    streams(connector.start(), 2)


@pytest.mark.parametrize("covers", ["one name", "both"])
def test_before_the_first_streamed_change(covers, db, connectors):
    db.execute(PEOPLE)
    connector = connectors(db, {MASK: "public.people.ssn" + (".*" if covers == "both" else "")}, sink="file").start().wait_streaming()
    db.script(f"alter table people rename column ssn to ssn_no; insert into people values (1, '{SECRET}', 'x')")
    streams(connector, 1) if covers == "both" else stops(connector, "it is called public.people.ssn_no now")


@pytest.mark.parametrize("change", ["alter table people rename column ssn to ssn_no",
                                    "alter table people rename to persons",
                                    "create schema other; alter table people set schema other",
                                    "drop table people; create table people (id int primary key, ssn_no text, note text)",
                                    "alter table people rename column ssn to old; alter table people rename column note to ssn",
                                    "alter table people alter column ssn type json using to_json(ssn)"],
                         ids=["column", "table", "schema", "created anew", "names swapped", "type"])
@pytest.mark.parametrize("when", ["running", "stopped"])
def test_whatever_is_renamed(change, when, db, connectors):
    db.script(PEOPLE + "; create publication p for all tables")
    connector = connectors(db, {MASK: "public.people.ssn", "publication.autocreate.mode": "disabled", "publication.name": "p",
                                "schema.include.list": None}, sink="file").start().wait_streaming()
    db.execute(INSERT)
    connector.wait_events(1)
    if when == "stopped":
        wait_until(lambda: "walduct_masks" in (connector.offset() or {}), 30, "what is masked goes with the position")
        connector.stop()
    table = "persons" if "persons" in change else "other.people" if "other" in change else "people"
    value = f"'{SECRET}'" if "json" not in change else f"to_json('{SECRET}'::text)"
    db.script(f"{change}; insert into {table} values (2, {value}, 'x')")
    if when == "stopped":
        said = [f for f in json.loads(connector.call("doctor", "--json").stdout)["connectors"][0]["findings"] if f["reason"] == "mask_lost"]
        assert [f["severity"] for f in said] == ["error"], said
        connector.start()
    stops(connector)
    # By the letter: what was masked need not be.
    connector.config["walduct.mask.lost"] = "warn"
    connector.start()
    connector.wait_events(lambda events: len([e for e in events if e.value]) >= 2)
    assert connector.logged("walduct.mask.lost=warn")
    assert SECRET in published(connector)
    connector.stop()
    del connector.config["walduct.mask.lost"]
    assert connector.start().wait_exit() == 3, "it is not forgotten"


def test_the_first_row_comes_to_a_new_partition(db, connectors):
    db.script("""create table people (id int primary key, ssn text) partition by range (id);
                 create table people_1 partition of people for values from (0) to (10)""")
    connector = connectors(db, {MASK: r"public\.people_.*\.ssn"}, sink="file").start().wait_streaming()
    db.execute(f"insert into people values (1, '{SECRET}')")
    connector.wait_events(1)
    db.script(f"""alter table people rename column ssn to ssn_no; create table people_2 partition of people for values from (10) to (20);
                  alter publication "{connector.publication}" add table people_2; insert into people values (11, '{SECRET}')""")
    stops(connector, "public.people_2.ssn_no")


def test_an_entry_that_is_taken_out_is_meant(db, connectors):
    """Who changes the configuration knows; a column that is dropped shows nothing."""
    db.execute(PEOPLE)
    connector = connectors(db, {MASK: "public.people.ssn", "column.exclude.list": "public.people.note"}, sink="file").start().wait_streaming()
    db.execute(INSERT)
    connector.wait_events(1)
    db.script(f"alter table people drop column note; insert into people values (2, '{SECRET}')")
    connector.wait_events(2)
    connector.wait_log("column.exclude.list names public.people.note, which the table has no longer")
    assert SECRET not in published(connector)
    connector.stop()
    db.execute("alter table people rename column ssn to ssn_no")
    del connector.config[MASK]
    connector.start().wait_streaming()
    db.execute(f"insert into people values (3, '{SECRET}')")
    connector.wait_events(3)
    assert "mask_lost" not in connector.log_text()
    assert connector.terminate() == 0


@pytest.mark.parametrize("kind", ["incremental", "blocking"])
def test_a_snapshot_of_the_renamed_column(kind, db, connectors):
    """Its rows come from the catalog of now, before any change of the table was streamed."""
    db.script(PEOPLE + "; create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096))")
    connector = connectors(db, {MASK: "public.people.ssn", "signal.data.collection": "public.signals"}, sink="file").start().wait_streaming()
    db.script(f"alter table people rename column ssn to ssn_no; set session_replication_role = replica; {INSERT}")
    signal = json.dumps({"data-collections": ["public.people"], "type": kind})
    db.execute(f"insert into signals values ('1', 'execute-snapshot', '{signal}')")
    stops(connector)


def test_the_key_of_message_key_columns(db, connectors):
    db.execute(PEOPLE)
    connector = connectors(db, {"message.key.columns": "public.people:note"}, sink="file").start().wait_streaming()
    db.execute("insert into people values (1, '', 'a')")
    connector.wait_events(1)
    db.script("alter table people rename column note to remark; insert into people values (2, '', 'b')")
    assert connector.wait_exit() == 3
    assert "add public.people:remark to message.key.columns" in connector.log_text()
    connector.config["message.key.columns"] += ";public.people:remark"
    connector.start()
    events = connector.wait_events(2)
    assert [e.key for e in events] == [b'{"note":"a"}', b'{"remark":"b"}']
    assert connector.terminate() == 0


def test_a_list_of_what_is_wanted(db, connectors):
    """column.include.list hides nothing: what comes into it, or leaves it, is told."""
    db.execute(PEOPLE)
    connector = connectors(db, {"column.include.list": "public.people.(id|note)"}, sink="file").start().wait_streaming()
    db.execute("insert into people values (1, 'x', 'a')")
    connector.wait_events(1)
    db.script("alter table people rename column note to old; alter table people rename column ssn to note; insert into people values (2, 'y', 'b')")
    first, second = connector.wait_events(2)
    assert (first.after, second.after) == ({"id": 1, "note": "a"}, {"id": 2, "note": "y"})
    connector.wait_log("column.include.list admits public.people.note, which was called public.people.ssn")
    connector.wait_log("column.include.list leaves out public.people.old")
    assert connector.terminate() == 0
