"""What the log says to do after a start that was refused is typed as it stands: SQL, commands of walduct and of Kafka, properties; at most
two, and the connector streams. Where a hint cannot be typed, UNTYPED says what only the user knows."""
import re
import shlex
import subprocess

import pytest
from test_doctor_of_starts import WAYS, Way, before, break_it, roles  # noqa: F401

from support.paths import BINARY, ROOT

# What is typed of the hint: SQL, a command, or properties as NAME=VALUE.
TYPED = {
    "role_may_not_log_in": r"ALTER ROLE \S+ LOGIN",
    "role_may_not_replicate": r"ALTER ROLE \S+ REPLICATION",
    "may_not_connect": r"GRANT CONNECT ON DATABASE \S+ TO \S+",
    "too_many_connections": r"ALTER ROLE \S+ CONNECTION LIMIT -1",
    "no_tables_captured": r"walduct\.allow\.empty=true",
    "table_not_readable": r"GRANT SELECT ON \S+ TO \S+",
    "row_security_hides_rows": r"ALTER ROLE \S+ BYPASSRLS",
    "mask_lost": r"walduct\.mask\.lost=warn",
    "publication_missing": r"CREATE PUBLICATION [^;]+",
    "publication_for_all_tables": r"publication\.autocreate\.mode=all_tables",
    "publication_not_permitted": r"CREATE PUBLICATION [^;]+|publication\.autocreate\.mode=disabled",
    "slot_wrong_plugin": r"SELECT pg_drop_replication_slot\('[^']+'\)|walduct offsets reset -f \S+ -w \S+ --accept-loss",
    "offset_missing": r"SELECT pg_drop_replication_slot\('[^']+'\)",
    "position_lost": r"snapshot\.mode=when_needed",
    "position_skipped": r"snapshot\.mode=when_needed",
    "position_ahead": r"walduct offsets reset -f \S+ -w \S+ --accept-loss",
    "offset_malformed": r"walduct offsets reset -f \S+ -w \S+ --accept-loss",
    "system_mismatch": r"walduct offsets reset -f \S+ -w \S+ --accept-loss --accept-foreign",
    "snapshot_interrupted": r"snapshot\.mode=initial",
    "outbox_no_time_column": r"walduct\.outbox\.retention\.ms=0",
    "offset_topic_not_compacted": r"kafka-configs\.sh .*cleanup\.policy=compact",
}
A_PLACE = "a host, a port or a file: where it is only the user knows"
A_LIST = "which tables are meant only the user knows"
UNTYPED = {
    "wrong_password": "a password", "database_missing": "the name of a database", "unknown_host": A_PLACE, "postgres_unreachable": A_PLACE,
    "tls_failed": "certificates", "table_missing": "the user's own statement", "override_without_columns": "the user's own statement",
    "publication_without_tables": A_LIST, "outbox_no_tables": A_LIST, "outbox_not_captured": A_LIST,
    "slot_wrong_database": "another name", "slot_of_another_sink": "another name",
    "outbox_history": "whether rows are to be published or removed", "output_unwritable": A_PLACE, "spill_unwritable": A_PLACE,
    "offset_file_unwritable": A_PLACE, "offset_file_malformed": "whether there is a backup",
    "broker_unavailable": A_PLACE, "topic_settings_invalid": "how many replicas",
    "transaction_timeout_refused": "how long a transaction may take",
}


def test_each_way_is_typed_or_says_why_not():
    assert set(TYPED) | set(UNTYPED) == set(WAYS) and not set(TYPED) & set(UNTYPED)


def kafka_tool(words):
    """As Kafka's script of that name does."""
    tool = {"kafka-configs.sh": "kafka.admin.ConfigCommand", "kafka-topics.sh": "org.apache.kafka.tools.TopicCommand"}[words[0]]
    done = subprocess.run(["java", "-cp", f"{ROOT}/.deps/kafka/libs/*", tool, *words[1:]], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done


def type_it(text, db, connector):
    if text.startswith("walduct "):
        words = [str(BINARY), *shlex.split(text)[1:]]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60)
        if " belongs to the server with system identifier 7000000000000000001," in done.stderr:
            # It says first whose position it is, and what to repeat the command with.
            assert done.returncode == 4 and "repeat the command with --accept-foreign" in done.stderr, done
            done = subprocess.run([*words, "--accept-foreign"], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, (text, done)
    elif text.startswith("kafka-"):
        kafka_tool(shlex.split(text))
    elif re.match(r"[a-z.]+=", text):
        connector.config.update([text.split("=", 1)])
    else:
        db.script(text)


@pytest.mark.parametrize("reason", TYPED)
def test_what_is_typed_mends_it(reason, pg17, databases, connectors, roles):  # noqa: F811
    mend(reason, WAYS[reason], pg17, databases, connectors, roles)


def test_a_slot_that_was_made_anew_for_another_plugin(pg17, databases, connectors, roles):  # noqa: F811
    def replace(db, connector):
        db.drop_slot(connector.slot)
        db.execute("select pg_create_logical_replication_slot(%s, 'test_decoding')", connector.slot)
        db.execute("insert into items values (3, 'missed')")
    connector, typed = mend("slot_wrong_plugin", Way(does=replace, ran=True), pg17, databases, connectors, roles)
    assert len(typed) == 2
    read = [event.after["id"] for event in connector.events() if event.op == "r"]
    assert sorted(read) == [1, 1, 2, 3], "all of it is read anew"


def mend(reason, way, pg17, databases, connectors, roles):  # noqa: F811
    db = databases(pg17)
    connector, role = before(way, db, connectors, roles)
    break_it(way, db, connector, role)
    connector.start()
    connector.wait_log(rf"reason={reason}\b", 20)
    if way.retries:
        connector.kill()
    else:
        assert connector.wait_exit() != 0
    hint = re.search(rf'reason={reason} hint="((?:[^"\\]|\\.)*)"', connector.log_text()).group(1).replace('\\"', '"')
    found = [one.group().strip() for one in re.finditer(TYPED[reason], hint)]
    assert 1 <= len(found) <= 2, hint
    for text in found:
        type_it(text, db, connector)
    connector.start().wait_streaming()
    connector.stop()
    return connector, found
