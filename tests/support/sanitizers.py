"""A binary under a sanitizer (scripts/test asan, tsan): where its reports go. A process that is killed has no exit code, its report is there."""
import contextlib
import os

SANITIZER = os.environ.get("SANITIZER")
OPTIONS = ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")


@contextlib.contextmanager
def reports_in(directory):
    """Fails at the end when a process that was started meanwhile has reported something."""
    if not SANITIZER:
        yield
        return
    directory.mkdir(parents=True, exist_ok=True)
    before = {name: os.environ.get(name, "") for name in OPTIONS}
    os.environ.update({name: f"{value}:log_path={directory / 'report'}" for name, value in before.items()})
    try:
        yield
    finally:
        os.environ.update(before)
    found = sorted(directory.iterdir())
    assert not found, f"{SANITIZER}, {len(found)} reports:\n" + "\n".join(one.read_text(errors="replace")[:8000] for one in found[:3])
