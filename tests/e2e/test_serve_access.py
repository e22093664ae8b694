"""Who may ask `walduct serve`: TLS with and without certificates of clients, passwords, a listener for /admin, other origins.
What is expected is what a worker of Kafka Connect answered with the same worker file."""
import ssl
import subprocess

import pytest

from support.debezium import free_port
from support.http import ask
from support.serve import Worker
from support.tls import Authority, trusting
from support.wait import wait_until

BASIC_AUTH = "org.apache.kafka.connect.rest.basic.auth.extension.BasicAuthSecurityRestExtension"
ALICE = {"Authorization": "Basic YWxpY2U6c2VjcmV0"}  # alice:secret


@pytest.fixture
def worker(broker, tmp_path, request):
    made = Worker(tmp_path / "worker", broker, f"access-{free_port()}")
    yield made
    made.kill()


def key_store(kind, directory, identity):
    """(path, its properties) of a store of this kind with this certificate and key."""
    certificate, key = identity
    path = directory / f"store.{kind}"
    if kind == "pem":
        path.write_text(key.read_text() + certificate.read_text())
        return {"location": path}
    p12 = directory / "made.p12"
    subprocess.run(["openssl", "pkcs12", "-export", "-in", certificate, "-inkey", key, "-name", "own", "-out", p12,
                    "-passout", "pass:secret"], check=True)
    if kind == "pkcs12":
        p12.rename(path)
    else:
        subprocess.run(["keytool", "-importkeystore", "-srckeystore", p12, "-srcstorepass", "secret", "-destkeystore", path,
                        "-deststoretype", "JKS", "-deststorepass", "secret"], check=True, capture_output=True)
    return {"location": path, "password": "secret"}


@pytest.mark.parametrize("kind", ["pem", "pkcs12", "jks"])
def test_tls_with_each_kind_of_key_store(worker, tmp_path, kind):
    authority = Authority(tmp_path / "ca")
    store = key_store(kind, tmp_path, authority.issue("worker", ["127.0.0.1"]))
    port = free_port()
    worker.properties["listeners"] += f",https://127.0.0.1:{port}"
    worker.properties.update({f"listeners.https.ssl.keystore.{name}": str(value) for name, value in store.items()})
    worker.properties["listeners.https.ssl.enabled.protocols"] = "TLSv1.3"
    worker.start("--log-level", "warn")
    assert ask(port, "/connectors", tls=trusting(authority))[:2] == (200, "[]")
    assert ask(worker.port, "/connectors")[:2] == (200, "[]"), "the other listener goes on without"
    old = trusting(authority)
    old.maximum_version = ssl.TLSVersion.TLSv1_2
    with pytest.raises((ssl.SSLError, ConnectionError)):
        ask(port, "/connectors", tls=old)
    with pytest.raises(ssl.SSLError):
        ask(port, "/connectors", tls=trusting(Authority(tmp_path / "other")))
    worker.stop()


@pytest.mark.parametrize("clients", ["required", "requested"])
def test_certificates_of_clients(worker, tmp_path, clients):
    authority, stranger = Authority(tmp_path / "ca"), Authority(tmp_path / "other", name="a stranger")
    store = key_store("pem", tmp_path, authority.issue("worker", ["127.0.0.1"]))
    worker.properties.update({
        "listeners": f"https://127.0.0.1:{worker.port}", "ssl.keystore.location": str(store["location"]),
        "ssl.client.auth": clients, "ssl.truststore.location": str(authority.certificate), "ssl.truststore.type": "PEM"})
    known, unknown = authority.issue("client"), stranger.issue("client")

    def answers(identity):
        try:
            return ask(worker.port, "/", tls=trusting(authority, identity))[0] == 200
        except OSError:
            return False
    worker.begin("--log-level", "warn")
    wait_until(lambda: answers(known), 60, f"it serves (see {worker.log})", interval_s=0.1)
    assert answers(None) == (clients == "requested")
    assert not answers(unknown)
    worker.stop()


def test_passwords_origins_headers_and_a_listener_for_admin(worker, tmp_path):
    credentials, login, admin = tmp_path / "credentials.properties", tmp_path / "login.config", free_port()
    credentials.write_text("alice=secret\n")
    login.write_text("KafkaConnect {\n  org.apache.kafka.connect.rest.basic.auth.extension.PropertyFileLoginModule required"
                     f'\n  file="{credentials}";\n}};\n')
    worker.properties.update({
        "rest.extension.classes": BASIC_AUTH, "walduct.rest.login.config": str(login),
        "admin.listeners": f"http://127.0.0.1:{admin}", "access.control.allow.origin": "https://ui.example",
        "access.control.allow.methods": "GET,PUT",
        "response.http.headers.config": 'set X-Frame-Options: DENY, "add Cache-Control: no-cache, no-store"'})
    worker.begin("--log-level", "warn")

    def get(path, **headers):
        return ask(worker.port, path, **headers)

    def healthy():
        try:
            return get("/health", **ALICE)[0] == 200
        except OSError:
            return False
    wait_until(healthy, 60, f"it serves (see {worker.log})", interval_s=0.1)
    for path in ("/", "/connectors", "/health", "/metrics"):
        status, body, headers = get(path)
        assert (status, body) == (401, "User cannot access the resource."), path
        assert "www-authenticate" not in headers and headers["x-frame-options"] == "DENY"
    assert get("/connectors", Authorization="Basic YWxpY2U6d3Jvbmc=")[0] == 401
    assert get("/nothing")[0] == 404
    status, body, headers = get("/connectors", Origin="https://ui.example", **ALICE)
    assert (status, body) == (200, "[]")
    assert headers["access-control-allow-origin"] == "https://ui.example" and headers["vary"] == "Origin"
    assert headers["cache-control"] == "no-cache, no-store"
    asking = {"Access-Control-Request-Method": "PUT"}
    asked = ask(worker.port, "/connectors", "OPTIONS", Origin="https://ui.example", **asking, **ALICE)
    assert asked[0] == 200 and asked[2]["access-control-allow-methods"] == "GET,PUT"
    refused = ask(worker.port, "/connectors", "OPTIONS", Origin="https://bad.example", **asking, **ALICE)
    assert "access-control-allow-origin" not in refused[2]
    assert get("/admin/loggers/root", **ALICE)[0] == 404
    status, body, headers = ask(admin, "/admin/loggers/root", Origin="https://ui.example")
    assert status == 200 and '"level":"WARN"' in body and "vary" not in headers
    assert ask(admin, "/connectors")[0] == 404
    worker.stop()
