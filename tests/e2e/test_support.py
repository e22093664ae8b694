"""The instruments themselves: a measuring tool that cannot fail proves nothing."""
import json
import shutil

import pytest

from formats import run as formats_run
from golden import run
from recorded import answers, formats, records, signals, worker_topics
from signals import run as signals_run
from support import workload
from support.events import Event, GrowingFile
from support.offsets import read_map, write_map
from support.paths import ROOT
from support.sql import split_statements


def test_statements_are_split_outside_of_quotes_only():
    script = "a 'x;''y'; E'\\';' ; $$ ; $$ ; $t$ ; $$ $t$; \"q;\" /* ; */ x; -- c;\n b;;"
    assert split_statements(script) == ["a 'x;''y'", "E'\\';'", "$$ ; $$", "$t$ ; $$ $t$", '"q;" /* ; */ x', "-- c;\n b"]


@pytest.mark.parametrize("name", ["streaming.dat", "after-snapshot.dat"])
def test_offset_files_are_read_and_written_as_java_does(name, tmp_path):
    recorded = run.HERE / "offsets" / name
    write_map(tmp_path / name, read_map(recorded))
    assert (tmp_path / name).read_bytes() == recorded.read_bytes()


def test_a_file_that_grows_is_read_as_it_is(tmp_path):
    def line(number, value="v\u2028"):
        return json.dumps({"topic": "t", "partition": 0, "key": str(number), "value": value, "headers": [["h", "1"]]}) + "\n"

    path = tmp_path / "records.jsonl"
    file = GrowingFile(path)

    def seen():
        return [(e.offset, int(e.key), e.headers) for e in file.read()]

    def all_of(numbers):
        return [(at, number, [("h", b"1")]) for at, number in enumerate(numbers)]
    assert seen() == []
    path.write_text(line(1) + line(2) + line(3)[:20])
    assert seen() == all_of([1, 2]) and seen() == all_of([1, 2])
    first = file.read()[0]
    with open(path, "a") as more:
        more.write(line(3)[20:] + line(4)[:7])
    assert seen() == all_of([1, 2, 3]) and file.read()[0] is first
    path.write_text(line(1) + line(2) + line(3))  # a torn line is cut, as a start does it
    assert seen() == all_of([1, 2, 3])
    path.write_text(line(1) + line(2) + line(3) + line(5))
    assert seen() == all_of([1, 2, 3, 5])
    path.write_text(line(1) + line(2))
    assert seen() == all_of([1, 2])
    path.write_text("".join(line(number, "w") for number in range(6, 20)))
    assert seen() == all_of(range(6, 20))
    path.unlink()
    assert seen() == []
    path.write_text(line(1))
    assert seen() == all_of([1])


# --- the comparers of recordings: each sees what is planted ---

def planted(corpus, name, file, change):
    """(what was recorded, the same with a change)"""
    recording, changed = records.load(corpus / name / file), records.load(corpus / name / file)
    change(changed)
    return recording, changed


def put(part, old, new):
    """In the first record whose key, value, … has it."""
    def change(recording):
        at = next(number for number, record in enumerate(recording) if old in str(record[part]))
        found = recording[at][part]
        text = found.replace(old, new, 1) if isinstance(found, str) else json.loads(json.dumps(found).replace(old, new, 1))
        recording[at] = {**recording[at], part: text}
    return change


def swap(recording):
    recording[2], recording[3] = recording[3], recording[2]


@pytest.mark.parametrize("change", [
    put("value", '"op":"', '"op": "'), put("value", '"ts_ms":1', '"ts_ms":0'), put("value", '"lsn":', '"lsn":x'), put("value", '"op":"c"', '"op":"u"'),
    put("headers", "taskId", "taskid"), put("topic", "srv.", "srv_"), put("partition", "0", "1"), list.pop, lambda all: all.append(all[0]), swap,
])
def test_a_change_of_a_record_is_seen(change):
    recording, changed = planted(run.CORPUS, "ops_schemas_on", "records.jsonl", change)
    assert records.compare(recording, recording, True) == []
    assert records.compare(recording, changed, False) != []


def test_clocks_are_masked_and_the_order_of_lsns_is_not():
    line = lambda lsn, time: {"topic": "t", "partition": 0, "key": None, "headers": [], "value": f'{{"lsn":{lsn},"ts_ms":{time},"sequence":"[\\"7\\",\\"{lsn}\\"]"}}'}
    one, later, turned = [line(10, 1), line(20, 2)], [line(11, 3), line(22, 4)], [line(20, 1), line(10, 2)]
    assert records.compare(one, later, True) == []
    assert records.compare(one, turned, False) == []
    assert len(records.compare(one, turned, True)) == 2


def test_a_change_of_what_signals_do_is_seen():
    corpus, name = signals_run.CORPUS, "tables_in_order"
    meta = {}
    for change in (put("key", '-open"', '-opem"'), put("value", "snapshot-window-close", "snapshot-window-open"), list.pop):
        recording, changed = planted(corpus, name, "records.jsonl", change)
        assert signals.compare_records(recording, recording, meta, True) == []
        assert signals.compare_records(recording, changed, meta, False) != []
    for change in (lambda all: all[0]["records"].popitem(), list.pop, lambda all: all[0]["offset"].update(snapshot="x"), lambda all: all[-1].update(label="x")):
        recording, changed = planted(corpus, name, "checkpoints.jsonl", change)
        assert not list(signals.compare_checkpoints(recording, recording, meta))
        assert list(signals.compare_checkpoints(recording, changed, meta))


@pytest.mark.parametrize("name", ["avro_basic", "protobuf_basic", "apicurio_default", "ce_json_avro"])
def test_a_change_of_a_byte_or_of_a_schema_is_seen(name, tmp_path):
    golden, actual = formats_run.CORPUS / name, tmp_path / name
    shutil.copytree(golden, actual)
    assert formats.compare(golden, actual, True) == []
    lines = (golden / "records.jsonl").read_text().split("\n")
    number, record = next((number, json.loads(line)) for number, line in enumerate(lines) if '"value": {' in line or '"value":{' in line)
    form = "hex" if "hex" in record["value"] else "text"
    for content in (record["value"][form][:-2], record["value"][form] + "00", record["value"][form][:-2] + ("01" if form == "hex" else '"x')):
        record["value"] = {**record["value"], form: content}
        (actual / "records.jsonl").write_text("\n".join([*lines[:number], json.dumps(record), *lines[number + 1:]]))
        assert formats.compare(golden, actual, False), content
    shutil.copy(golden / "records.jsonl", actual)
    entries = json.loads((golden / "registry.json").read_text())
    for change in (lambda entry: entry.update(version=7), lambda entry: entry.update(schema=entry["schema"] + " ")):
        changed = json.loads(json.dumps(entries))
        change(changed[0])
        (actual / "registry.json").write_text(json.dumps(changed))
        assert formats.compare(golden, actual, False)


def test_a_change_of_an_answer_is_seen():
    folder = ROOT / "tests" / "serve" / "corpus" / "lifecycle"
    scenario, golden = (json.loads((folder / file).read_text()) for file in ("scenario.json", "exchanges.json"))
    compare = lambda actual: list(answers.compare(scenario["steps"], golden, actual))
    assert compare(golden) == []
    assert compare(golden[:-1])
    requests = [step for step in scenario["steps"] if "request" in step]
    number = next(n for n, step in enumerate(requests) if "free" not in step and isinstance(golden[n]["body"], dict))
    for change in ({"status": 599}, {"body": None}, {"headers": {}}, {"body": {**golden[number]["body"], "planted": 1}}):
        found = compare([*golden[:number], {**golden[number], **change}, *golden[number + 1:]])
        assert [n for n, _, _ in found] == [number], change


def test_a_change_in_the_topics_of_a_worker_is_seen():
    folder = ROOT / "tests" / "serve" / "corpus_topics"
    steps, golden = json.loads((folder / "steps.json").read_text()), records.load(folder / "records.jsonl")
    assert not list(worker_topics.compare(steps, golden, golden))
    for change in (lambda all: all.pop(0), lambda all: all[0].update(value="{}"), lambda all: all[0].update(key="x")):
        changed = [dict(record) for record in golden]
        change(changed)
        assert list(worker_topics.compare(steps, golden, changed))


def topic(*numbers):
    return [(("c", n, n), Event("t", 0, i, b"", b"")) for i, n in enumerate(numbers)]


def test_replays_accepts_repeated_tails_and_nothing_else():
    committed = [("c", n, n) for n in range(1, 6)]
    assert len(workload.replays(committed, topic(1, 2, 3, 2, 3, 4, 5, 5), "t")) == 2
    for wrong in (topic(1, 2, 4, 5), topic(1, 2, 3), topic(1, 2, 3, 2, 4, 5), topic(1, 2, 3, 4, 5, 6), topic(2, 3, 4, 5)):
        with pytest.raises(AssertionError):
            workload.replays(committed, wrong, "t")
