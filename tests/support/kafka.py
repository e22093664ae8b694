"""Reads topics to their end, and what else tests need of a broker."""
import contextlib
import time
import uuid

from confluent_kafka import OFFSET_BEGINNING, TIMESTAMP_NOT_AVAILABLE, Consumer, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, NewTopic

from support.events import Event
from support.wait import wait_until

QUIET = {"log_level": 2, "error_cb": lambda _: None}


class TopicReader:
    """All records of the topics that begin with a prefix (or are named by it), in the order of their offsets."""

    def __init__(self, bootstrap, prefix):
        self.prefix = prefix
        self.events = []
        self._next = {}  # (topic, partition) → offset to read next
        # A broker answers at once where there is a record, else after this long, again and again while the reader is there. What is
        # assigned meanwhile waits as long.
        self._config = {"bootstrap.servers": bootstrap, "group.id": f"reader-{uuid.uuid4()}",
                        "enable.auto.commit": False, "fetch.wait.max.ms": 40, "check.crcs": False,
                        "isolation.level": "read_committed", "enable.partition.eof": True, **QUIET}
        self._consumer = Consumer(self._config)

    def _connect_anew(self):
        """librdkafka 2.15.1 gives up all brokers at an answer that names none, as one that was frozen for longer than its session gives
        (walduct's own is patched: scripts/librdkafka)."""
        self._consumer.close()
        self._consumer = Consumer(self._config)
        self._consumer.assign([TopicPartition(*tp, offset) for tp, offset in self._next.items()])

    def _assign_new(self):
        # All topics are asked for: a question by name could create one. A new one may have no partition yet.
        found = self._topics()
        new = [TopicPartition(t, p, OFFSET_BEGINNING) for t in sorted(found) if t.startswith(self.prefix)
               for p in found[t].partitions if (t, p) not in self._next]
        if new:
            self._consumer.incremental_assign(new)
            self._next.update({(tp.topic, tp.partition): 0 for tp in new})

    def _topics(self):
        deadline = time.monotonic() + 40
        while True:
            try:
                return self._consumer.list_topics(timeout=10).topics
            except KafkaException:  # the broker is away, or was
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)
                self._connect_anew()

    def count(self):
        """How many records there are, without reading them."""
        self._assign_new()
        return sum(self._end(tp) for tp in self._next)

    def _end(self, partition):
        for attempt in range(50):
            try:
                return self._consumer.get_watermark_offsets(TopicPartition(*partition), timeout=20)[1]
            except KafkaException:  # no leader yet: the topic is new, or its broker has just come back
                time.sleep(0.1)
                if attempt % 10 == 9:
                    self._connect_anew()
        raise AssertionError(f"no end of {partition} known")

    def read(self, timeout_s=60):
        """Reads up to the present end of every topic; all events so far."""
        self._assign_new()
        ends = {tp: self._end(tp) for tp in self._next}
        deadline = time.monotonic() + timeout_s
        heard = time.monotonic()
        while any(self._next[tp] < end for tp, end in ends.items()):
            messages = self._consumer.consume(5000, 0.05)
            if messages:
                heard = time.monotonic()
            elif time.monotonic() - heard > 10:
                self._connect_anew()
                heard = time.monotonic()
            for message in messages:
                if not message.error():
                    self._append(message)
                elif message.error().code() == KafkaError._PARTITION_EOF:  # behind control records, too
                    self._next[(message.topic(), message.partition())] = message.offset()
            behind = {tp: end - self._next[tp] for tp, end in ends.items() if self._next[tp] < end}
            assert time.monotonic() < deadline, f"topics not read to their end: {behind}"
        return self.events

    def _append(self, message):
        kind, timestamp = message.timestamp()
        self._next[(message.topic(), message.partition())] = message.offset() + 1
        self.events.append(Event(message.topic(), message.partition(), message.offset(), message.key(), message.value(),
                                 message.headers, 0 if kind == TIMESTAMP_NOT_AVAILABLE else timestamp))

    def close(self):
        self._consumer.close()


def read_topics(bootstrap, prefix):
    reader = TopicReader(bootstrap, prefix)
    try:
        return list(reader.read())
    finally:
        reader.close()


def topics_with_prefix(bootstrap, prefix):
    return sorted(t for t in AdminClient({"bootstrap.servers": bootstrap, **QUIET}).list_topics(timeout=20).topics
                  if t.startswith(prefix))


def delete_topics(bootstrap, prefix):
    admin = AdminClient({"bootstrap.servers": bootstrap, **QUIET})
    names = topics_with_prefix(bootstrap, prefix)
    if names:
        for future in admin.delete_topics(names, operation_timeout=20).values():
            future.result()
        wait_until(lambda: not topics_with_prefix(bootstrap, prefix), 20, f"topics {names} gone")


SWEPT = {}  # bootstrap of a broker that tests share → a client


def sweep_afterwards(bootstrap):
    """From now on `sweep` clears up at this broker, too; its address."""
    if bootstrap not in SWEPT:
        SWEPT[bootstrap] = AdminClient({"bootstrap.servers": bootstrap, **QUIET})
    return bootstrap


def sweep(*names):
    """Deletes the topics with one of these in their names, of which a test is done with, and waits for nothing: whoever looks at a broker
    looks at all of its topics, and a run leaves thousands."""
    for admin in SWEPT.values():
        with contextlib.suppress(KafkaException):
            left = [topic for topic in admin.list_topics(timeout=20).topics if any(name in topic for name in names)]
            if left:
                admin.delete_topics(left)


def create_topic(bootstrap, name, partitions=1, replicas=None, **config):
    """replicas: the brokers of each partition; by default one of any."""
    admin = AdminClient({"bootstrap.servers": bootstrap, **QUIET})
    where = {"replica_assignment": replicas} if replicas else {"replication_factor": 1}
    topic = NewTopic(name, num_partitions=partitions, config=config, **where)
    admin.create_topics([topic])[name].result()
    wait_until(lambda: topics_with_prefix(bootstrap, name), 20, f"topic {name} created")


def set_topic(bootstrap, name, **config):
    """Changes properties of a topic: max_message_bytes="1000"."""
    entries = [ConfigEntry(key.replace("_", "."), value, incremental_operation=AlterConfigOpType.SET) for key, value in config.items()]
    resource = ConfigResource(ConfigResource.Type.TOPIC, name, incremental_configs=entries)
    admin = AdminClient({"bootstrap.servers": bootstrap, **QUIET})
    admin.incremental_alter_configs([resource])[resource].result()


def in_sync(bootstrap, topic):
    """How many replicas of the first partition are in sync."""
    metadata = AdminClient({"bootstrap.servers": bootstrap, **QUIET}).list_topics(topic, timeout=10)
    return len(metadata.topics[topic].partitions[0].isrs)


def written(bootstrap, topic):
    """Records in a topic, control records included, whether committed or not."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "none", "isolation.level": "read_uncommitted", **QUIET})
    try:
        if topic not in consumer.list_topics(timeout=20).topics:
            return 0
        return consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=20)[1]
    finally:
        consumer.close()
