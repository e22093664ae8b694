"""TLS trusts whom the system trusts, wherever a distribution keeps its authorities: asked of the program of a release by HTTPS."""
import http.server
import shutil
import ssl
import subprocess
import threading

import pytest

from support.tls import Authority


class Alive(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"ok\n")

    def log_message(self, *_):
        pass


@pytest.fixture
def server(tmp_path):
    """(URL, certificate of its authority) of something that answers every question with ok."""
    authority = Authority(tmp_path / "ca")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*authority.issue("server", ["127.0.0.1"]))
    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Alive)
    listener.socket = context.wrap_socket(listener.socket, server_side=True)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    yield f"https://127.0.0.1:{listener.server_port}", authority.certificate
    listener.shutdown()
    listener.server_close()


def test_authorities_of_each_distribution(release, anywhere, server):
    url, certificate = server
    subprocess.run(["tar", "-xzf", release.file("tarball"), "-C", anywhere.root / "usr/local", "--strip-components=1"], check=True)

    def ask(*before):
        return subprocess.run(anywhere.command(*before, "walduct", "status", "--alive", "--url", url), capture_output=True, text=True)

    unknown = ask()
    assert unknown.returncode != 0 and "certificate" in unknown.stderr, unknown.stderr
    for path in ("etc/ssl/certs/ca-certificates.crt", "etc/pki/tls/certs/ca-bundle.crt", "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
                 "etc/ssl/ca-bundle.pem", "etc/ssl/cert.pem"):
        file = anywhere.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(certificate, file)
        known = ask()
        assert (known.returncode, known.stdout) == (0, "ok\n"), f"{path}: {known.stderr}"
        refused = ask("/usr/bin/env", "SSL_CERT_FILE=/etc/hostname")
        assert refused.returncode != 0, "the environment wins"
        file.unlink()
