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

    DATABASE_URL=postgres://billing@localhost/billing WEBHOOK_SECRET=whsec_… PORT=8090 consumer.py
"""
import base64
import hashlib
import hmac
import json
import os
import signal
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import psycopg

EFFECT = """
INSERT INTO customer_totals (customer, orders, total) VALUES (%(customer)s, 1, %(total)s)
ON CONFLICT (customer) DO UPDATE SET orders = customer_totals.orders + 1, total = customer_totals.total + excluded.total
"""
INBOX = "INSERT INTO inbox (consumer, message_id) VALUES (%s, %s) ON CONFLICT DO NOTHING RETURNING 1"
OLDEST_S = 300


class Webhooks:
    def __init__(self, setting=os.environ.get):
        self.secret = base64.b64decode(setting("WEBHOOK_SECRET", "").removeprefix("whsec_"))
        self.database = setting("DATABASE_URL", "postgres://localhost/billing")
        self.group = setting("GROUP", "billing")
        self.sessions = threading.local()

    def session(self):
        """Of this thread: requests come over several connections at once."""
        if not hasattr(self.sessions, "one"):
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
                self.session().execute(EFFECT, json.loads(body))
        print(f"{'applied' if new else 'seen before'} {message_id}", flush=True)


def handler(webhooks):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if webhooks.signed(self.headers, body):
                webhooks.handle(self.headers["webhook-id"], self.path.rpartition("/")[2], body)
                self.answer(204)
            else:
                self.answer(401)

        def answer(self, status):
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass
    return Handler


def main():
    server = ThreadingHTTPServer(("", int(os.environ.get("PORT", "8090"))), handler(Webhooks()))
    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(one, lambda *_: threading.Thread(target=server.shutdown).start())
    server.serve_forever()


if __name__ == "__main__":
    main()
