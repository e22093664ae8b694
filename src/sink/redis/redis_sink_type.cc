#include "sink/redis/redis_sink_type.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "redis/client.h"
#include "redis/error.h"
#include "sink/redis/redis_sink.h"
#include "sink/redis/redis_sink_properties.h"

namespace walduct::sink {
namespace {

std::shared_ptr<Destination> Build(const config::PropertySet& properties, size_t buffer_bytes) {
  RedisSinkOptions options = BuildRedisSink(properties);
  options.buffer_bytes = buffer_bytes;
  return std::make_shared<RedisDestination>(std::move(options));
}

// Ids of the position go up along one slot: what two tell of one transaction has one id.
bool HasOneWriter(const config::PropertySet& properties) {
  return properties.Text("walduct.sink.redis.ids") == "position";
}

// Not everybody may ask for it.
absl::Status CheckEviction(redis::Client& client) {
  const auto policy = client.Call({"CONFIG", "GET", "maxmemory-policy"}, Sink::kPrepareTimeout);
  if (!policy.ok() || (*policy)->values().size() != 3) return absl::OkStatus();
  const std::string value((*policy)->Text((*policy)->values()[2]));
  if (!absl::StartsWith(value, "allkeys-")) return absl::OkStatus();
  return Error(absl::StatusCode::kFailedPrecondition, "redis_evicts",
               absl::StrCat("Redis at ", client.address(), " has maxmemory-policy=", value,
                            ": short of memory it deletes whole streams, and tells nobody"),
               "set maxmemory-policy noeviction, or another that spares keys without expiry");
}

}  // namespace

constinit const SinkType kRedisSink = {
    .name = "redis",
    .traits = {.store = SinkTraits::Store::kBesideOutput},
    .section = "walduct's own",
    .rows = RedisSinkProperties,
    .check = CheckRedisSink,
    .one_writer = HasOneWriter,
    .build = Build,
};

absl::StatusOr<std::unique_ptr<Sink>> RedisDestination::Open(const SinkContext& context) const {
  return RedisSink::Create(options_, context.environment);
}

absl::Status RedisDestination::AskServer(const Environment& environment, std::string* asked) const {
  ASSIGN_OR_RETURN(const auto client, redis::Client::Create(options_.server, environment));
  const auto role = client->Call({"INFO", "replication"}, Sink::kPrepareTimeout);
  if (!role.ok() && !absl::IsPermissionDenied(role.status())) return role.status();
  *asked = absl::StrCat("Redis at ", client->address());
  if (role.ok() && absl::StrContains((*role)->text(), "role:slave"))
    return redis::AnswerError("READONLY the server is a replica", client->address());
  return CheckEviction(*client);
}

}  // namespace walduct::sink
