"""bench/e2e/verdict.py: what rounds say of two builds. bench/e2e/other_build.py: which one to compare with."""
import subprocess
import sys

import pytest

from support.paths import ROOT

sys.path.insert(0, str(ROOT / "bench/e2e"))

import verdict  # noqa: E402

REGRESSION = [sys.executable, ROOT / "bench/e2e/regression.py", "--rounds", "7"]


@pytest.mark.parametrize("ratios, chance", [([1.1] * 7, 2 / 2**7), ([0.9] * 6, 2 / 2**6), ([1.1] * 8 + [0.9], 20 / 2**9), ([1.1, 0.9], 1), ([1, 1], 1)])
def test_chance_of_a_sign(ratios, chance):
    assert verdict.sign_test(ratios) == pytest.approx(chance)


@pytest.mark.parametrize("figure, ratios, word", [
    ("cpu_us_per_row", [1.04, 1.05, 1.2, 1.06, 1.03, 1.05, 1.04], "slower"),
    ("cpu_us_per_row", [0.94, 0.95, 0.9, 0.96, 0.93, 0.95, 0.94], "faster"),
    ("rows_per_s", [0.9] * 7, "slower"),
    ("rows_per_s", [1.1] * 7, "faster"),
    ("rss_mb", [1.1] * 7, "more"),
    ("cpu_us_per_row", [1.01] * 7, "same"),  # all agree on what is not worth a word
    ("cpu_us_per_row", [1.3, 1.2, 0.9, 1.3, 0.8, 1.2, 1.3], "same"),  # weather
    ("rows_per_s", [0.97] * 7, "same"),
    ("cpu_us_per_row", [1.5] * 5, "too few rounds")])
def test_words(figure, ratios, word):
    assert verdict.judge(figure, ratios)["verdict"] == word


def test_a_spread_is_told():
    judged = verdict.judge("cpu_us_per_row", [1.0, 1.2, 0.9, 1.1, 1.05, 1.06, 1.07])
    assert (judged["min"], judged["median"], judged["max"]) == (0.9, 1.06, 1.2)


@pytest.mark.parametrize("ratio, word", [(1.0, "same"), (1.004, "same"), (1.006, "slower"), (0.99, "faster")])
def test_a_count_has_no_noise(ratio, word):
    assert verdict.judge_exact("instructions", ratio)["verdict"] == word


def test_least_rounds_can_tell():
    assert verdict.sign_test([1.1] * verdict.least_rounds()) <= verdict.CHANCE < verdict.sign_test([1.1] * (verdict.least_rounds() - 1))


def test_what_cannot_be_compared_with_is_said():
    refused = subprocess.run([*REGRESSION, "--against", "no-such-ref"], capture_output=True, text=True)
    assert refused.returncode == 1 and "--against 'no-such-ref'" in refused.stderr and "name one" in refused.stderr, refused
