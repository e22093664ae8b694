#!/usr/bin/env python3
"""Applies each event of an outbox to a database exactly once; the events come as signed webhooks (standardwebhooks.com).

A request is sent again until it is answered with 2xx, with the same webhook-id. The effect and the fact that it has been applied are
written in one transaction; the second time the inbox says no.

    the signature is checked, over the bytes that came
    BEGIN
      INSERT INTO inbox … ON CONFLICT DO NOTHING     no row: handled before, skip the effect
      the effect
    COMMIT
    then, and only then, 204

The same in Go, Node and Java: examples/outbox.

    DATABASE_URL=postgres://billing@localhost/billing WEBHOOK_SECRET=whsec_… PORT=8090 consumer.py
"""
import base64
import hashlib
import hmac
import json
import os
import signal
import sys
import threading
import time
from decimal import Decimal, DecimalException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import psycopg

EFFECT = """
INSERT INTO customer_totals (customer, orders, total) VALUES (%(customer)s, 1, %(total)s)
ON CONFLICT (customer) DO UPDATE SET orders = customer_totals.orders + 1, total = customer_totals.total + excluded.total
"""
INBOX = "INSERT INTO inbox (consumer, message_id) VALUES (%s, %s) ON CONFLICT DO NOTHING RETURNING 1"
FORGET = "DELETE FROM inbox WHERE consumer = %s AND handled_at < now() - %s::interval"
OLDEST_S = 300
LONGEST = 1 << 20  # bytes of a body


class NotUnderstood(Exception):
    """As often as it comes."""


def order_of(body):
    try:
        order = json.loads(body)
        return {"customer": order["customer"], "total": Decimal(order["total"])}
    except (ValueError, TypeError, KeyError, DecimalException) as error:
        raise NotUnderstood(str(error)) from error


class Webhooks:
    def __init__(self, setting=os.environ.get):
        self.secret = base64.b64decode(setting("WEBHOOK_SECRET", "").removeprefix("whsec_"))
        if not self.secret:
            sys.exit("WEBHOOK_SECRET: whsec_ and base64 of the secret that the sender has")
        self.database = setting("DATABASE_URL", "postgres://localhost/billing")
        self.group = setting("GROUP", "billing")
        self.retention = setting("INBOX_RETENTION", "30 days")
        self.sessions = threading.local()

    def session(self):
        """Of this thread: requests come over several connections at once. One that was lost is made anew."""
        if not hasattr(self.sessions, "one") or self.sessions.one.closed:
            self.sessions.one = psycopg.connect(self.database)
        return self.sessions.one

    def signed(self, headers, body):
        name, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "0")
        if not at.isdigit() or abs(time.time() - int(at)) > OLDEST_S:
            return False
        wanted = base64.b64encode(hmac.digest(self.secret, f"{name}.{at}.".encode() + body, hashlib.sha256)).decode()
        return any(hmac.compare_digest(f"v1,{wanted}", one) for one in headers.get("webhook-signature", "").split())

    def handle(self, message_id, kind, body):
        with self.session().transaction():
            new = self.session().execute(INBOX, (self.group, message_id)).fetchone()
            if new and kind == "OrderPlaced":
                self.session().execute(EFFECT, order_of(body))
        print(f"{'applied' if new else 'seen before'} {message_id}", flush=True)

    def forget(self, stopping):
        """What a sender no longer repeats need not be remembered."""
        while True:
            try:
                with self.session().transaction():
                    self.session().execute(FORGET, (self.group, self.retention))
            except psycopg.Error as error:
                print(error, file=sys.stderr, flush=True)
            if stopping.wait(3600):
                return


def handler(webhooks):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            length = int(self.headers.get("Content-Length", LONGEST + 1))
            if length > LONGEST:
                self.close_connection = True
                return self.answer(413)
            body = self.rfile.read(length)
            if not webhooks.signed(self.headers, body):
                return self.answer(401)
            return self.answer(self.handle_event(body))

        def handle_event(self, body):
            try:
                webhooks.handle(self.headers["webhook-id"], self.path.rpartition("/")[2], body)
                return 204
            except NotUnderstood:
                return 400
            except psycopg.Error as error:
                print(error, file=sys.stderr, flush=True)
                return 500  # it comes again

        def answer(self, status):
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass
    return Handler


def main():
    webhooks, stopping = Webhooks(), threading.Event()
    server = ThreadingHTTPServer(("", int(os.environ.get("PORT", "8090"))), handler(webhooks))
    threading.Thread(target=webhooks.forget, args=(stopping,), daemon=True).start()
    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(one, lambda *_: threading.Thread(target=server.shutdown).start())
    server.serve_forever()
    stopping.set()


if __name__ == "__main__":
    main()
