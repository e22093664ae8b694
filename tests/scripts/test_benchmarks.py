"""bench/e2e: which stage a sample belongs to, and curves that are drawn from what was measured before."""
import json
import subprocess
import sys
import xml.etree.ElementTree as xml

import pytest

from support.paths import ROOT

sys.path.insert(0, str(ROOT / "bench/e2e"))

import stages  # noqa: E402

LOOP = ["1 walduct::engine::StreamPhase::ReadBatch", "1 walduct::engine::StreamPhase::Run", "1 walduct::engine::Session::Run", "1 start_thread"]
CHANGE = ["1 walduct::engine::Pipeline::Publish", "1 walduct::engine::Pipeline::OnChange", "1 walduct::pgoutput::Assembler::OnMessage", *LOOP]


@pytest.mark.parametrize("stack, stage", [
    (LOOP, stages.LOOP.name),
    (["1 entry_SYSCALL_64_after_hwframe", "1 recv", "1 PQgetCopyData", "1 walduct::replication::ReplicationStream::Next", *LOOP], stages.RECEIVE.name),
    (CHANGE, stages.ROUTE.name),
    (["1 __memcpy_avx_unaligned_erms", "1 walduct::encode::RecordEncoder::Encode", *CHANGE], stages.ENCODE.name),
    (["1 malloc", "1 rd_kafka_produceva", "1 walduct::kafka::Producer::Produce", "1 walduct::sink::KafkaSink::Write", *CHANGE], stages.PRODUCE.name),
    (["1 crc32c", "1 rd_kafka_broker_thread_main", "1 start_thread"], stages.CLIENT.name),
    (["1 dl_main", "1 _start"], stages.REST)])
def test_a_sample_belongs_to_the_innermost_stage(stack, stage):
    assert stages.stage_of([f"\t{frame}" for frame in stack]) == stage


def test_a_stage_costs_what_it_calls_less_the_stages_within():
    within = {inner for stage in stages.STAGES for inner in stage.within}
    assert within <= set(stages.STAGES) and len(within) == sum(len(stage.within) for stage in stages.STAGES)


def test_curves_are_drawn_from_files(tmp_path):
    point = {"rows": 10, "cpu_us_per_row": 1.5, "start_cpu_ms": 1, "rss_mb": 20.0}
    (tmp_path / "growth.json").write_text(json.dumps({"curves": {"columns": [{"at": 1, **point}, {"at": 1600, **point}]}}))
    (tmp_path / "many.json").write_text(json.dumps({"curves": {"connectors": [{"at": 200, "rss_mb": 700, "cpu_us_per_row": 3}]}}))
    drawn = tmp_path / "growth.svg"
    subprocess.run([sys.executable, ROOT / "bench/e2e/growth.py", "--from", tmp_path / "growth.json", "--from", tmp_path / "many.json", "--svg", drawn],
                   check=True)
    texts = [element.text for element in xml.parse(drawn).iter("{http://www.w3.org/2000/svg}text")]
    assert {"columns of a table", "connectors of a process", "1,600", "700", "CPU µs a row"} <= set(texts)
