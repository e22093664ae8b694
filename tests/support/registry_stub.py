"""A schema registry that misbehaves as a test says: POST /subjects/… answers with ids that count from 1."""
import json
import ssl
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class RegistryStub:
    """`tls`: (certificate, key, authority of the clients or None). `fault(subject)`: an HTTP status to answer with, or None;
    `delay_s`: before each answer."""

    def __init__(self, tls=None, fault=lambda subject: None, delay_s=0):
        self.fault, self.delay_s, self.schemas, self.calls = fault, delay_s, [], []
        stub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status, answer = stub._answer(self.path, body)
                text = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        if tls:
            certificate, key, authority = tls
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            if authority:
                context.load_verify_locations(authority)
                context.verify_mode = ssl.CERT_REQUIRED
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def _answer(self, path, body):
        if path.startswith("/compatibility/"):
            return 404, {"error_code": 40401, "message": "the stub has no opinion"}
        subject = path.split("/")[2]
        self.calls.append(subject)
        time.sleep(self.delay_s)
        status = self.fault(subject)
        if status:
            return status, {"error_code": status, "message": "the stub says no"}
        schema = json.loads(body)["schema"]
        if schema not in self.schemas:
            self.schemas.append(schema)
        return 200, {"id": self.schemas.index(schema) + 1}

    def close(self):
        self.server.shutdown()
        self.server.server_close()
