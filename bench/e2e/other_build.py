"""Another build of walduct to compare with: the last release's, that of any ref of the repository, or a program that is there."""
import dataclasses
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support.paths import BINARY  # noqa: E402

THIS = ROOT / "build/release"
BUILDS = ROOT / "build/against"
DECODE_BENCH = "walduct_decode_bench"


@dataclasses.dataclass(frozen=True)
class Build:
    name: str
    binary: Path
    decode_bench: Path | None  # None: there is none beside it


def git(*arguments):
    return subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)


def this():
    return Build("this build", BINARY, _beside(BINARY))


def other(against):
    """`against`: a program, a ref, or None for the last release's tag. Builds what is no program."""
    if against and Path(against).is_file():
        return Build(str(against), Path(against).resolve(), _beside(Path(against).resolve()))
    ref = against or last_release()
    found = git("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
    if found.returncode != 0:
        raise SystemExit(f"regression: --against '{ref}': neither a program nor a commit of this repository; name one of the two")
    return _built(ref, found.stdout.strip())


def last_release():
    described = git("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*", "HEAD")
    if described.returncode != 0:
        raise SystemExit("regression: this repository has no release's tag (v1.2.3): say what to compare with, --against REF or --against BINARY")
    return described.stdout.strip()


def _beside(binary):
    return next((p for p in (binary.parent / "bench" / DECODE_BENCH, binary.parent / DECODE_BENCH) if p.exists()), None)


def _built(ref, commit):
    """Built once, from an archive that is removed afterwards."""
    directory = BUILDS / commit[:12]
    if not (directory / "walduct").exists():
        source = directory / "source"
        shutil.rmtree(source, ignore_errors=True)
        source.mkdir(parents=True)
        archive = subprocess.Popen(["git", "-C", ROOT, "archive", commit], stdout=subprocess.PIPE)
        subprocess.run(["tar", "-x", "-C", source], stdin=archive.stdout, check=True)
        if archive.wait() != 0:
            raise SystemExit(f"regression: git archive {commit} failed")
        (source / ".deps").symlink_to(ROOT / ".deps")
        print(f"building {ref} ({commit[:12]}) in {directory}", flush=True)
        built = subprocess.run([source / "scripts/build", "release", "walduct", DECODE_BENCH], env={**os.environ, **_as_this_one()})
        if built.returncode != 0:
            raise SystemExit(f"regression: {ref} cannot be built; what there is of it is in {source}")
        shutil.copy2(source / "build/release/bench" / DECODE_BENCH, directory)
        shutil.copy2(source / "build/release/walduct", directory)
        shutil.rmtree(source)
    return Build(f"{ref} ({commit[:12]})", directory / "walduct", _beside(directory / "walduct"))


def _as_this_one():
    """How many sources are compiled as one changes what is inlined: both builds are made alike."""
    unity = re.search(r"^WALDUCT_UNITY:[A-Z]+=(\d+)$", (THIS / "CMakeCache.txt").read_text(), re.MULTILINE)
    return {"WALDUCT_UNITY": unity[1]} if unity else {}
