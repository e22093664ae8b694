#!/usr/bin/env python3
"""A polled outbox table that is written steadily: how large it and its claims become, minute by minute.

  bench/polling/bloat.py [--rate N] [--minutes N] [--minute-seconds N] [--keep-seconds N] [--only mark|delete]... [--postgres 17|18] [--json FILE]

A private PostgreSQL and Kafka on loopback, autovacuum as it is by default, the table with the settings of walduct outbox init. Rows come in
transactions of 50. With mark, rows that were published --keep-seconds ago are deleted each ten seconds, as housekeeping does: else the table keeps all there ever
were. Each minute: its size with indexes, the mean time of a claim in that minute, how many rows are open. Wanted: the last no more than twice the second
(in the first the table is not full yet; with mark the first after --keep-seconds).

Run it with .deps/venv/bin/python, after a release build.
"""
import argparse
import sys
import threading
import time
from pathlib import Path

import tables

TRANSACTION = 50
SETTINGS = "alter table outbox set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)"


def write(database, rate, stop, behind):
    """behind[0]: the longest that a transaction came too late."""
    begin, number = time.monotonic(), 0
    with database.connect() as session:
        while not stop.is_set():
            late = time.monotonic() - begin - number / rate
            if late < 0:
                time.sleep(-late)
            behind[0] = max(behind[0], late)
            tables.put(session, number + 1, number + TRANSACTION)
            number += TRANSACTION


def keep_house(database, seconds, stop):
    with database.connect() as session:
        while not stop.wait(10):
            session.execute("delete from outbox where published_at < now() - %s * interval '1 s'", (seconds,))


def minute(database, done, number):
    size = database.value("select pg_total_relation_size('outbox')")
    calls, mean = tables.claims(database, done)
    rows = database.value(f"select count(*) from outbox {'where published_at is null' if done == 'mark' else ''}")
    found = {"minute": number, "mb": round(size / 1e6, 1), "claim_ms": mean, "claims": calls, "open": rows}
    print(f"{done} minute {number:>3}: {found['mb']:8.1f} MB, claim {mean:8.3f} ms, {calls} claims, {rows} open", flush=True)
    return found


def measure(args, own, directory, done):
    database = tables.opened(own.postgres, f"bloat_{done}", done)
    database.execute(SETTINGS)
    connector = tables.polling(own, database, directory / done, done)
    stop, behind = threading.Event(), [0]
    threads = [threading.Thread(target=write, args=(database, args.rate, stop, behind))]
    if done == "mark":
        threads.append(threading.Thread(target=keep_house, args=(database, args.keep_seconds, stop)))
    begin, minutes = time.monotonic(), []
    for thread in threads:
        thread.start()
    try:
        for number in range(1, args.minutes + 1):
            time.sleep(max(0, begin + number * args.minute_seconds - time.monotonic()))
            if not connector.running():
                raise SystemExit(f"bench: walduct has ended:\n{connector.log_text()[-2000:]}")
            minutes.append(minute(database, done, number))
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    connector.stop()
    database.close_session()
    full = 1 if done == "delete" else int(args.keep_seconds // args.minute_seconds) + 1
    first, last = minutes[min(full, len(minutes) - 1)], minutes[-1]
    ratios = {name: round(last[name] / max(first[name], 0.001), 2) for name in ("mb", "claim_ms")}
    holds = "holds" if max(ratios.values()) <= 2 else "MISSES"
    print(f"{done}: minute {last['minute']} beside minute {first['minute']}: size {ratios['mb']} x, claim {ratios['claim_ms']} x ({holds}); "
          f"the writer was {behind[0]:.1f} s late at most", flush=True)
    return {"minutes": minutes, "ratios": ratios, "writer_late_s": round(behind[0], 2)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=int, default=5000)
    parser.add_argument("--minutes", type=int, default=60)
    parser.add_argument("--minute-seconds", type=float, default=60, help="shorter ones, to try it")
    parser.add_argument("--keep-seconds", type=float, default=60)
    parser.add_argument("--only", action="append", choices=["mark", "delete"], default=[])
    parser.add_argument("--postgres", type=int, default=17, choices=[17, 18])
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    with tables.own_servers(args, kafka=True, pg_set=tables.STATEMENTS) as (own, directory):
        found = {done: measure(args, own, directory, done) for done in args.only or ("mark", "delete")}
    tables.keep(found, args.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
