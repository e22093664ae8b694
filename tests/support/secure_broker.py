"""A broker of Kafka that asks for TLS and logins, and the properties of those who come to it."""
import subprocess

from confluent_kafka.admin import (AclBinding, AclBindingFilter, AclOperation, AclPermissionType, AdminClient,
                                   ResourcePatternType, ResourceType, ScramCredentialInfo, ScramMechanism,
                                   UserScramCredentialUpsertion)

from support.kafka import QUIET
from support.servers import free_ports
from support.tls import Authority

# How one logs in to Event Hubs, by its documentation.
EVENT_HUBS_USER = "$ConnectionString"
CONNECTION_STRING = ("Endpoint=sb://walduct.servicebus.windows.net/;SharedAccessKeyName=RootManageSharedAccessKey;"
                     "SharedAccessKey=c2hhcmVk+YWNjZXNz/a2V5=;EntityPath=shop")


class SecureBroker:
    """One broker with TLS (client certificates asked for), SASL over TLS and ACLs; its plain listener is the superuser's."""

    def __init__(self, private_servers, directory):
        self.authority = Authority(directory / "kafka-ca")
        certificate, key = self.authority.issue("broker", ["localhost", "127.0.0.1"])
        store = directory / "broker.pem"
        pkcs8 = subprocess.run(["openssl", "pkcs8", "-topk8", "-nocrypt", "-in", key], check=True, capture_output=True, text=True).stdout
        store.write_text(pkcs8 + certificate.read_text())
        ports = dict(zip(("PLAINTEXT", "SSL", "SASL_SSL", "CONTROLLER"), free_ports(4)))
        listeners = ",".join(f"{name}://127.0.0.1:{port}" for name, port in ports.items())
        plain = ("org.apache.kafka.common.security.plain.PlainLoginModule required user_alice=\"alice-secret\" "
                 f'user_{EVENT_HUBS_USER}="{CONNECTION_STRING}";')
        scram = "org.apache.kafka.common.security.scram.ScramLoginModule required;"
        unsecured = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;"  # takes unsigned tokens
        self.servers = private_servers(kafka=True, kafka_set={
            "listeners": listeners,
            "advertised.listeners": listeners.rpartition(",")[0],
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_SSL:SASL_SSL,CONTROLLER:PLAINTEXT",
            "controller.quorum.voters": f"1@127.0.0.1:{ports['CONTROLLER']}",
            "ssl.keystore.type": "PEM", "ssl.keystore.location": store,
            "ssl.truststore.type": "PEM", "ssl.truststore.location": self.authority.certificate,
            "ssl.client.auth": "requested",
            "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-512,OAUTHBEARER",
            "listener.name.sasl_ssl.oauthbearer.sasl.jaas.config": unsecured,
            "listener.name.sasl_ssl.plain.sasl.jaas.config": plain,
            "listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config": scram,
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": "User:ANONYMOUS",
        })
        self.plain, self.ssl, self.sasl_ssl = (f"127.0.0.1:{ports[name]}" for name in ("PLAINTEXT", "SSL", "SASL_SSL"))
        self.admin = AdminClient({"bootstrap.servers": self.plain, **QUIET})

    def trust(self):
        return {"ssl.truststore.location": str(self.authority.certificate)}

    def grant(self, user, topic):
        self.admin.create_acls([acl(user, topic, operation) for operation in
                                (AclOperation.DESCRIBE, AclOperation.WRITE, AclOperation.CREATE)])
        for future in self.admin.create_acls([acl(user, topic, AclOperation.READ)]).values():
            future.result()

    def allow_reading_configs(self, user, topic):
        for future in self.admin.create_acls([acl(user, topic, AclOperation.DESCRIBE_CONFIGS)]).values():
            future.result()

    def revoke(self, user):
        filter_all = AclBindingFilter(ResourceType.ANY, None, ResourcePatternType.ANY, f"User:{user}", None, AclOperation.ANY,
                                      AclPermissionType.ANY)
        for future in self.admin.delete_acls([filter_all]).values():
            future.result()

    def add_scram_user(self, user, password):
        change = UserScramCredentialUpsertion(user, ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096), password.encode())
        for future in self.admin.alter_user_scram_credentials([change]).values():
            future.result()


def acl(user, topic, operation):
    return AclBinding(ResourceType.TOPIC, topic, ResourcePatternType.PREFIXED, f"User:{user}", "*", operation,
                      AclPermissionType.ALLOW)


def sasl(mechanism, user, password):
    module = "plain.PlainLoginModule" if mechanism == "PLAIN" else "scram.ScramLoginModule"
    return {"security.protocol": "SASL_SSL", "sasl.mechanism": mechanism, "sasl.jaas.config":
            f'org.apache.kafka.common.security.{module} required username="{user}" password="{password}";'}


def security_of(prefix, properties):
    return {prefix + name: value for name, value in properties.items()}
