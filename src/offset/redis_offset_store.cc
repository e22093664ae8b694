#include "offset/redis_offset_store.h"

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"

namespace walduct::offset {
namespace {

// Other connectors may share the hash.
constexpr int kAttempts = 10;

}  // namespace

absl::StatusOr<std::unique_ptr<OffsetStore>> RedisOffsetStore::Create(
    const redis::RedisOptions& options, std::string key, OffsetIdentity identity,
    const Environment& environment, absl::Duration timeout) {
  ASSIGN_OR_RETURN(auto client, redis::Client::Create(options, environment));
  return std::unique_ptr<OffsetStore>(
      new RedisOffsetStore(std::move(client), std::move(key), std::move(identity), timeout));
}

RedisOffsetStore::RedisOffsetStore(std::unique_ptr<redis::Client> client, std::string key,
                                   OffsetIdentity identity, absl::Duration timeout)
    : client_(std::move(client)),
      key_(std::move(key)),
      identity_(std::move(identity)),
      timeout_(timeout) {}

absl::StatusOr<const redis::Reply*> RedisOffsetStore::Call(
    std::initializer_list<absl::string_view> command) {
  auto reply = client_->Call(command, timeout_);
  // A transaction that was begun is given up with its connection.
  if (!reply.ok()) client_->Close();
  if (!reply.ok()) return WithContext(reply.status(), absl::StrCat("the position in hash ", key_));
  return reply;
}

absl::StatusOr<RedisOffsetStore::Held> RedisOffsetStore::Read() {
  ASSIGN_OR_RETURN(const redis::Reply* const reply, Call({"HGETALL", key_}));
  const auto& values = reply->values();
  for (size_t i = 1; i + 1 < values.size(); i += 2) {
    if (KeyBelongsTo(reply->Text(values[i]), identity_))
      return Held(std::in_place, reply->Text(values[i]), reply->Text(values[i + 1]));
  }
  return Held();
}

absl::StatusOr<std::optional<StoredOffset>> RedisOffsetStore::Load() {
  ASSIGN_OR_RETURN(const Held held, Read());
  value_.Saw(held ? std::make_optional(held->second) : std::nullopt);
  if (!held) return std::optional<StoredOffset>();
  absl::StatusOr<StoredOffset> offset = DecodeOffset(held->second);
  if (!offset.ok()) return WithContext(offset.status(), absl::StrCat("hash ", key_));
  return std::optional<StoredOffset>(*std::move(offset));
}

absl::Status RedisOffsetStore::CheckUnchanged(const Held& held) {
  // A hash that was taken away holds nobody's position.
  if (!held) return absl::OkStatus();
  return value_.CheckUnchanged(
      held->second, absl::StrCat(" in hash ", key_, " of Redis at ", client_->address()));
}

absl::StatusOr<bool> RedisOffsetStore::TrySave(const std::string& value) {
  RETURN_IF_ERROR(Call({"WATCH", key_}).status());
  ASSIGN_OR_RETURN(const Held held, Read());
  RETURN_IF_ERROR(CheckUnchanged(held));
  value_.Try(value);
  const std::string own = OffsetKey(identity_);
  RETURN_IF_ERROR(Call({"MULTI"}).status());
  if (held && held->first != own) RETURN_IF_ERROR(Call({"HDEL", key_, held->first}).status());
  RETURN_IF_ERROR(Call({"HSET", key_, own, value}).status());
  ASSIGN_OR_RETURN(const redis::Reply* const done, Call({"EXEC"}));
  return !done->is(redis::Reply::Type::kNil);
}

absl::Status RedisOffsetStore::StartSave(const StoredOffset& offset) {
  const std::string value = EncodeOffset(offset);
  for (int i = 0; i < kAttempts; ++i) {
    ASSIGN_OR_RETURN(const bool saved, TrySave(value));
    if (!saved) continue;
    value_.Stored();
    return absl::OkStatus();
  }
  return Error(absl::StatusCode::kUnavailable, "redis_busy",
               absl::StrCat("hash ", key_, " of Redis at ", client_->address(),
                            " changes too fast to store the position in it"),
               "give each connector a hash of its own: offset.storage.redis.key");
}

absl::Status RedisOffsetStore::Erase() {
  ASSIGN_OR_RETURN(const Held held, Read());
  if (held) RETURN_IF_ERROR(Call({"HDEL", key_, held->first}).status());
  value_.Saw(std::nullopt);
  return absl::OkStatus();
}

}  // namespace walduct::offset
