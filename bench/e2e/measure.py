"""What a process, its walsender and the broker used while it drained a backlog."""
import contextlib
import os
import statistics
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tests"))

from support.connector import peak_rss_kb  # noqa: E402
from support.servers import children  # noqa: E402

TICK = os.sysconf("SC_CLK_TCK")
CPU_A_ROW = ("cpu_us_per_row", "walsender_cpu_us_per_row", "broker_cpu_us_per_row")


def cpu_ticks(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def server_ticks(postmaster):
    """Of a PostgreSQL: of the processes that run, and of those that have ended, which are counted to their parent."""
    fields = Path(f"/proc/{postmaster}/stat").read_text().rpartition(")")[2].split()
    ticks = sum(map(int, fields[11:15]))
    for child in children(postmaster):
        with contextlib.suppress(OSError):
            ticks += cpu_ticks(child)
    return ticks


class Sampler(threading.Thread):
    """Watches the reader's memory and the CPU time of its walsender: both are gone when the reader is. (The memory that
    wait4 reports includes that of the Python process before it became the reader.)"""

    def __init__(self, reader_pid, database, slot, broker_pid):
        super().__init__(daemon=True)
        self.reader_pid, self.database, self.slot, self.broker_pid = reader_pid, database, slot, broker_pid
        self.walsender_ticks = self.rss_kb = self.broker_ticks = 0
        self.broker_begin = self._broker()
        self.ended = threading.Event()

    def run(self):
        walsender = None
        while not self.ended.wait(0.05):
            walsender = walsender or self.database.slot(self.slot)["active_pid"]
            try:
                self.rss_kb = max(self.rss_kb, peak_rss_kb(self.reader_pid))
                self.walsender_ticks = max(self.walsender_ticks, cpu_ticks(walsender) if walsender else 0)
            except (OSError, StopIteration):
                continue  # one of them has just ended

    def end(self):
        self.ended.set()
        self.join()
        self.broker_ticks = self._broker() - self.broker_begin

    def _broker(self):
        return cpu_ticks(self.broker_pid) if self.broker_pid else 0


def measure(process, database, slot, rows, broker_pid):
    """Waits for the process' end; what it, its walsender and the broker used."""
    sampler = Sampler(process.pid, database, slot, broker_pid)
    sampler.start()
    begin = time.monotonic()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    sampler.end()
    return result(rows, seconds, usage.ru_utime + usage.ru_stime, sampler)


def await_end(process):
    """(what it used, the most memory that it had in MB); it has its returncode then."""
    peak, ended = [0], threading.Event()

    def watch():
        while not ended.wait(0.02):
            try:
                peak[0] = max(peak[0], peak_rss_kb(process.pid))
            except (OSError, StopIteration):
                return
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    ended.set()
    watcher.join()
    return usage, peak[0] / 1024


def result(rows, seconds, cpu_seconds, sampler):
    def a_row(ticks):
        return round(ticks / TICK * 1e6 / rows, 2)

    return {"seconds": round(seconds, 3), "rows_per_s": round(rows / seconds), "cpu_us_per_row": round(cpu_seconds * 1e6 / rows, 2),
            "walsender_cpu_us_per_row": a_row(sampler.walsender_ticks), "broker_cpu_us_per_row": a_row(sampler.broker_ticks),
            "rss_mb": round(sampler.rss_kb / 1024, 1)}


def median(results):
    """Of the rounds that one reader took part in."""
    return {key: statistics.median(r[key] for r in results) for key in results[0]}


def cores_used(measured):
    """How many cores reader, walsender and broker kept busy together."""
    return sum(measured[key] for key in CPU_A_ROW) * measured["rows_per_s"] / 1e6


def line(name, measured):
    return (f"{name:<16} {measured['rows_per_s'] / 1000:8.1f} krow/s {measured['cpu_us_per_row']:8.2f} us/row "
            f"{measured['rss_mb']:8.1f} MB RSS {measured['walsender_cpu_us_per_row']:8.2f} us/row walsender "
            f"{measured['broker_cpu_us_per_row']:8.2f} us/row broker")


def ratios(medians):
    """walduct beside each of the others."""
    ours = medians["walduct"]
    return {name: {key: round(ours[key] / max(other[key], 0.01), 3) for key in ("rows_per_s", "cpu_us_per_row", "rss_mb")}
            for name, other in medians.items() if name != "walduct"}
