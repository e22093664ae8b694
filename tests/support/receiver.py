"""An HTTP server that notes each request and answers as a test says: what the sink http writes to."""
import base64
import hashlib
import hmac
import http.server
import json
import socket
import threading
import time

TOKENS = {"/auth/authenticate": {"jwt": "dummy.jwt.1", "jwt_refresh_token": "refresh.1", "expires_in": 3600000, "refresh_token_expires_in": 7200000},
          "/auth/refreshToken": {"jwt": "dummy.jwt.2", "jwt_refresh_token": "refresh.2", "expires_in": 3600000, "refresh_token_expires_in": 7200000},
          "/token": {"access_token": "dummy-token", "token_type": "Bearer", "expires_in": 3600}}


class Receiver:
    """answers: to the first requests: a status, "close" (the connection, without one), "slow" (after 3 s); then judge(number, request).
    requests: those that came, in order, as golden-server has them. taken: of those the ones answered with 2xx."""

    def __init__(self, answers=(), judge=lambda number, request: 200, secret=None, context=None, retry_after="1"):
        self.answers, self.judge, self.secret, self.context, self.retry_after = list(answers), judge, secret, context, retry_after
        self.requests, self.lock, self.open, self.last, self.port = [], threading.Lock(), [], None, 0
        self.up()

    @property
    def url(self):
        return f"{'https' if self.context else 'http'}://127.0.0.1:{self.port}"

    @property
    def taken(self):
        return [request for request in list(self.requests) if request["answer"] in ("slow",) or str(request["answer"]).startswith("2")]

    def up(self):
        receiver = self

        class Server(http.server.ThreadingHTTPServer):
            allow_reuse_address, daemon_threads, request_queue_size = True, True, 64

            def process_request(self, request, address):
                receiver.open.append(request)
                super().process_request(request, address)

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", self.port), self._handler())
        if self.context:
            self.server.socket = self.context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def down(self):
        """Nobody listens any more, and nobody is answered."""
        self.server.shutdown()
        self.server.server_close()
        for connection in self.open:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.open.clear()

    def _note(self, method, path, headers, body):
        now = time.time()
        request = {"method": method, "path": path, "headers": [[name, value] for name, value in headers.items()], "body": body.decode()}
        if self.secret and headers.get("webhook-signature"):
            signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
            made = hmac.new(base64.b64decode(self.secret.removeprefix("whsec_")), signed, hashlib.sha256).digest()
            request["signature_valid"] = headers["webhook-signature"] == "v1," + base64.b64encode(made).decode()
        with self.lock:
            request["after_ms"] = None if self.last is None else int((now - self.last) * 1000)
            self.last = now
            if path.split("?")[0] in TOKENS:
                request["answer"] = "token"
            else:
                request["answer"] = self.answers.pop(0) if self.answers else self.judge(len(self.requests), request)
            self.requests.append(request)
        return request["answer"]

    def _handler(receiver):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version, wbufsize = "HTTP/1.1", 65536
            disable_nagle_algorithm = True

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                answer = receiver._note(self.command, self.path, self.headers, body)
                if answer == "close":
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                if answer == "slow":
                    time.sleep(3)
                status = 200 if answer in ("token", "slow") else int(answer)
                text = json.dumps(TOKENS[self.path.split("?")[0]]).encode() if answer == "token" else b""
                self.send_response(status)
                if status in (429, 503):
                    self.send_header("Retry-After", receiver.retry_after)
                if 300 <= status < 400:
                    self.send_header("Location", "/elsewhere")
                if status != 204:
                    self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        return Handler

    def close(self):
        self.down()
