"""What rounds say of two builds, when every round has its own weather."""
import math
import statistics

CHANCE = 0.05  # how likely builds that do not differ may be told apart, for one figure
# How much is worth a word: what differs by less is the same, however often it does.
LEAST = {"rows_per_s": 0.05, "cpu_us_per_row": 0.03, "walsender_cpu_us_per_row": 0.05, "rss_mb": 0.05, "decode_ns": 0.03, "instructions": 0.005}
WORDS = {"rows_per_s": ("slower", "faster"), "rss_mb": ("less", "more")}  # below 1, above 1
OTHERS = ("faster", "slower")


def sign_test(ratios):
    """How likely it is by chance alone that so many rounds, or more, agree on a side; two-sided. Ties count for neither."""
    above, below = sum(r > 1 for r in ratios), sum(r < 1 for r in ratios)
    rounds = above + below
    tail = sum(math.comb(rounds, k) for k in range(max(above, below), rounds + 1)) / 2 ** rounds
    return min(1.0, 2 * tail)


def least_rounds():
    """Fewer cannot tell anything, though all of them agree."""
    return math.ceil(1 - math.log2(CHANCE))


def judge(figure, ratios):
    """`ratios`: this build's figure to the other's, of rounds that ran one after the other. Told apart only where the rounds agree (sign
    test) and their median is worth a word."""
    median, chance = statistics.median(ratios), sign_test(ratios)
    below, above = WORDS.get(figure, OTHERS)
    word = "same"
    if len(ratios) < least_rounds():
        word = "too few rounds"
    elif chance <= CHANCE and abs(median - 1) >= LEAST[figure]:
        word = above if median > 1 else below
    return {"median": round(median, 4), "min": round(min(ratios), 4), "max": round(max(ratios), 4), "chance": round(chance, 4), "verdict": word}


def judge_exact(figure, ratio):
    """Of a figure that is the same whenever it is taken: a count of instructions."""
    below, above = WORDS.get(figure, OTHERS)
    word = "same" if abs(ratio - 1) < LEAST[figure] else above if ratio > 1 else below
    return {"median": round(ratio, 4), "min": round(ratio, 4), "max": round(ratio, 4), "verdict": word}
