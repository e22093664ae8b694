"""Who may ask `walduct run --listen`: TLS, passwords, other origins, by the properties that a worker has for them."""
import os
import re
import ssl
import subprocess

import pytest

from support.http import ask
from support.paths import BINARY
from support.tls import Authority, trusting

BASIC_AUTH = "org.apache.kafka.connect.rest.basic.auth.extension.BasicAuthSecurityRestExtension"
ALICE = {"Authorization": "Basic YWxpY2U6c2VjcmV0"}  # alice:secret
LISTEN = ("--listen", "https://127.0.0.1:0")


def port_of(connector):
    connector.wait_log("listening address=")
    return int(re.findall(r"listening address=127\.0\.0\.1:(\d+) tls=yes", connector.log_text())[-1])


def key_store(directory, identity):
    path = directory / "store.pem"
    path.write_text(identity[1].read_text() + identity[0].read_text())
    return path


def test_https_passwords_origins_and_headers(db, connectors, tmp_path):
    db.script("create table items (id int primary key)")
    authority = Authority(tmp_path / "ca")
    credentials, login = tmp_path / "credentials.properties", tmp_path / "login.config"
    credentials.write_text("alice=secret\n")
    login.write_text("KafkaConnect {\n  org.apache.kafka.connect.rest.basic.auth.extension.PropertyFileLoginModule required"
                     f'\n  file="{credentials}";\n}};\n')
    connector = connectors(db, sink="file")
    connector.worker.update({
        "listeners.https.ssl.keystore.location": str(key_store(tmp_path, authority.issue("run", ["127.0.0.1"]))),
        "rest.extension.classes": BASIC_AUTH, "walduct.rest.login.config": str(login),
        "access.control.allow.origin": "https://ui.example", "response.http.headers.config": "set X-Frame-Options: DENY"})
    connector.start(*LISTEN).wait_streaming()
    port, ours = port_of(connector), trusting(authority)
    for path in ("/metrics", "/livez", "/status", "/connectors", "/nothing"):
        status, body, headers = ask(port, path, tls=ours)
        assert (status, body) == (401, "User cannot access the resource."), path
        assert headers["x-frame-options"] == "DENY"
    assert ask(port, "/metrics", tls=ours, Authorization="Basic YWxpY2U6d3Jvbmc=")[0] == 401
    status, body, headers = ask(port, "/metrics", tls=ours, Origin="https://ui.example", **ALICE)
    assert status == 200 and "walduct_build_info" in body
    assert headers["access-control-allow-origin"] == "https://ui.example"
    assert ask(port, "/livez", tls=ours, **ALICE)[:2] == (200, "ok\n")
    with pytest.raises(ssl.SSLError):
        ask(port, "/livez", tls=trusting(Authority(tmp_path / "other")), **ALICE)
    asked = subprocess.run([BINARY, "status", "--alive", "--url", f"https://alice:secret@127.0.0.1:{port}"], timeout=30,
                           capture_output=True, text=True)
    assert asked.returncode == 1 and "certificate" in asked.stderr, "the system's authorities do not know this one"
    assert "secret" not in asked.stderr and "--ca" in asked.stderr
    assert "who answers" in asked.stderr and "is not trusted" in asked.stderr and "nobody answers" not in asked.stderr, asked
    asked = subprocess.run([BINARY, "status", "--url", f"https://alice:secret@127.0.0.1:{port}", "--ca", authority.certificate],
                           timeout=30, capture_output=True, text=True)
    assert asked.returncode == 0 and "streaming" in asked.stdout, asked
    asked = subprocess.run([BINARY, "pause", connector.name, "--url", f"https://alice:secret@127.0.0.1:{port}"], timeout=30,
                           env={**os.environ, "WALDUCT_CA": str(authority.certificate)}, capture_output=True, text=True)
    assert asked.returncode == 3 and "takes no commands" in asked.stderr and "secret" not in asked.stderr, asked
    connector.stop()


def test_certificates_of_clients(db, connectors, tmp_path):
    db.script("create table items (id int primary key)")
    authority = Authority(tmp_path / "ca")
    connector = connectors(db, sink="file")
    connector.worker.update({
        "listeners.https.ssl.keystore.location": str(key_store(tmp_path, authority.issue("run", ["127.0.0.1"]))),
        "listeners.https.ssl.client.auth": "required",
        "listeners.https.ssl.truststore.location": str(authority.certificate), "listeners.https.ssl.truststore.type": "PEM"})
    connector.start(*LISTEN).wait_streaming()
    port = port_of(connector)
    assert ask(port, "/livez", tls=trusting(authority, authority.issue("client")))[0] == 200
    with pytest.raises(OSError):
        ask(port, "/livez", tls=trusting(authority))
    command = [BINARY, "status", "--alive", "--url", f"https://127.0.0.1:{port}", "--ca", authority.certificate]
    assert subprocess.run(command, timeout=30, capture_output=True).returncode == 1
    certificate, key = authority.issue("person")
    assert subprocess.run([*command, "--cert", certificate, "--key", key], timeout=30, capture_output=True).returncode == 0
    connector.stop()


@pytest.mark.parametrize("change, says", [
    ({}, "'listeners.https.ssl.*'"),
    ({"listeners.https.ssl.keystore.location": "/nowhere"}, "'listeners.https.ssl.*'"),
    ({"rest.extension.classes": "org.example.Auth"}, "'rest.extension.classes'"),
])
def test_what_cannot_be_done_is_refused(db, connectors, change, says):
    connector = connectors(db, sink="file")
    connector.worker.update(change)
    assert connector.run_to_end(*LISTEN) == 2
    assert says in connector.log_text()
    assert not db.slots()
