"""What scripts/test runs side by side when nothing is named, in a checkout where everything else is nothing."""
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from support.wait import wait_until

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
BESIDE = ("differential", "quickstart", "chaos", "lint")
# Each runner is a script of that name; Python is asked for tests/chaos/run.py, pytest and others.
PYTHON = """case "$*" in
  *tests/chaos/run.py*) exec "{root}/chaos" ;;
  *tests/differential/run.py*) exec "{root}/differential" ;;
esac"""
TOGETHER = """echo "{name} begins"
touch "{root}/{name}.began"
for _ in $(seq 600); do
  if [ "$(echo "{root}"/*.began | wc -w)" = 4 ]; then
    echo "{name} was not alone"
    exit {code}
  fi
  sleep 0.05
done
exit 99"""
WAITS = """trap 'touch "{root}/{name}.ended"; exit 1' INT
echo "$$" >"{root}/{name}.pid.new" && mv "{root}/{name}.pid.new" "{root}/{name}.pid"
while :; do sleep 0.05; done"""


@pytest.fixture
def checkout(tmp_path):
    """make(text, codes): {name} and {root} in the text of what they run side by side, {code}: 0, or what codes say of one."""
    def program(path, text="exit 0"):
        path = tmp_path / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/usr/bin/env bash\n{text.replace('{root}', str(tmp_path))}\n")
        path.chmod(0o755)

    def make(text, **codes):
        for name in ("test", "lib.sh"):
            (tmp_path / "scripts").mkdir(exist_ok=True)
            shutil.copy(SCRIPTS / name, tmp_path / "scripts" / name)
        for path in ("scripts/deps", "scripts/build", "bin/ctest", "build/release/tests/walduct_simulation",
                     "build/fuzz/none_fuzz"):
            program(path)
        program(".deps/venv/bin/python", PYTHON)
        for name in BESIDE:
            body = text.replace("{name}", name).replace("{code}", str(codes.get(name, 0)))
            program(f"scripts/{name}" if name in ("quickstart", "lint") else name, body)
        return subprocess.Popen([tmp_path / "scripts/test"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, start_new_session=True, env={**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"})
    return make


def said_of(run):
    said, _ = run.communicate(timeout=120)
    return run.returncode, said


def test_all_at_once_and_what_they_say_in_one_piece_each(checkout):
    code, said = said_of(checkout(TOGETHER))
    assert code == 0, said
    names = [line[4:] for line in said.splitlines() if line.startswith("=== ")]
    assert names == ["unit", "simulation", "fuzz", "scripts", "differential", "quickstart", "chaos", "e2e", "lint", "summary"]
    for name in BESIDE:
        assert f"\n=== {name}\n{name} begins\n{name} was not alone\n" in said, said
        assert f"\n{name}: passed (" in said, said


@pytest.mark.parametrize("failing", BESIDE)
def test_any_of_them_that_fails_fails_the_run(failing, checkout):
    code, said = said_of(checkout(TOGETHER, **{failing: 3}))
    assert code == 1, said
    summary = said.partition("=== summary")[2]
    assert f"{failing}: FAILED, exit code 3 (" in summary and f"    {failing} was not alone\n" in summary, said
    assert summary.count("FAILED") == 1 and "e2e: passed (" in summary, said


def test_all_end_with_ctrl_c(checkout, tmp_path):
    run = checkout(WAITS)
    wait_until(lambda: all((tmp_path / f"{name}.pid").exists() for name in BESIDE), 60, "all of them run")
    pids = [int((tmp_path / f"{name}.pid").read_text()) for name in BESIDE]
    os.killpg(run.pid, signal.SIGINT)
    code, said = said_of(run)
    assert code == 130 and "=== e2e" not in said, said
    assert all((tmp_path / f"{name}.ended").exists() for name in BESIDE), said
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids), said
