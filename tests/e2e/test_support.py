"""The instruments themselves: a measuring tool that cannot fail proves nothing."""
import pytest

from golden import compare, run
from support import workload
from support.events import Event
from support.offsets import read_map, write_map
from support.sql import split_statements


def test_statements_are_split_outside_of_quotes_only():
    script = "a 'x;''y'; E'\\';' ; $$ ; $$ ; $t$ ; $$ $t$; \"q;\" /* ; */ x; -- c;\n b;;"
    assert split_statements(script) == ["a 'x;''y'", "E'\\';'", "$$ ; $$", "$t$ ; $$ $t$", '"q;" /* ; */ x', "-- c;\n b"]


@pytest.mark.parametrize("name", ["streaming.dat", "after-snapshot.dat"])
def test_offset_files_are_read_and_written_as_java_does(name, tmp_path):
    recorded = run.HERE / "offsets" / name
    write_map(tmp_path / name, read_map(recorded))
    assert (tmp_path / name).read_bytes() == recorded.read_bytes()


def test_compare_finds_a_changed_byte():
    records = compare.load(run.CORPUS / "ops_schemas_on" / "records.jsonl")
    changed = [dict(r) for r in records]
    changed[3]["value"] = changed[3]["value"].replace('"op":"', '"op": "')
    assert compare.compare(records, records, True) == []
    assert len(compare.compare(records, changed, True)) == 1
    assert compare.compare(records, records[:-1], False) != []


def topic(*numbers):
    return [(("c", n, n), Event("t", 0, i, b"", b"")) for i, n in enumerate(numbers)]


def test_replays_accepts_repeated_tails_and_nothing_else():
    committed = [("c", n, n) for n in range(1, 6)]
    assert len(workload.replays(committed, topic(1, 2, 3, 2, 3, 4, 5, 5), "t")) == 2
    for wrong in (topic(1, 2, 4, 5), topic(1, 2, 3), topic(1, 2, 3, 2, 4, 5), topic(1, 2, 3, 4, 5, 6), topic(2, 3, 4, 5)):
        with pytest.raises(AssertionError):
            workload.replays(committed, wrong, "t")
