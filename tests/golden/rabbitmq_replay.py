"""Plays what was recorded of the real Debezium Server at RabbitMQ (server_replay.py)."""
import json

from golden.redis_records import as_header
from golden.server_replay import MARKER, Replay
from support.rabbitmq import RabbitMq


class RabbitMqReplay(Replay):
    """What a queue gave is gone from it: it is kept here."""
    ADDRESSES = ("AMQP_PORT",)

    def __init__(self, name, postgres, address, directory):
        super().__init__(name, postgres, address, directory)
        self.got = []

    @staticmethod
    def written(address):
        return address.rpartition(":")[2]

    def prepare(self):
        with RabbitMq(self.address) as client:
            for wanted in self.scenario.get("created", ()):
                client.channel.queue_delete(wanted["created_queue"])
            for queue, _, _ in self.sink["queues"]:
                client.channel.queue_delete(queue)
            for exchange, kind in self.sink["exchanges"]:
                client.channel.exchange_delete(exchange)
                client.exchange(exchange, kind)
            for queue, arguments, bindings in self.sink["queues"]:
                client.queue(queue, *bindings, **arguments)

    def _steps(self):
        if not self.scenario.get("loses"):
            return super()._steps()
        # What no queue takes is waited for, and nothing behind it goes on.
        self.server.wait_log("no queue takes")
        assert MARKER not in json.dumps(self._records())
        self.server.terminate(timeout_s=20)
        return False

    def _records(self):
        with RabbitMq(self.address) as client:
            for queue, _, _ in self.sink["queues"]:
                for method, properties, body in client.take(queue):
                    set_ = {name: value for name, value in vars(properties).items() if value is not None and name != "headers"}
                    headers = [[name, type(value).__name__, value.decode() if isinstance(value, bytes) else value]
                               for name, value in sorted((properties.headers or {}).items())]
                    self.got.append({"queue": queue, "exchange": method.exchange, "routing_key": method.routing_key, "properties": set_, "headers": headers,
                                     "body": body.decode()})
        return self.got

    def _as_recorded(self):
        yield from self._records()

    @staticmethod
    def as_topics(records):
        for record in records:
            headers = "\n".join(f"{name} {kind} {text}" for name, kind, text in sorted(
                (as_header(name, text)[0], kind, as_header(name, text)[1]) for name, kind, text in record["headers"]))
            to = json.dumps([record["queue"], record["exchange"], record["routing_key"], record["properties"]], sort_keys=True)
            yield {"topic": to, "partition": record["queue"], "key": None, "value": f"{record['body']}\n{headers}", "headers": []}

    def differences(self, strict):
        return super().differences(strict) + ([] if strict else self._created())

    def _created(self):
        with RabbitMq(self.address) as client:
            return [f"queue {wanted['created_queue']} is not there as it was" for wanted in self.scenario.get("created", ())
                    if not client.has_queue(wanted["created_queue"], wanted["durable"])]
