"""docs/benchmarks.md and its charts: what report.py kept, in words, tables and bars."""
import statistics

from charts import bars
from measure import CPU_A_ROW, cores_used

READERS = {"pg_recvlogical": "pg_recvlogical to /dev/null", "walduct": "walduct to Kafka", "to /dev/null": "walduct to /dev/null",
           "debezium": "Debezium, stock", "debezium tuned": "Debezium, tuned"}
WORKLOADS = {
    "typical": "15 mixed columns, 400 bytes, transactions of 1,000",
    "narrow": "3 columns",
    "wide": "50 columns",
    "big": "10 KB a row",
    "update": "updates of typical rows, replica identity FULL",
    "single": "typical rows, each in a transaction of its own",
    "huge": "typical rows in one transaction",
    "outbox": "events through EventRouter",
    "avro": "typical rows in Avro, with a registry",
}
DEBEZIUMS = ("debezium", "debezium tuned")
SNAPSHOT_SHARE = 5  # times as many rows as a backlog has: COPY is fast
ALL_CORES = 0.9  # a share of them that leaves nothing to a reader that could go faster


def table(head, rows):
    return "\n".join([f"| {' | '.join(head)} |", "|" + "---|" * len(head), *(f"| {' | '.join(map(str, row))} |" for row in rows)])


def workloads(report):
    """(name, what was measured), in the order of WORKLOADS."""
    return [(name, report["workloads"][name]) for name in WORKLOADS if name in report["workloads"]]


def drains(report):
    """A row a workload and reader."""
    rows = []
    for name, measured in workloads(report):
        medians = measured["median"]
        base = medians["pg_recvlogical"]["rows_per_s"]
        row_mb = measured["wal_bytes"] / measured["rows"] / 1e6
        for reader in (r for r in READERS if r in medians):
            m = medians[reader]
            rows.append((name if reader == "pg_recvlogical" else "", READERS[reader], f"{m['rows_per_s'] / base:.2f}",
                         f"{m['rows_per_s'] / 1000:.0f}", f"{m['rows_per_s'] * row_mb:.0f}", *(f"{m[key]:.2f}" for key in CPU_A_ROW),
                         f"{cores_used(m):.2f}", f"{m['rss_mb']:.1f}", len(measured["rounds"][reader])))
    return table(("workload", "reader", "of pg_recvlogical's rate", "krow/s", "MB of WAL a second", "its CPU, µs a row", "walsender's", "broker's",
                  "cores used", "MB RSS", "rounds"), rows)


def at_the_limit(report, cores):
    """Where walduct was as fast as the machine lets it be."""
    full = [name for name, m in workloads(report) if cores_used(m["median"]["walduct"]) >= ALL_CORES * cores]
    if not full:
        return f"Nowhere did walduct, its walsender and the broker together use {ALL_CORES:.0%} of the {cores} cores."
    return (f"walduct, its walsender and the broker together used {ALL_CORES:.0%} of the {cores} cores or more for {', '.join(full)}: they wanted "
            "more than there was, and the rate is the machine's.")


def against(report):
    """walduct beside each Debezium. Its rate is that of its whole run; Debezium's begins with its first rows."""
    rows = []
    for name, measured in workloads(report):
        medians = measured["median"]
        ours = medians["walduct"]
        for other in (d for d in DEBEZIUMS if d in medians):
            m = medians[other]
            rows.append((name, READERS[other], f"{ours['rows_per_s'] / m['rows_per_s']:.1f}", f"{ours['rows_per_s'] / m['flowing_rows_per_s']:.1f}",
                         f"{m['start_s']:.1f}", f"{ours['cpu_us_per_row'] / m['cpu_us_per_row']:.3f}", f"{ours['rss_mb'] / m['rss_mb']:.3f}"))
    return table(("workload", "beside", "rate", "rate, Debezium's start taken off", "that start, s", "CPU a row", "RSS"), rows) if rows else ""


def described(peers):
    """A paragraph for each of the other engines that was asked for."""
    told = []
    if stock := peers.get("debezium"):
        told.append(f"*{READERS['debezium']}*: Debezium {stock['version']} in a standalone Kafka Connect worker of its own, which is up when the "
                    f"clock starts, with the defaults of both (of Connect's producer, too: `acks=all`, not idempotent, one request on its way), "
                    f"`{stock['jvm']}`, which Kafka's scripts start it with.")
    if tuned := peers.get("debezium tuned"):
        told.append(f"*{READERS['debezium tuned']}*: the same with what an operator sets who wants throughput, `{tuned['jvm']}` and:\n\n"
                    + table(("property", "value"), [(f"`{key}`", f"`{value}`") for key, value in tuned["settings"].items()]))
    return "\n\n".join(told)


def chart(report, key, scale=1):
    """{workload: {reader: value}} of the medians."""
    return {name: {READERS[r]: m["median"][r][key] / scale for r in READERS if r in m["median"]} for name, m in workloads(report)}


def write_charts(measured, directory):
    directory.mkdir(parents=True, exist_ok=True)
    tcp, series = measured["tcp"], list(READERS.values())
    for name, title, key, scale in (("rate", "thousand rows a second, TCP", "rows_per_s", 1000),
                                    ("cpu", "CPU time of the reader, µs a row", "cpu_us_per_row", 1),
                                    ("memory", "highest resident set, MB", "rss_mb", 1)):
        (directory / f"{name}.svg").write_text(bars(title, chart(tcp, key, scale), series))


def latency(report):
    named = {"a row, from commit": "walduct_ms", "a plain producer's message": "broker_ms", "the difference": "added_ms"}
    rows = [(name, *(f"{value:.1f}" for value in report[key].values())) for name, key in named.items()]
    return table(("", *(f"{p.replace('999', '99.9')}, ms" for p in report["walduct_ms"])), rows)


def snapshots(report):
    rows = []
    for name, ratio in report["of_copy"].items():
        measured = report["measured"][name]
        used = (f"{statistics.median(m[key] for m in measured):.2f}" for key in ("cpu_us_per_row", "server_cpu_us_per_row", "cores"))
        rows.append((name, f"{ratio:.2f}", *used, f"{max(m['rss_mb'] for m in measured):.0f}"))
    return table(("reader", "of COPY's rate", "its CPU, µs a row", "the server's", "cores used", "MB RSS"), rows)


def page(measured, charts="benchmarks"):
    machine, tcp = measured["machine"], measured["tcp"]
    ratios, others = against(tcp), described(tcp.get("peers", {}))
    beside = f"""
## Against Debezium

walduct's figure divided by Debezium's, both to Kafka: a rate above 1 is faster, CPU time and memory below 1 are less. The second rate
leaves out what Debezium needs until its first rows are in the topic, while walduct's keeps its own start.

{ratios}
""" if ratios else ""
    return f"""# Benchmarks

Written by `bench/e2e/report.py`; measured with {machine['walduct']} on {machine['cores']} cores ({machine['processor']}, {machine['memory_gb']} GB), PostgreSQL
{tcp['postgres']} and Kafka on the same cores. {machine['rows']:,} rows (narrow and huge twice as many, wide a fifth, big a twentieth), medians of at most {machine['rounds']} rounds, schemas off, no compression, `acks=all`; walduct is
idempotent. Readers of one workload drain the same backlog in turns. Ratios within a table are of one run; absolute figures hold for
this machine. *Cores used* is the CPU time of reader, walsender and broker together, by the time of the run.
To `/dev/null` walduct makes whole records, acknowledges each and writes none: everything but the sink is measured.

## A backlog over TCP

{drains(tcp)}

{at_the_limit(tcp, machine['cores'])}

{chr(10).join(f"- *{name}*: {WORKLOADS[name]}" for name, _ in workloads(tcp))}

{others}

![rows a second]({charts}/rate.svg)

![CPU time a row]({charts}/cpu.svg)

![memory]({charts}/memory.svg)
{beside}
## A backlog over a unix socket

{drains(measured['unix'])}

## Latency at a steady 100 transactions a second

From commit to a consumer's hands, and a plain producer's messages on the same broker meanwhile (`bench/e2e/latency.py`).

{latency(measured['latency'])}

## The initial snapshot

Of {machine['rows'] * SNAPSHOT_SHARE:,} typical rows, to `/dev/null`, beside psql's COPY of the same table (`bench/e2e/snapshot.py`).

{snapshots(measured['snapshot'])}

What else there is: how cost grows with columns, width and tables, and what was tried: [performance.md](performance.md).
"""
