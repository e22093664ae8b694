"""Waiting for something that another process does."""
import time

LONGEST_PAUSE_S = 0.5


def wait_until(condition, timeout_s, what, interval_s=0.02):
    """Calls `condition` until its answer is true and returns that answer; AssertionError naming `what` after `timeout_s`. A condition
    that takes long is asked less often: what is waited for needs the processor, too."""
    deadline = time.monotonic() + timeout_s
    while True:
        begin = time.monotonic()
        answer = condition()
        if answer:
            return answer
        end = time.monotonic()
        assert end < deadline, f"after {timeout_s} s still not: {what}"
        time.sleep(max(interval_s, min(2 * (end - begin), LONGEST_PAUSE_S)))
