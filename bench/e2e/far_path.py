"""A far path on one machine: two network namespaces, a tun device in each, and walduct_wire (wire.cc) between them.

This process moves into a namespace of its own, the near end, where servers are; programs of the far end are started with FarPath.command.
All of it goes with its processes, however they end: a namespace when nobody is in it, a device when its file is closed, the wire and what
holds the far end when their standard input ends."""
import contextlib
import ctypes
import fcntl
import os
import re
import struct
import subprocess
import threading
import time
from pathlib import Path

from measure import TICK, cpu_ticks

WIRE = Path(__file__).resolve().parent.parent.parent / "build" / "release" / "bench" / "walduct_wire"
NEAR, FAR, NETWORK = "10.199.0.1", "10.199.0.2", "10.199.0.0/30"
TUN = Path("/dev/net/tun")
CLONE_NEWNET, TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x40000000, 0x400454CA, 0x0001, 0x1000  # linux/sched.h, linux/if_tun.h
DEVICE_QUEUE = 20000  # packets: it is the wire that drops
LEAST_QUEUE_MS = 10
ALLOW = "run it as root; in a container with --device /dev/net/tun --cap-add NET_ADMIN --cap-add SYS_ADMIN"


def _do(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"far: {' '.join(command)}: {done.stderr.strip()}; {ALLOW}")


def enter_near_end():
    """Of this process, while it has one thread, and of all that it starts from now on."""
    if not os.access(TUN, os.R_OK | os.W_OK):
        raise SystemExit(f"far: {TUN} is missing or may not be opened: {ALLOW}")
    if not WIRE.exists():
        raise SystemExit(f"far: {WIRE} is missing: scripts/build release walduct walduct_wire")
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET) != 0:
        raise SystemExit(f"far: this process may have no network namespace of its own ({os.strerror(ctypes.get_errno())}): {ALLOW}")
    _do("ip", "link", "set", "lo", "up")


def _tun(name):
    try:
        device = os.open(TUN, os.O_RDWR)
        fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    except OSError as error:
        raise SystemExit(f"far: no tun device may be made ({error.strerror}): {ALLOW}") from None
    return device


class FarPath:
    """The two ends, and the wire between them while one is laid."""

    def __init__(self, settings=(), congestion=None):
        """`settings` of sysctl, at both ends; `congestion`: the algorithm of TCP that sends, the machine's unless given."""
        self.holder = subprocess.Popen(["unshare", "-n", "sh", "-c", "echo; exec cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.holder.stdout.readline()
        self.devices = [_tun("near"), _tun("far")]
        _do("ip", "link", "set", "far", "netns", str(self.holder.pid))
        _do(*self.command("ip", "link", "set", "lo", "up"))
        for prefix, device, address in (((), "near", NEAR), (self.command(), "far", FAR)):
            _do(*prefix, "ip", "address", "add", address + NETWORK[-3:], "dev", device)
            _do(*prefix, "ip", "link", "set", device, "up", "mtu", "1500", "txqueuelen", str(DEVICE_QUEUE))
            # What one connection has learnt of the path must not help the next one.
            for setting in ("net.ipv4.tcp_no_metrics_save=1", *settings):
                _do(*prefix, "sysctl", "-q", "-w", setting)
            if congestion:  # of the route: a namespace may set none that the machine does not allow to all
                _do(*prefix, "ip", "route", "change", NETWORK, "dev", device, "scope", "link", "src", address, "congctl", congestion)
        self.dropped, self.cpu_seconds = [], 0.0  # of the last wire

    def command(self, *arguments):
        """A command that runs it at the far end, in the same process."""
        return ["nsenter", f"--net=/proc/{self.holder.pid}/ns/net", *map(str, arguments)]

    def wrapped(self, program, script):
        """A program in the file `script` that is `program` at the far end."""
        script.write_text(f'#!/bin/sh\nexec {" ".join(self.command(program))} "$@"\n')
        script.chmod(0o755)
        return script

    @contextlib.contextmanager
    def laid(self, rtt_ms, mbit):
        """With a queue before it of one bandwidth-delay product."""
        queue = int(max(rtt_ms, LEAST_QUEUE_MS) * mbit * 125)
        arguments = (*self.devices, round(rtt_ms * 500), mbit, queue)
        with subprocess.Popen([WIRE, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=self.devices, text=True) as wire:
            with contextlib.suppress(PermissionError):
                os.setpriority(os.PRIO_PROCESS, wire.pid, -15)  # a wire waits for nobody
            try:
                yield
            finally:
                self.cpu_seconds = cpu_ticks(wire.pid) / TICK
                said, _ = wire.communicate()
                self.dropped = [int(number) for number in re.findall(r"(\d+) dropped", said)]

    def counted(self):
        """Bytes that the far end has received, and sent."""
        lines = Path(f"/proc/{self.holder.pid}/net/dev").read_text().splitlines()
        numbers = next(line.split() for line in lines if line.lstrip().startswith("far:"))
        return int(numbers[1]), int(numbers[9])

    def close(self):
        self.holder.communicate()
        for device in self.devices:
            os.close(device)


# The part of the bytes whose time is taken: not handshakes, a connector's questions and TCP's slow start, nor the last acknowledgements.
FIRST, LAST = 0.2, 0.95


def seconds_of_most(samples):
    """Between FIRST and LAST of what was counted; `samples`: (time, count)."""
    def reached(share):
        wanted = samples[0][1] + share * (samples[-1][1] - samples[0][1])
        for (time0, count0), (time1, count1) in zip(samples, samples[1:]):
            if count1 >= wanted > count0:
                return time0 + (time1 - time0) * (wanted - count0) / (count1 - count0)
        raise ValueError("nothing was counted")
    return reached(LAST) - reached(FIRST)


def tcp_number(line, name):
    """Of a connection, as ss prints it."""
    found = re.search(rf"\b{name}:([\d.]+)", line)
    return float(found[1]) if found else 0


class Flow(threading.Thread):
    """Watches what comes over the wire, and what the sender's TCP says of the connection that brings the most."""

    EVERY_S, LOOK_EVERY_S = 0.02, 0.25

    def __init__(self, path, towards_far=True):
        super().__init__(daemon=True)
        self.path, self.towards_far = path, towards_far
        self.samples, self.window, self.tcp, self.ended = [], 0, "", threading.Event()

    def run(self):
        looked = time.monotonic()
        while True:
            self.samples.append((time.monotonic(), self.path.counted()[0 if self.towards_far else 1]))
            if self.samples[-1][0] - looked > self.LOOK_EVERY_S:
                looked = self.samples[-1][0]
                self.look()
            if self.ended.wait(self.EVERY_S):
                return

    def look(self):
        command = ["ss", "-tinH", "dst", FAR] if self.towards_far else self.path.command("ss", "-tinH", "dst", NEAR)
        connections = [line for line in subprocess.run(command, capture_output=True, text=True).stdout.splitlines() if "bytes_sent:" in line]
        if connections:
            self.tcp = max(connections, key=lambda line: tcp_number(line, "bytes_sent")).strip()
            self.window = max(self.window, tcp_number(self.tcp, "snd_wnd"))

    def end(self, payload):
        """`payload`: bytes that came, without those of TCP/IP and of the protocol."""
        self.ended.set()
        self.join()
        waited = {name: int(tcp_number(self.tcp, name)) for name in ("busy", "rwnd_limited", "sndbuf_limited")}
        return {"mbit_s": round((LAST - FIRST) * payload * 8 / seconds_of_most(self.samples) / 1e6, 1),
                "wire_bytes": self.samples[-1][1] - self.samples[0][1], "window_kb": round(self.window / 1024),
                "min_rtt_ms": tcp_number(self.tcp, "minrtt"), "cwnd": int(tcp_number(self.tcp, "cwnd")),
                "retransmitted": int(tcp_number(self.tcp, "bytes_retrans")), **{f"{name}_ms": ms for name, ms in waited.items()}}
