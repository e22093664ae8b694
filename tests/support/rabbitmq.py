"""A client of RabbitMQ: what its queues hold, and how it is set up."""
import contextlib

import pika


class RabbitMq:
    def __init__(self, address, user="guest", password="guest", virtual_host="/"):
        host, _, port = address.rpartition(":")
        self._connection = pika.BlockingConnection(pika.ConnectionParameters(
            host, int(port), virtual_host, credentials=pika.PlainCredentials(user, password), heartbeat=0))
        self.channel = self._connection.channel()

    def exchange(self, name, kind="topic"):
        self.channel.exchange_declare(name, exchange_type=kind, durable=True)

    def queue(self, name, *bindings, **arguments):
        """bindings: (exchange, routing key)."""
        self.channel.queue_declare(name, durable=True, arguments=arguments)
        for exchange, key in bindings:
            self.channel.queue_bind(name, exchange, key)

    def has_queue(self, name, durable=True):
        """Whether it is there, and so."""
        channel = self._connection.channel()
        try:
            channel.queue_declare(name, durable=durable)
            return True
        except pika.exceptions.ChannelClosedByBroker:
            return False

    def take(self, queue):
        """(method, properties, body) of each message, which is gone then."""
        taken = []
        while True:
            one = self.channel.basic_get(queue, auto_ack=True)
            if one[0] is None:
                return taken
            taken.append(one)

    def delete(self, *queues):
        for queue in queues:
            self.channel.queue_delete(queue)

    def count(self, queue):
        return self.channel.queue_declare(queue, passive=True).method.message_count

    def close(self):
        with contextlib.suppress(pika.exceptions.AMQPError):
            self._connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
