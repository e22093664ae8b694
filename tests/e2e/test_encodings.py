"""Names and text in every encoding and spelling arrive as UTF-8."""
import pytest

NAMES = ["select", "Ünïcode", "中文", "emoji😀", 'quote"d', "sp ace", "tab\tbed", "back\\slash", "dot.ted", "'single'", " lead", "é" * 31]


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def test_enc01_enc05_enc07_names_of_schemas_tables_and_columns(db, connectors):
    for i, name in enumerate(NAMES):
        db.execute(f"create schema {quoted(name)}")
        db.execute(f"create table {quoted(name)}.{quoted(name)} ({quoted(name)} int primary key, {quoted(name[::-1] + 'x')[:60]}{chr(34) if len(name) > 55 else ''} text)")
        db.execute(f"insert into {quoted(name)}.{quoted(name)} values ({i}, 's')")
    connector = connectors(db, {"schema.include.list": None}, sink="file").start()
    connector.wait_streaming()
    for i, name in enumerate(NAMES):
        db.execute(f"insert into {quoted(name)}.{quoted(name)} values ({100 + i}, 'n')")
        db.execute(f"delete from {quoted(name)}.{quoted(name)} where {quoted(name)} = {i}")
    events = connector.wait_events(4 * len(NAMES))
    for i, name in enumerate(NAMES):
        of_table = [e for e in events if e.value and e.source["table"] == name]
        assert [(e.op, e.source["schema"], e.key_json) for e in of_table] == [
            ("r", name, {name: i}), ("c", name, {name: 100 + i}), ("d", name, {name: i})]
        assert list(of_table[0].after)[0] == name
    assert connector.terminate() == 0


TEXTS = ["é", "e\u0301", "שלום", "😀👩‍👩‍👧", "\u2028\u2029", "a\x01\x1f\x7f", 'q"\\/', "\ufeffbom", "\U0010ffff", "tab\tnl\ncr\r"]


def test_enc02_enc06_text_is_exact_and_json_valid(db, connectors):
    db.execute("create table t (id int primary key, v text)")
    for i, text in enumerate(TEXTS):
        db.execute("insert into t values (%s, %s)", i, text)
    connector = connectors(db, sink="file").start()
    connector.wait_streaming()
    for i, text in enumerate(TEXTS):
        db.execute("insert into t values (%s, %s)", 100 + i, text)
    events = connector.wait_events(2 * len(TEXTS))
    assert [e.after["v"] for e in events] == TEXTS * 2
    assert connector.terminate() == 0


@pytest.mark.parametrize("encoding, text", [("LATIN1", "Grüße é"), ("WIN1252", "€ “x”"), ("EUC_JP", "日本語")])
def test_enc03_other_server_encodings(encoding, text, pg15, databases, connectors):
    database = databases(pg15).create(f"encoding '{encoding}' template template0 locale 'C'").hand_over()
    with database.connect(client_encoding="utf8") as session:
        session.execute(f'create table t (id int primary key, "{text}" text)')
        session.execute(f"insert into t values (1, '{text}')")
    connector = connectors(database, sink="file").start()
    connector.wait_streaming()
    with database.connect(client_encoding="utf8") as session:
        session.execute(f"insert into t values (2, '{text}')")
    events = connector.wait_events(2)
    assert [e.after for e in events] == [{"id": 1, text: text}, {"id": 2, text: text}]
    assert connector.terminate() == 0
