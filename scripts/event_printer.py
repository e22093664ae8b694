"""Reads Kafka topics from their beginning and prints each event: topic, key, headers, what changed."""
import argparse
import json
import sys
import uuid

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, TopicPartition

OPERATIONS = {"r": ("read", "36"), "c": ("create", "32"), "u": ("update", "33"), "d": ("delete", "31"),
              "t": ("truncate", "31"), "m": ("message", "35"), None: ("tombstone", "90")}


def paint(text, color):
    return f"\033[{color}m{text}\033[0m" if sys.stdout.isatty() else text


def operation(message):
    """The envelope's op: r, c, u, d, t, m; None for a tombstone."""
    if message.value() is None:
        return None
    value = json.loads(message.value())
    return value.get("payload", value).get("op")


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def print_event(message):
    name, color = OPERATIONS.get(operation(message), ("event", "0"))
    key = message.key().decode() if message.key() is not None else "null"
    print(f"{paint(f'{name:<9}', color)} topic {paint(message.topic(), 1)} offset {message.offset()}  key {key}")
    if message.value() is not None:
        value = json.loads(message.value())
        value = value.get("payload", value)
        for part in ("before", "after"):
            if value.get(part) is not None:
                print(f"  {part:<7} {compact(value[part])}")
        source = value.get("source", {})
        print("  source  " + compact({k: source[k] for k in ("table", "txId", "lsn", "snapshot") if k in source}))
    headers = {name: (content or b"null").decode(errors="replace") for name, content in message.headers() or []}
    print("  headers " + (", ".join(f"{name}={text}" for name, text in headers.items()) or "none"))
    sys.stdout.flush()


class EventReader:
    """Reads whole topics; a topic that does not exist yet is picked up when it appears."""

    def __init__(self, bootstrap, topics):
        self.consumer = Consumer({
            "bootstrap.servers": bootstrap,
            "group.id": f"events-{uuid.uuid4()}",
            "enable.auto.commit": False,
            "topic.metadata.refresh.interval.ms": 500,
            "log_level": 3,
        })
        self.missing = set(topics)

    def poll(self, timeout_s):
        """The next message, or None after `timeout_s`."""
        self._assign_new_topics()
        message = self.consumer.poll(min(timeout_s, 0.5) if self.missing else timeout_s)
        if message is None:
            return None
        if message.error():
            if message.error().code() in (KafkaError._PARTITION_EOF, KafkaError._ALL_BROKERS_DOWN, KafkaError._TRANSPORT):
                return None
            raise KafkaException(message.error())
        return message

    def _assign_new_topics(self):
        if not self.missing:
            return
        # Asking for all topics, not by name: a question by name would create the topic.
        known = self.consumer.list_topics(timeout=10).topics
        for topic in sorted(self.missing & known.keys()):
            partitions = [TopicPartition(topic, p, OFFSET_BEGINNING) for p in known[topic].partitions]
            if partitions:
                self.consumer.incremental_assign(partitions)
                self.missing.discard(topic)

    def close(self):
        self.consumer.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap", required=True)
    parser.add_argument("topics", nargs="+")
    args = parser.parse_args()
    reader = EventReader(args.bootstrap, args.topics)
    try:
        while True:
            message = reader.poll(1.0)
            if message is not None:
                print_event(message)
    except KeyboardInterrupt:
        pass
    except KafkaException as error:
        sys.exit(f"events: error: {error.args[0]}")
    finally:
        reader.close()


if __name__ == "__main__":
    main()
