// RedisOffsetStore: the hash of Debezium's RedisOffsetBackingStore: a field for each connector,
// with Connect's key and the offset map as JSON. Blocks: for BackgroundStore.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/environment.h"
#include "offset/offset_key.h"
#include "offset/offset_store.h"
#include "offset/seen_value.h"
#include "redis/client.h"

namespace walduct::offset {

class RedisOffsetStore final : public OffsetStore {
 public:
  // key: of the hash. Reads certificates.
  static absl::StatusOr<std::unique_ptr<OffsetStore>> Create(const redis::RedisOptions& options,
                                                             std::string key,
                                                             OffsetIdentity identity,
                                                             const Environment& environment,
                                                             absl::Duration timeout);

  absl::StatusOr<std::optional<StoredOffset>> Load() override;
  absl::Status StartSave(const StoredOffset& offset) override;
  std::optional<absl::Status> PollSave() override { return absl::OkStatus(); }
  int ready_fd() const override { return -1; }
  absl::Status Erase() override;

 private:
  // What the hash holds for the connector: its field, in whatever spelling, and its value.
  using Held = std::optional<std::pair<std::string, std::string>>;

  RedisOffsetStore(std::unique_ptr<redis::Client> client, std::string key, OffsetIdentity identity,
                   absl::Duration timeout);
  absl::StatusOr<Held> Read();
  // False: somebody else changed the hash meanwhile.
  absl::StatusOr<bool> TrySave(const std::string& value);
  absl::Status CheckUnchanged(const Held& held);
  absl::StatusOr<const redis::Reply*> Call(std::initializer_list<absl::string_view> command);

  const std::unique_ptr<redis::Client> client_;
  const std::string key_;
  const OffsetIdentity identity_;
  const absl::Duration timeout_;
  SeenValue value_;
};

}  // namespace walduct::offset
