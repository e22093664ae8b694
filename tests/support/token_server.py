"""A token endpoint: gives an unsigned JSON web token to whoever brings the client's id and secret."""
import base64
import json
import ssl
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def _part(of):
    return base64.urlsafe_b64encode(json.dumps(of).encode()).rstrip(b"=").decode()


class TokenServer:
    """certificate: (certificate, key) as PEM files; https then. asked: the bodies that came, and whether they got a token."""

    def __init__(self, client, secret, subject, certificate, lasts_s=3600):
        self.asked = []
        wanted = "Basic " + base64.b64encode(f"{client}:{secret}".encode()).decode()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(handler):  # noqa: N802, N805
                body = handler.rfile.read(int(handler.headers["Content-Length"])).decode()
                allowed = handler.headers["Authorization"] == wanted
                self.asked.append((body, allowed))
                now = int(time.time())
                token = f"{_part({'alg': 'none'})}.{_part({'sub': subject, 'iat': now, 'exp': now + lasts_s})}."
                out = {"access_token": token, "expires_in": lasts_s} if allowed else {"error": "invalid_client"}
                handler.send_response(200 if allowed else 401)
                handler.end_headers()
                handler.wfile.write(json.dumps(out).encode())

            def log_message(handler, *_):  # noqa: N805
                pass
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"https://127.0.0.1:{self._server.server_port}/token"

    def close(self):
        self._server.shutdown()
        self._server.server_close()
