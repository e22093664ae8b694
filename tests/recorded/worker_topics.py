"""Compares the records of a worker's three topics, step by step, with what Kafka Connect was recorded writing.

Of the topic of configurations every record counts, in order. Of the states and positions the last one of a key does, and its partition:
what passes between is chance."""
import json

from recorded import masks

TOPICS = ("configs", "status", "offsets")


def _by_step(records):
    """{(step, topic): what is to be equal}"""
    steps = {}
    for record in records:
        value = record["value"] and masks.topic_value(json.loads(record["value"]))
        where = record["step"], record["topic"]
        if record["topic"] == "configs":
            steps.setdefault(where, []).append((record["key"], value))
        else:
            steps.setdefault(where, {})[record["key"]] = record["partition"], value
    return steps


def compare(steps, golden, actual):
    """((step, topic), a text) of what differs. steps: of steps.json."""
    wanted, got = _by_step(golden), _by_step(actual)
    for step in steps:
        for topic in TOPICS:
            where = step["step"], topic
            if wanted.get(where) != got.get(where):
                yield where, (f"step {step['step']} ({step['what']}), {topic}:\n  want {json.dumps(wanted.get(where))[:1500]}\n"
                              f"  got  {json.dumps(got.get(where))[:1500]}")
