"""SASL/OAUTHBEARER with client credentials, against a real broker and a token endpoint."""
from support.secure_broker import security_of
from support.token_server import TokenServer
from support.wait import wait_until
from test_kafka_security import arrived, secure_broker  # noqa: F401
from test_security import TABLE, certificates, refused  # noqa: F401


def test_SEC_07_kafka_with_oauthbearer(secure_broker, db, connectors):  # noqa: F811
    """Client credentials: a token for records and one for positions, renewed before it ends; a secret that is refused is said."""
    db.script(TABLE)
    broker = secure_broker
    broker.grant("alice", db.name)
    broker.grant("alice", f"offsets-{db.name}")
    broker.allow_reading_configs("alice", f"offsets-{db.name}")
    tokens = TokenServer("walduct", "s3sam", "alice", broker.authority.issue("login", ["127.0.0.1"]), lasts_s=10)
    jaas = ("org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required clientId=\"walduct\" clientSecret=\"%s\" "
            "scope=\"records positions\";")
    security = {"security.protocol": "SASL_SSL", "sasl.mechanism": "OAUTHBEARER", "sasl.jaas.config": jaas % "s3sam",
                "sasl.oauthbearer.token.endpoint.url": tokens.url,
                "sasl.login.callback.handler.class": "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler",
                **broker.trust()}
    worker = {**security, **security_of("producer.", security), "bootstrap.servers": broker.sasl_ssl, "offset.storage.partitions": "1",
              "offset.storage.topic": f"offsets-{db.name}", "offset.storage.replication.factor": "1", "offset.storage.file.filename": None}
    try:
        connector = connectors(db, worker=worker, name="good").start().wait_streaming(60)
        asked = len(tokens.asked)
        assert asked >= 2 and tokens.asked[0] == ("grant_type=client_credentials&scope=records%20positions", True)
        db.execute("insert into public.orders values (2, 'x')")
        arrived(broker, connector, 2)
        wait_until(lambda: len(tokens.asked) > asked, 30, "a token is renewed")
        db.execute("insert into public.orders values (3, 'y')")
        arrived(broker, connector, 3)
        connector.stop()
        assert "s3sam" not in connector.log_text()
        wrong = {name: value.replace("s3sam", "wr0ng") for name, value in worker.items() if value}
        refused(connectors(db, {"snapshot.mode": "no_data"}, worker={**wrong, "offset.storage.file.filename": None}, name="wrong"),
                "kafka_authentication_failed", "HTTP status 401", "client's id and secret")
    finally:
        tokens.close()
