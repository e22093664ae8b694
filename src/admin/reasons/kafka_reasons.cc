#include "admin/reasons/tables.h"

namespace walduct::admin {
namespace {

constexpr Reason kRows[] = {
    {.name = "batch_refused",
     .meaning = "A batch was refused; its records are sent one by one to find the culprit.",
     .remedy = "Nothing: they are sent again at once, and the refused one is named."},
    {.name = "broker_too_old",
     .meaning = "The broker is older than Apache Kafka 0.11.",
     .remedy = "Upgrade it."},
    {.name = "broker_unavailable",
     .meaning = "Kafka does not answer.",
     .remedy = "Check bootstrap.servers, the listener's port, security.protocol, and that brokers "
               "run. It waits; the slot keeps the WAL."},
    {.name = "change_not_acknowledged",
     .meaning =
         "A worker's change was sent to Kafka and not acknowledged; it may have been stored.",
     .remedy = "The connector follows what is stored once Kafka answers: look at its status then."},
    {.name = "cluster_authorization_failed",
     .meaning = "The user lacks a right on the cluster.",
     .remedy = "Grant IDEMPOTENT_WRITE and (to create topics) CREATE."},
    {.name = "comparison_too_far_apart",
     .meaning = "walduct diff: too many records wait for their partners.",
     .remedy =
         "One side lacks them, or has them in another order: see the examples. Without source.lsn "
         "in the records (add.fields=source.lsn,source.txId) they cannot be found by position."},
    {.name = "connectors_missing",
     .meaning = "A worker has no connector, and its offset topic has positions of some: they are "
                "still to be created, as after walduct offsets import, or its config.storage.topic "
                "may be misspelt. A warning, no trouble: positions outlive connectors that are "
                "deleted.",
     .remedy = "Create the connectors that are still to come; or put config.storage.topic (or "
               "offset.storage.topic) right and start the worker again; where the configurations "
               "are lost, create the connectors anew by the same names; where they were deleted on "
               "purpose, nothing."},
    {.name = "fenced",
     .meaning = "Another instance with this transactional id has taken over.",
     .remedy = "Stop one of the two."},
    {.name = "flush_timeout",
     .meaning = "Not all records were acknowledged in time.",
     .remedy = "Nothing is confirmed that is not; look at Kafka."},
    {.name = "format_not_compared",
     .meaning = "walduct diff: records in Avro or Protobuf.",
     .remedy = "Let both connectors write JSON while they are compared."},
    {.name = "internal_topic_not_compacted",
     .meaning = "The config or status topic of a worker is not compacted: the broker would remove "
                "connectors when they get old.",
     .remedy = "kafka-configs.sh --bootstrap-server HOST:PORT --alter --entity-type topics "
               "--entity-name NAME --add-config "
               "cleanup.policy=compact"},
    {.name = "kafka_authentication_failed",
     .meaning = "Kafka refuses the login.",
     .remedy =
         "Check sasl.mechanism and sasl.jaas.config; a provider such as ${file:…} is read again."},
    {.name = "kafka_error",
     .meaning = "Kafka refused something for a reason that has no name here.",
     .remedy = "The message has Kafka's own name of it."},
    {.name = "kafka_jaas_malformed",
     .meaning = "sasl.jaas.config cannot be read.",
     .remedy = "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"…\" "
               "password=\"…\";"},
    {.name = "kafka_oauth_failed",
     .meaning = "Kafka does not accept the token of OAUTHBEARER.",
     .remedy = "Check scope, audience and the broker's log."},
    {.name = "kafka_oauth_incomplete",
     .meaning = "sasl.mechanism=OAUTHBEARER lacks a property.",
     .remedy = "The message names it; docs/security.md has an example."},
    {.name = "kafka_oauth_no_token",
     .meaning = "The identity provider gives no token.",
     .remedy = "Check sasl.oauthbearer.token.endpoint.url, the client's id and secret, and scope. "
               "It waits."},
    {.name = "kafka_away",
     .meaning = "No broker answers the worker: nothing was stored and nothing is changed.",
     .remedy = "Ask again when Kafka is back; walduct status says when. Connectors go on by "
               "themselves."},
    {.name = "kafka_property_invalid",
     .meaning = "A property of the Kafka client has no such value, or would weaken delivery.",
     .remedy = "The message names it and what is allowed."},
    {.name = "kafka_sasl_unsupported",
     .meaning = "This SASL mechanism is not supported.",
     .remedy = "docs/security.md lists those that are."},
    {.name = "kafka_secrets_changed",
     .meaning = "The credentials have changed since, and the new ones are used.",
     .remedy = "Nothing: it goes on with the new ones."},
    {.name = "kafka_store_jceks",
     .meaning = "JCEKS stores are not read.",
     .remedy = "keytool -importkeystore into PKCS12."},
    {.name = "kafka_store_unreadable",
     .meaning = "A key or trust store cannot be read.",
     .remedy = "Check file, type and password."},
    {.name = "kafka_tls_failed",
     .meaning = "TLS with Kafka could not be set up.",
     .remedy =
         "Check ssl.truststore.location, ssl.keystore.location, and that the listener speaks TLS."},
    {.name = "libcurl_missing",
     .meaning = "libcurl cannot be loaded.",
     .remedy = "apt-get install libcurl4."},
    {.name = "libcurl_too_old",
     .meaning = "libcurl is older than 7.75 and signs no requests to AWS. Nothing was sent.",
     .remedy = "Install a newer one, or use the program of a release."},
    {.name = "no_file_descriptor",
     .meaning = "No file descriptor is left.",
     .remedy = "LimitNOFILE=65536 in the systemd unit, or ulimit -n 65536; of a process that runs: "
               "prlimit --pid PID --nofile=65536."},
    {.name = "no_topics",
     .meaning = "walduct diff: no topic begins with the prefix.",
     .remedy = "Name both prefixes as the topics have them: --left shop. --right shadow.shop."},
    {.name = "not_enough_replicas",
     .meaning = "A partition has fewer replicas in sync than min.insync.replicas.",
     .remedy = "Restart the missing brokers."},
    {.name = "output_unwritable",
     .meaning = "The file or terminal of the sink cannot be written.",
     .remedy = "Check rights and free space."},
    {.name = "partition_missing",
     .meaning = "The topic lacks the partition that a transform chose.",
     .remedy = "kafka-topics.sh --alter --topic TOPIC --partitions N."},
    {.name = "producer_fatal",
     .meaning =
         "The producer cannot go on with its guarantee; it is made anew, from the stored position.",
     .remedy = "Nothing: it goes on by itself. Records may come twice."},
    {.name = "producer_queue_full",
     .meaning = "The producer's queue is full.",
     .remedy = "Nothing: it is waited for."},
    {.name = "producer_renewed",
     .meaning = "Thousands of topics are not used any more (their tables were dropped), and the "
                "producer keeps memory for each: it is made anew, from the stored position.",
     .remedy = "Nothing: it goes on by itself. Records may come twice."},
    {.name = "producer_stuck",
     .meaning = "The producer does not take or send records.",
     .remedy = "It is made anew. Look at the brokers."},
    {.name = "record_refused",
     .meaning = "The broker refuses a record, e.g. one without a key in a compacted topic.",
     .remedy = "The broker's log says why; or walduct.errors.refused."},
    {.name = "record_timestamp_refused",
     .meaning = "A record's time is too far from the broker's clock.",
     .remedy = "message.timestamp.before.max.ms of the topic."},
    {.name = "record_too_large",
     .meaning = "A record is larger than the producer, the topic or the broker allow.",
     .remedy = "Raise the limit that the message names: the hint has "
               "producer.override.max.request.size and max.message.bytes of the topic with values; "
               "or walduct.errors.too.large."},
    {.name = "registry_forbidden",
     .meaning = "The schema registry's user may not do what is asked of it; Karapace says that a "
                "subject is not found (404, code 40401) to who may not write it.",
     .remedy = "Give the user the permission to read and write the subjects."},
    {.name = "registry_tls",
     .meaning = "TLS with the registry could not be set up.",
     .remedy = "Check the certificates in the message."},
    {.name = "registry_unauthenticated",
     .meaning = "The schema registry does not know this user, or not this password.",
     .remedy = "Check basic.auth.user.info or bearer.auth.token, and the credentials' source."},
    {.name = "registry_unavailable",
     .meaning = "The schema registry answers with an error of its own (5xx, too many requests).",
     .remedy = "Look at its log. It waits, and asks again."},
    {.name = "registry_unreachable",
     .meaning = "The schema registry does not answer.",
     .remedy = "Check the URL and that it runs. It waits."},
    {.name = "schema_differs",
     .meaning = "The registry's schema does not describe the table's values.",
     .remedy = "Register one that does, or leave use.latest.version and use.schema.id."},
    {.name = "schema_id_reused",
     .meaning = "The registry gave one id to two schemas: it may have lost what it held.",
     .remedy = "Restore its schemas, or start the connector again, which registers all anew."},
    {.name = "schema_incompatible",
     .meaning =
         "The registry refuses a table's new schema: it is not compatible with those before it.",
     .remedy =
         "The message names table and change. Change the subject's compatibility, or the table; of "
         "JSON Schema, object.additional.properties=false lets a column be added."},
    {.name = "schema_not_registered",
     .meaning = "The registry lacks the schema, and may not register it.",
     .remedy = "Register it, or set auto.register.schemas=true."},
    {.name = "schema_refused",
     .meaning = "The registry refuses a schema.",
     .remedy = "The message is the registry's own."},
    {.name = "subject_needs_record",
     .meaning = "The subject strategy needs the name of a record, and there is none.",
     .remedy = "Use TopicNameStrategy."},
    {.name = "too_many_topics",
     .meaning = "Records go to more topics than a producer may hold.",
     .remedy = "A transform makes topics of values: correct it."},
    {.name = "topic_authorization_failed",
     .meaning = "The user may not write to the topic.",
     .remedy = "Grant DESCRIBE, WRITE and (to create it) CREATE. It goes on by itself."},
    {.name = "topic_deleted",
     .loses = true,
     .meaning = "A topic was deleted while the connector wrote to it, or has lost records that it "
                "had acknowledged (its log was emptied or cut: offsets have fallen): what "
                "consumers had not read is gone. A deleted one is created anew by "
                "topic.creation.* or the broker, and the stream goes on; what was in it does not "
                "come again by itself. Topics of positions, configurations and states have no "
                "rows: what walduct knows is written into them again.",
     .remedy = "The hint has the walduct signal that reads its tables again; the warning stands "
               "until they were read, also over restarts."},
    {.name = "topic_exists",
     .meaning = "A topic exists already.",
     .remedy = "Nothing: it is used as it is."},
    {.name = "topic_gone",
     .meaning = "A topic has vanished, or is not known yet; also where the brokers create it by "
                "themselves (auto.create.topics.enable) and have many to create: it is waited "
                "for, a minute after it was first missed.",
     .remedy = "Nothing: it is asked for again."},
    {.name = "topic_missing",
     .meaning =
         "The topic does not exist and nobody creates it. One that was there and was deleted "
         "has taken its records with it: the connector's status and log say so.",
     .remedy = "Create it, or set topic.creation.default.partitions=1 and "
               "topic.creation.default.replication.factor=-1, which have no effect with "
               "topic.creation.enable=false."},
    {.name = "topic_name_invalid",
     .meaning = "Kafka does not allow this topic name.",
     .remedy =
         "topic.prefix, topic.naming.strategy or a transform: at most 249 of a-z A-Z 0-9 . _ -"},
    {.name = "topic_policy_violation",
     .meaning = "The broker's policy refuses the topic.",
     .remedy = "Correct topic.creation.*."},
    {.name = "topic_read_timeout",
     .meaning = "A topic could not be read to its end in time.",
     .remedy = "Look at its broker."},
    {.name = "topic_settings_invalid",
     .meaning = "The broker refuses topic.creation.*.",
     .remedy = "The message says which."},
    {.name = "transaction_expired",
     .meaning = "A Kafka transaction took longer than its timeout and was aborted; its records "
                "come again.",
     .remedy = "Raise producer.override.transaction.timeout.ms."},
    {.name = "transaction_not_aborted",
     .meaning = "A Kafka transaction could not be aborted.",
     .remedy = "Nothing: the producer is made anew."},
    {.name = "transaction_timeout_refused",
     .meaning = "The broker does not allow so long a transaction.",
     .remedy = "producer.override.transaction.timeout.ms at most transaction.max.timeout.ms."},
    {.name = "transactional_id_authorization_failed",
     .meaning = "The user may not use the transactional id.",
     .remedy = "Grant WRITE and DESCRIBE on it, or exactly.once.support=requested."},
    {.name = "worker_topic_empty",
     .meaning = "The topic of config.storage.topic has lost its records while the worker ran. Its "
                "connectors go on; what the worker knows is written into it.",
     .remedy = "Nothing once the log says that it was written. Until then do not stop the process; "
               "give the topic cleanup.policy=compact."},
    {.name = "worker_topic_gone",
     .meaning = "The topic of config.storage.topic or status.storage.topic was deleted while the "
                "worker ran. Its connectors go on; the topic is created again, and what the worker "
                "knows is written into it.",
     .remedy = "Nothing once the log says that it was read again. Until then do not stop the "
               "process, and let it create the topic, or kafka-topics.sh --create it with --config "
               "cleanup.policy=compact."},
};

}  // namespace

absl::Span<const Reason> KafkaReasons() { return kRows; }

}  // namespace walduct::admin
