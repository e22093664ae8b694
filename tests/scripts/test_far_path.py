"""bench/e2e/far.py: the wire, what is counted on it, and where it cannot be laid."""
import contextlib
import re
import socket
import subprocess
import sys
import time

import pytest

from support.paths import ROOT

sys.path.insert(0, str(ROOT / "bench/e2e"))

import far_path  # noqa: E402


@contextlib.contextmanager
def wire(one_way_us, mbit, queue):
    """Its two ends, with sockets in the place of devices; then what it says at its end."""
    ends, inner = zip(*(socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(2)))
    said = []
    with subprocess.Popen([far_path.WIRE, *map(str, (*(s.fileno() for s in inner), one_way_us, mbit, queue))], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, pass_fds=[s.fileno() for s in inner], text=True) as process:
        for end in ends:
            end.settimeout(10)
        try:
            yield *ends, said
        finally:
            said += process.communicate()[0].splitlines()
            for end in (*ends, *inner):
                end.close()


def test_what_one_end_sends_comes_to_the_other_later_and_unchanged():
    with wire(100_000, 1000, 1 << 20) as (left, right, said):
        for sender, receiver in ((left, right), (right, left)):
            begin = time.monotonic()
            sender.send(b"one")
            sender.send(b"more")
            assert [receiver.recv(100), receiver.recv(100)] == [b"one", b"more"]
            assert 0.1 <= time.monotonic() - begin < 0.19  # not one after the other
    assert said == ["2 packets, 7 bytes, 0 dropped"] * 2


def test_it_carries_so_many_bits_a_second():
    with wire(0, 8, 1 << 20) as (left, right, _):
        begin = time.monotonic()
        for _ in range(5):
            left.send(bytes(40_000))
        for _ in range(5):
            right.recv(50_000)
        assert time.monotonic() - begin >= 0.2  # a million bytes a second


def test_more_than_its_queue_holds_is_dropped():
    with wire(0, 0.8, 10_000) as (left, right, said):
        for _ in range(50):
            left.send(bytes(1000))
        right.recv(2000)
        time.sleep(0.2)
    packets, dropped = map(int, re.match(r"(\d+) packets, \d+ bytes, (\d+) dropped", said[0]).groups())
    assert packets + dropped == 50 and 11 <= packets <= 14


def test_the_rate_is_that_of_the_middle_part():
    # After a start of ten seconds 100,000 bytes in one second, and then nothing for another while.
    samples = [(0, 1000), (10, 1000), *((10 + i / 10, 1000 + 10_000 * i) for i in range(1, 11)), (20, 101_000)]
    assert far_path.seconds_of_most(samples) == pytest.approx(far_path.LAST - far_path.FIRST)


def test_what_tcp_says_is_of_the_connection_that_brings_the_most(monkeypatch):
    lines = ["10.199.0.1:5432 10.199.0.2:1 cubic minrtt:40.5 bytes_sent:99 snd_wnd:70000 cwnd:10",
             "10.199.0.1:5432 10.199.0.2:2 cubic minrtt:40.1 cwnd:77 bytes_sent:1000 bytes_retrans:5 rwnd_limited:3ms(33.3%) snd_wnd:2048000"]
    monkeypatch.setattr(far_path.subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], 0, "\n".join(lines)))
    flow = far_path.Flow(None)
    flow.look()
    assert flow.window == 2_048_000
    assert [far_path.tcp_number(flow.tcp, name) for name in ("minrtt", "cwnd", "bytes_retrans", "rwnd_limited", "busy")] == [40.1, 77, 5, 3, 0]


def test_where_no_device_may_be_made_it_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr(far_path, "TUN", tmp_path / "tun")
    with pytest.raises(SystemExit, match=r"^far: \S+/tun is missing or may not be opened: run it as root; .*--device /dev/net/tun"):
        far_path.enter_near_end()
