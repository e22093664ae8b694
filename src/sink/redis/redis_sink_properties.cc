#include "sink/redis/redis_sink_properties.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "redis/properties.h"

namespace walduct::sink {
namespace {

using enum config::PropertyType;
using enum config::Support;

constexpr absl::string_view kPrefix = "sink.redis.";

constexpr config::PropertyDefinition kRows[] = {
    {.name = "sink.redis.address",
     .doc = "Redis server of sink=redis, host:port. In Debezium Server's file this and the "
            "following are debezium.sink.redis.….",
     .fix = "use host:port, as in redis:6379",
     .validator = redis::CheckAddress},
    {.name = "sink.redis.user", .doc = "Name of its ACL user."},
    {.name = "sink.redis.password", .type = kPassword, .doc = "Password of that user."},
    {.name = "sink.redis.db.index",
     .type = kNonNegativeInt,
     .default_value = "0",
     .doc = "Database of the streams."},
    {.name = "sink.redis.message.format",
     .type = kEnum,
     .default_value = "compact",
     .doc = "compact: an entry has one field, named by the key, with the value. extended: key, "
            "value, and each header under its name in upper case.",
     .allowed = "compact, extended"},
    {.name = "sink.redis.null.key",
     .default_value = "default",
     .doc = "Text for the key of a record that has none."},
    {.name = "sink.redis.null.value",
     .default_value = "default",
     .doc = "Text for the value of a tombstone."},
    {.name = "sink.redis.batch.size",
     .type = kPositiveInt,
     .default_value = "500",
     .doc = "Entries of one transaction (MULTI, EXEC), at most."},
    {.name = "sink.redis.memory.limit.mb",
     .type = kNonNegativeInt,
     .default_value = "0",
     .doc = "Wait while the server uses so much memory. 0: until it refuses (maxmemory)."},
    {.name = "sink.redis.buffer.fill.rate",
     .type = kNonNegativeInt,
     .default_value = "30000",
     .support = kNoEffect,
     .doc = "Debezium Server's estimate of the memory that is needed.",
     .note = "the server is asked for what it uses, or says that it is full"},
    {.name = "sink.redis.skip.heartbeat.messages",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Do not write heartbeats."},
    {.name = "sink.redis.connection.timeout.ms",
     .type = kPositiveInt,
     .default_value = "2000",
     .doc = "Time limit for connecting and logging in."},
    {.name = "sink.redis.socket.timeout.ms",
     .type = kPositiveInt,
     .default_value = "2000",
     .doc = "How long an answer may take; then the connection is made anew, and what was not "
            "answered is sent again."},
    {.name = "sink.redis.retry.initial.delay.ms",
     .type = kPositiveInt,
     .default_value = "300",
     .doc = "First pause between two attempts to connect; it doubles."},
    {.name = "sink.redis.retry.max.delay.ms",
     .type = kPositiveInt,
     .default_value = "10000",
     .doc = "Longest pause between two attempts to connect."},
    {.name = "sink.redis.retry.max.attempts",
     .type = kPositiveInt,
     .default_value = "10",
     .support = kNoEffect,
     .doc = "Attempts of Debezium Server's offset store.",
     .note = "a server that is away is waited for"},
    {.name = "sink.redis.wait.enabled",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Ask with WAIT for one replica that has the records before they count as written."},
    {.name = "sink.redis.wait.timeout.ms",
     .type = kPositiveInt,
     .default_value = "1000",
     .doc = "How long a replica is waited for."},
    {.name = "sink.redis.wait.retry.enabled",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Ask again until a replica has them. false: a warning, and they count as written."},
    {.name = "sink.redis.wait.retry.delay.ms",
     .type = kPositiveInt,
     .default_value = "1000",
     .doc = "Pause before asking again."},
    {.name = "sink.redis.ssl.enabled",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Connect with TLS."},
    {.name = "sink.redis.ssl.hostname.verification.enabled",
     .type = kBoolean,
     .default_value = "false",
     .doc = "The certificate has to name the host of the address."},
    {.name = "sink.redis.ssl.truststore.path",
     .doc = "Authorities to trust: PEM, PKCS12 or JKS. Not set: the system's."},
    {.name = "sink.redis.ssl.truststore.password",
     .type = kPassword,
     .doc = "Password of that store."},
    {.name = "sink.redis.ssl.truststore.type",
     .default_value = "JKS",
     .support = kNoEffect,
     .doc = "Format of that store.",
     .note = "it is told by its content"},
    {.name = "sink.redis.ssl.keystore.path", .doc = "Our certificate and key: PEM, PKCS12 or JKS."},
    {.name = "sink.redis.ssl.keystore.password",
     .type = kPassword,
     .doc = "Password of that store and of its key."},
    {.name = "sink.redis.ssl.keystore.type",
     .default_value = "JKS",
     .support = kNoEffect,
     .doc = "Format of that store.",
     .note = "it is told by its content"},
    {.name = "sink.redis.cluster.enabled",
     .type = kBoolean,
     .default_value = "false",
     .support = kNotYetRefused,
     .doc = "Redis Cluster.",
     .note = "walduct writes to one server: name one without cluster mode, or a proxy that hides "
             "the cluster"},
    {.name = "walduct.sink.redis.ids",
     .type = kEnum,
     .default_value = "auto",
     .doc = "Ids of entries. auto: the server's clock; what is sent again after an outage or a "
            "crash comes twice. position: of the change's position; a change comes once. Needs "
            "Redis 7, and streams that nobody else writes to.",
     .allowed = "auto, position"},
    {.name = "walduct.sink.redis.maxlen",
     .type = kNonNegativeLong,
     .default_value = "0",
     .doc = "Trim each stream to about so many entries (MAXLEN ~): the oldest are lost. 0: none."},
    {.name = "walduct.sink.redis.minid.age.ms",
     .type = kNonNegativeLong,
     .default_value = "0",
     .doc = "Trim entries that are older, about (MINID ~): they are lost. 0: none."},
};

}  // namespace

absl::Span<const config::PropertyDefinition> RedisSinkProperties() { return kRows; }

void CheckRedisSink(const config::PropertySet& properties, config::Findings* findings) {
  if (properties.Text("sink") != "redis") return;
  if (!properties.IsSet("sink.redis.address"))
    findings->Error("sink.redis.address", "A value is required when sink=redis",
                    "add the server's host:port");
  if (properties.Integer("walduct.sink.redis.minid.age.ms") == 0) return;
  if (properties.Text("walduct.sink.redis.ids") == "position")
    findings->Error("walduct.sink.redis.minid.age.ms",
                    "entries whose ids are of the position have no age",
                    "use walduct.sink.redis.maxlen, or walduct.sink.redis.ids=auto");
  if (properties.Integer("walduct.sink.redis.maxlen") > 0)
    findings->Error("walduct.sink.redis.minid.age.ms",
                    "has no effect beside walduct.sink.redis.maxlen: Redis takes one of the two",
                    "remove one");
}

RedisSinkOptions BuildRedisSink(const config::PropertySet& properties) {
  RedisSinkOptions options;
  options.server = redis::BuildRedis(properties, kPrefix, kPrefix);
  options.server.retry_first = properties.Milliseconds("sink.redis.retry.initial.delay.ms");
  options.server.retry_most = properties.Milliseconds("sink.redis.retry.max.delay.ms");
  options.extended = properties.Text("sink.redis.message.format") == "extended";
  options.null_key = properties.Text("sink.redis.null.key");
  options.null_value = properties.Text("sink.redis.null.value");
  options.batch_records = static_cast<size_t>(properties.Integer("sink.redis.batch.size"));
  options.memory_limit_bytes =
      static_cast<uint64_t>(properties.Integer("sink.redis.memory.limit.mb")) << 20;
  options.skip_heartbeats = properties.Boolean("sink.redis.skip.heartbeat.messages");
  options.awaits_replica = properties.Boolean("sink.redis.wait.enabled");
  options.insists_on_replica = properties.Boolean("sink.redis.wait.retry.enabled");
  options.replica_timeout = properties.Milliseconds("sink.redis.wait.timeout.ms");
  options.replica_pause = properties.Milliseconds("sink.redis.wait.retry.delay.ms");
  options.ids_of_position = properties.Text("walduct.sink.redis.ids") == "position";
  options.max_entries = static_cast<uint64_t>(properties.Integer("walduct.sink.redis.maxlen"));
  options.max_age = properties.Milliseconds("walduct.sink.redis.minid.age.ms");
  return options;
}

}  // namespace walduct::sink
