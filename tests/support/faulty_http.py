"""A door in front of a real HTTP server: lets requests through, or does to them what `mode` says."""
import http.server
import threading
import time
import urllib.error
import urllib.request
from urllib.parse import urlsplit


class FaultyHttp:
    """mode: "open" (through), "away" (connections are cut), a number (answered with that code), "hang" (no answer)."""

    def __init__(self, url):
        self.behind, self.mode, self.asked = url, "open", 0
        door = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def pass_on(self):
                door.asked += 1
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                while door.mode == "hang":
                    time.sleep(0.05)
                if door.mode == "away":
                    self.close_connection = True
                    self.connection.close()
                    return
                status, answer, kind = door.mode, b'{"error_code":50001,"message":"made by a test"}', "application/json"
                if door.mode == "open":
                    status, answer, kind = door.forward(self.command, self.path, body, self.headers)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            do_GET = do_POST = do_PUT = pass_on

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None
        self.url = f"http://127.0.0.1:{self.server.server_port}{urlsplit(url).path}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def forward(self, method, path, body, headers):
        origin = urlsplit(self.behind)
        kept = {name: headers[name] for name in ("Content-Type", "Accept") if name in headers}
        request = urllib.request.Request(f"{origin.scheme}://{origin.netloc}{path}", body or None, kept, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.read(), answer.headers.get("Content-Type") or "application/json"
        except urllib.error.HTTPError as error:
            return error.code, error.read(), error.headers.get("Content-Type") or "application/json"

    def close(self):
        self.mode = "open"
        self.server.shutdown()
        self.server.server_close()
