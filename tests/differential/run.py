#!/usr/bin/env python3
"""The live differential test: the real Debezium and walduct read the same database, and every record of both must be equal.

  tests/differential/run.py [--seed N] [--minutes M | --rounds N] [--postgres 15|17|18] [--shrink SECONDS] [--chains never|sometimes|always|outbox]
                            [--formats never|sometimes|always|avro|protobuf|events] [--all] [--survey] [--without FAMILY]

Each round has a seed of its own, printed: --seed N --rounds 1 repeats it. Tables, rows at the edges of every type, transactions with
DDL between them and the connectors' options come from the seed; what the binary does not support yet is left out. A difference is
cut down and printed with its SQL and configuration, and written to .run/differential. --all goes on after a difference, --survey only
lists the kinds of differences of each round. Exit status:
0 none differs, 1 one does, 2 usage. Needs scripts/deps debezium and scripts/build release.
"""
import argparse
import json
import random
import re
import shutil
import sys
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[0] = str(HERE.parent)  # our own folder first would hide modules of Python's

from differential import chains, registry_rounds  # noqa: E402
from differential.column_types import EXTENSIONS  # noqa: E402
from differential.compare import Comparison  # noqa: E402
from differential.generate import Generator  # noqa: E402
from differential.limits import left_out, without_halves  # noqa: E402
from differential.options import Accepted, base, random_options, selecting  # noqa: E402
from differential.play import open_bench  # noqa: E402
from differential.shrink import Shrinker  # noqa: E402
from support.debezium import installed  # noqa: E402
from support.paths import BINARY, ROOT  # noqa: E402


def installed_extensions(major):
    """Those of EXTENSIONS that the server has; only Debian's can have them."""
    folder = Path(f"/usr/share/postgresql/{major}/extension")
    return tuple(name for name in EXTENSIONS if major == 15 and (folder / f"{name}.control").exists())


class Test:
    def __init__(self, bench, accepted, directory, arguments):
        self.bench, self.accepted, self.dir, self.arguments = bench, accepted, directory, arguments
        self.tolerated, self.left_out = Counter(), Counter()
        self.records = self.statements = self.refused = 0
        self.unsteady = []  # seeds of rounds that differed once
        self.reader = registry_rounds.Reader(bench.registry) if bench.registry else None

    def difference(self, plan, options, kind=None):
        """Plays it; the Difference (of that kind), the text of what stopped one of the two, or None."""
        begin = time.time()
        options = self.options = selecting(options, plan)
        outcome = self.outcome = self.bench.play(plan, options)
        outcome.theirs = [event.rewritten(lambda text: without_halves(text, options)) for event in outcome.theirs]
        if registry_rounds.asks(options):
            outcome.theirs, outcome.ours = self.reader.read(outcome.theirs), self.reader.read(outcome.ours)
        if options.get(chains.CHAIN):
            outcome.theirs, outcome.ours = (chains.mask_moments(events, begin) for events in (outcome.theirs, outcome.ours))
        comparison = Comparison(outcome, options, self.bench.worker.java)
        found = next((d for d in comparison.differences() if kind in (None, d.kind())), None)
        self.tolerated.update(comparison.tolerated)
        return found if kind else outcome.stopped or found

    def round(self, seed):
        """Whether all was equal."""
        size = (3, 10) if self.arguments.chains == "outbox" else (12, 90)
        plan = Generator(seed, *size, extensions=installed_extensions(self.arguments.postgres), postgres=self.arguments.postgres).plan()
        wanted = random_options(random.Random(seed), plan)
        options, unsupported = self.accepted.only(wanted)
        if self._with_registry(seed):
            which = self.arguments.formats if self.arguments.formats in ("avro", "protobuf", "events") else None
            options = registry_rounds.with_registry(seed, options, which)
        elif self._with_chain(seed):
            options = chains.with_chain(seed, plan, options, self.arguments.chains == "outbox")
        self.left_out.update(unsupported)
        plan = plan.without(lambda column: column.type.family in self.arguments.without)
        if any(name in options for name in ("schema.exclude.list", "table.include.list", "table.exclude.list")):
            plan = plan.staying()
        if registry_rounds.asks(options):
            plan = plan.dropping_apart()

        def unfit(column):
            return left_out(column, options) or chains.left_out(column, options) or registry_rounds.left_out(column, options)
        plan = plan.without(unfit)
        plan = plan.only({t.uid for t in plan.all_tables() if not any(map(unfit, t.columns)) and not registry_rounds.refused(t, options)})
        begin = time.monotonic()
        found = self.difference(plan, options)
        for _ in range(3):
            if registry_rounds.raced(found):
                found = self.difference(plan, options)
        if found and self._only_once(plan, options, found, seed):
            found = None
        outcome = self.outcome
        self.records += len(outcome.theirs)
        self.statements += len(outcome.steps)
        self.refused += outcome.failed
        print(f"seed {seed}: {len(outcome.theirs)} records, {len(outcome.steps)} statements ({outcome.failed} refused), "
              f"{time.monotonic() - begin:.1f} s{', DIFFERENT' if found else ''}", flush=True)
        if found:
            self._explain(seed, plan, options, found)
        return not found

    def _with_registry(self, seed):
        return {"never": False, "sometimes": seed % 4 == 2}.get(self.arguments.formats, True)

    def _with_chain(self, seed):
        return {"never": False, "sometimes": seed % 2 == 1}.get(self.arguments.chains, True)

    def _only_once(self, plan, options, found, seed):
        """Whether a value does not differ again: Debezium reads the catalog when it decodes, sometimes in the middle of a change. How
        often depends on the machine, so the third time each transaction waits until both have read the one before it.
        Records that are missing, and a stop, are never excused."""
        if isinstance(found, str) or found.part == "count":
            return False
        if self.difference(plan, options) and self.difference(plan.steady(), options):
            return False
        self.unsteady.append(seed)
        print(f"seed {seed}: differed, and not again: {found.text()}", flush=True)
        return True

    def _explain(self, seed, plan, options, found):
        if self.arguments.survey:
            return self._survey(options)
        first = found if isinstance(found, str) else found.text()
        print(f"  {first}\n  cutting it down …", flush=True)
        kind = None if isinstance(found, str) else found.kind()

        def differs(plan, options):
            again = self.difference(plan, options, kind)
            if kind is None:
                again = self.outcome.stopped if self.outcome.stopped and cause(self.outcome.stopped) == cause(found) else None
            return again
        shrinker = Shrinker(differs, self.arguments.shrink)
        plan, options, found = shrinker.shrink(plan, options, found)
        self.difference(plan, options)  # for its statements
        print(f"  after {shrinker.attempts} attempts:\n" + self._write(seed, self.options, found), flush=True)

    def _survey(self, options):
        """A line for each kind of difference."""
        comparison = Comparison(self.outcome, options, self.bench.worker.java)
        kinds = {}
        for d in comparison.differences():
            kinds.setdefault(d.kind(), []).append(d)
        for kind, found in kinds.items():
            print(f"  {kind} {len(found)}: {found[0].text(160) if found[0].leaf is None else found[0].leaf} {found[0].topic}"[:600])
        print(f"  {self.outcome.stopped or ''}\n  {({k: v for k, v in options.items() if base().get(k) != v and k != chains.CHAIN})}")
        for link in options.get(chains.CHAIN, ()):
            print(f"    {link.type.rpartition('transforms.')[2]} {link.options} {link.predicate}")
        sys.stdout.flush()

    def _write(self, seed, options, found):
        """The files of the difference; the same as text."""
        folder = self.dir.parent / f"seed{seed}"
        folder.mkdir(parents=True, exist_ok=True)
        said = found if isinstance(found, str) else found.text()
        setup, steps = (";\n".join(s) + ";\n" for s in (self.outcome.setup, self.outcome.steps))
        (folder / "setup.sql").write_text(setup)
        (folder / "steps.sql").write_text(steps)
        (folder / "options.json").write_text(json.dumps(chains.told(options), indent=1))
        whole = said
        if not isinstance(found, str):
            whole += f"\n\nDebezium: {found.theirs}\nwalduct:  {found.ours}"
        (folder / "difference.txt").write_text(whole + "\n")
        own = setup[setup.index("create table zz_marker"):]
        return f"{said}\n--- before the start\n{own}--- steps\n{steps}--- options\n{json.dumps(chains.told(options), indent=1)}\n--- all of it in {folder}"


def cause(stopped):
    """What two texts of a stop have in common when it is the same."""
    return re.sub(r"[\d\"]+.*", "", stopped.rpartition(" | ")[2].splitlines()[0]) if stopped.startswith("Debezium") else stopped.splitlines()[0]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--postgres", type=int, default=17, choices=[15, 17, 18])
    parser.add_argument("--shrink", type=int, default=240, metavar="SECONDS")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--without", action="append", default=[], metavar="FAMILY", help="leave out columns of that family of types")
    parser.add_argument("--chains", choices=("never", "sometimes", "always", "outbox"), default="sometimes",
                        help="rounds with a chain of transforms: those of odd seeds; outbox: always, and with an EventRouter")
    parser.add_argument("--formats", choices=("never", "sometimes", "always", "avro", "protobuf", "events"),
                        default="sometimes" if registry_rounds.installed() else "never",
                        help="rounds with converters that ask a schema registry: a fourth of them where scripts/deps registry converters were")
    parser.add_argument("--survey", action="store_true")
    arguments = parser.parse_args()
    if arguments.formats != "never" and not registry_rounds.installed():
        parser.error("the converters or their registry are missing; run scripts/deps registry converters")
    if not installed():
        parser.error("Debezium is missing; run scripts/deps debezium")
    if not BINARY.exists():
        parser.error(f"{BINARY} is missing; run scripts/build release")
    if arguments.seed is None:
        arguments.seed = random.randrange(10**6)
    if arguments.rounds is None and arguments.minutes is None:
        arguments.rounds = 3
    return arguments


def play(arguments, directory):
    with open_bench(directory, arguments.postgres, arguments.formats != "never") as bench:
        test = Test(bench, Accepted(directory), directory, arguments)
        differing, played, begin = [], 0, time.monotonic()
        while (arguments.rounds is None or played < arguments.rounds) and (arguments.minutes is None or time.monotonic() - begin < 60 * arguments.minutes):
            if not test.round(arguments.seed + played):
                differing.append(arguments.seed + played)
            played += 1
            if differing and not arguments.all:
                break
        report(test, bench.worker, played, differing, arguments)
        return 1 if differing else 0


def report(test, worker, played, differing, arguments):
    print(f"differential, PostgreSQL {arguments.postgres}, Java {worker.java}: {played} rounds, {test.statements} statements ({test.refused} refused), "
          f"{test.records} records, {len(differing)} rounds differ {' '.join(map(str, differing))}".rstrip())
    if test.unsteady:
        print(f"  differed, and not again: {' '.join(map(str, test.unsteady))}")
    if test.bench.restarts:
        print(f"  Kafka Connect did not answer and was started again: {test.bench.restarts} times")
    for reason, count in sorted(test.tolerated.items()):
        print(f"  known: {reason}: {count}")
    if test.left_out:
        print("  options left out, not supported yet: " + ", ".join(f"{k} ({n})" for k, n in sorted(test.left_out.items())))


def main():
    arguments = parse()
    directory = ROOT / ".run" / "differential" / f"run{arguments.seed}"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    print(f"first seed {arguments.seed}", flush=True)
    code = play(arguments, directory)
    shutil.rmtree(directory, ignore_errors=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
