"""Waiting for something that another process does."""
import time


def wait_until(condition, timeout_s, what, interval_s=0.02):
    """Calls `condition` until its answer is true and returns that answer; AssertionError naming `what` after `timeout_s`."""
    deadline = time.monotonic() + timeout_s
    while True:
        answer = condition()
        if answer:
            return answer
        assert time.monotonic() < deadline, f"after {timeout_s} s still not: {what}"
        time.sleep(interval_s)
