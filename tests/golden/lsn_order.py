"""What is strict alone is the order and the equality of LSNs, of which not all is ours."""


def twice(play, directory):
    """play(directory) gives the differences, those of a strict comparison with "strict: " before them. When there are no others, once more:
    every 15 seconds in which something was written, PostgreSQL logs the running transactions, and then the next transaction begins behind
    where the last one ended, and only then."""
    found = play(directory)
    if found and all(difference.startswith("strict: ") for difference in found):
        found = play(directory / "again")
    return found
