"""bench/e2e: rounds in which not all readers take part, pieces of a report, and the page that is written from them."""
import json
import subprocess
import sys
import xml.etree.ElementTree as xml
from itertools import pairwise

import pytest

from support.paths import ROOT

sys.path.insert(0, str(ROOT / "bench/e2e"))

import measure  # noqa: E402
import page  # noqa: E402
import peers  # noqa: E402
import report  # noqa: E402
import turns  # noqa: E402

MACHINE = {"cores": 2, "kernel": "6", "processor": "a processor", "memory_gb": 23, "walduct": "walduct 0.1", "rows": 10, "rounds": 3}
DEBEZIUM = {"version": "3.6.1", "jvm": "-Xmx2g", "settings": {}}
SNAPSHOT = {"rss_mb": 30, "cpu_us_per_row": 1.0, "server_cpu_us_per_row": 2.0, "cores": 1.5}
TUNED = {"version": "3.6.1", "jvm": "-Xmx3g", "settings": {"max.batch.size": "20000"}}


def figures(rate, cpu=2.0, **more):
    return {"rows_per_s": rate, "cpu_us_per_row": cpu, "walsender_cpu_us_per_row": 5.0, "broker_cpu_us_per_row": 1.0, "rss_mb": 40.0, **more}


def piece(name, rounds, **about):
    medians = {r: measure.median(m) for r, m in rounds.items()}
    return {"postgres": 15, **about, "workloads": {name: {"rows": 10, "wal_bytes": 2500, "rounds": rounds, "median": medians}}}


def write(directory, **contents):
    for name, content in {"machine": MACHINE, **contents}.items():
        (directory / f"{name.replace('_', '-')}.json").write_text(json.dumps(content))


@pytest.fixture
def kept(tmp_path):
    own = {"pg_recvlogical": [figures(150_000)] * 3, "walduct": [figures(n) for n in (100_000, 120_000, 240_000)]}
    slow = {"debezium": [figures(20_000, 50.0, start_s=2.0, flowing_rows_per_s=30_000)],
            "debezium tuned": [figures(n, 25.0, start_s=1.0, flowing_rows_per_s=n) for n in (40_000, 60_000)]}
    write(tmp_path, tcp_typical=piece("typical", {**own, **slow}, peers={"debezium": DEBEZIUM, "debezium tuned": TUNED}),
          tcp_wide=piece("wide", {"pg_recvlogical": [figures(90_000)], "walduct": [figures(240_000)]}, peers={}),
          unix_typical=piece("typical", own), latency={key: {"p50": 1.0, "p999": 2.0} for key in ("walduct_ms", "broker_ms", "added_ms")},
          snapshot={"of_copy": {"walduct": 0.8}, "measured": {"walduct": [SNAPSHOT]}})
    return tmp_path


@pytest.mark.parametrize("count, many", [(2, 2), (4, 4), (6, 6), (3, 6), (5, 10)])
def test_all_places_and_followers_are_equally_frequent(count, many):
    orders = [turns.order(range(count), number) for number in range(many)]
    places = [order.index(reader) for reader in range(count) for order in orders]
    pairs = [pair for order in orders for pair in pairwise(order)]
    assert {places.count(place) for place in places} == {many}
    assert len(set(pairs)) == count * (count - 1) and {pairs.count(pair) for pair in pairs} == {many // count}


def test_a_slow_reader_takes_part_in_the_first_rounds_only():
    found = turns.rounds({"a": 3, "b": 3, "slow": 1}, 3)
    assert [sorted(names) for names in found] == [["a", "b", "slow"], ["a", "b"], ["a", "b"]]
    assert found[1] != found[2]


def test_a_median_is_of_the_rounds_that_a_reader_has(kept):
    medians = report.load(kept)["tcp"]["workloads"]["typical"]["median"]
    assert [medians[name]["rows_per_s"] for name in ("walduct", "debezium", "debezium tuned")] == [120_000, 20_000, 50_000]


def test_pieces_are_merged(kept):
    found = report.load(kept)
    assert set(found) == {"machine", "tcp", "unix", "latency", "snapshot"}
    assert set(found["tcp"]["workloads"]) == {"typical", "wide"} and found["tcp"]["peers"]["debezium"] == DEBEZIUM


def test_the_page(kept, tmp_path):
    written = tmp_path / "out.md"
    subprocess.run([sys.executable, ROOT / "bench/e2e/report.py", "--from", kept, "--to", written], check=True)
    text = written.read_text()
    assert "|  | walduct to Kafka | 0.80 | 120 | 30 | 2.00 | 5.00 | 1.00 | 0.96 | 40.0 | 3 |" in text
    assert "| typical | Debezium, stock | 6.0 | 4.0 | 2.0 | 0.040 | 1.000 |" in text
    assert "| typical | Debezium, tuned | 2.4 | 2.4 | 1.0 | 0.080 | 1.000 |" in text
    assert "used 90% of the 2 cores or more for wide:" in text  # 240,000 rows of 8 µs
    assert "| `max.batch.size` | `20000` |" in text
    drawn = [e.text for e in xml.parse(tmp_path / "out/rate.svg").iter("{http://www.w3.org/2000/svg}text")]
    assert {"Debezium, stock", "Debezium, tuned", "120", "50"} <= set(drawn)


def test_a_page_without_peers(kept):
    measured = report.load(kept)
    del measured["tcp"]["workloads"]["typical"]
    assert "## Against Debezium" not in page.page({**measured, "tcp": {**measured["tcp"], "peers": {}}})


@pytest.fixture
def runs(monkeypatch):
    """What would be measured."""
    done = []

    def run(command, check):
        done.append(command[1].name)
        command[-1].write_text("{}")
    monkeypatch.setattr(report.subprocess, "run", run)
    monkeypatch.setattr(report, "about", lambda _: MACHINE)
    return done


@pytest.fixture
def args():
    return report.argparse.Namespace(rows=10, rounds=3, peer_rounds=2, no_debezium=False)


def test_what_is_there_is_not_measured_again(tmp_path, runs, args):
    (tmp_path / "tcp-wide.json").write_text("{}")
    (tmp_path / "tcp-big.part").write_text("{")  # interrupted
    report.measure(args, tmp_path)
    first = len(runs)
    report.measure(args, tmp_path)
    assert first == len(runs) == len(report.pieces(args)) - 1
    assert {path.stem for path in tmp_path.glob("*.json")} == {*report.pieces(args), "machine"} and not list(tmp_path.glob("*.part"))


def test_pieces_of_another_build_are_refused(tmp_path, runs, args):
    (tmp_path / "machine.json").write_text(json.dumps({**MACHINE, "walduct": "walduct 0.0"}))
    with pytest.raises(SystemExit, match="walduct was 'walduct 0.0', is 'walduct 0.1'.*name another folder"):
        report.measure(args, tmp_path)
    assert not runs


def test_peers_are_asked_for_where_they_take_part(args):
    commands = report.pieces(args)
    assert {name for name, command in commands.items() if "--tuned" in command} == {"tcp-typical", "tcp-narrow", "tcp-single"}
    args.no_debezium = True
    assert not any("--debezium" in command or "--tuned" in command for command in report.pieces(args).values())


@pytest.mark.parametrize("seconds, first, rate", [(10, (5, 20), 16), (10, None, 10), (2, (1, 20), 50)])
def test_a_start_is_taken_off_where_enough_is_left(seconds, first, rate):
    assert peers.flowing(100, seconds, first)["flowing_rows_per_s"] == rate
