#include "offset/offset_store_factory.h"

#include <optional>
#include <utility>

#include "base/check.h"
#include "base/status_macros.h"
#include "kafka/options.h"
#include "offset/background_store.h"
#include "offset/file_offset_store.h"
#include "offset/jdbc_offset_store.h"
#include "offset/kafka_offset_store.h"
#include "offset/redis_offset_store.h"
#include "offset/topic/offset_topics.h"
#include "redis/options.h"

namespace walduct::offset {
namespace {

// Forgets everything when the process ends. For `tail` and for tests.
class MemoryOffsetStore final : public OffsetStore {
 public:
  absl::StatusOr<std::optional<StoredOffset>> Load() override { return stored_; }
  absl::Status StartSave(const StoredOffset& offset) override {
    stored_ = offset;
    return absl::OkStatus();
  }
  std::optional<absl::Status> PollSave() override { return absl::OkStatus(); }
  int ready_fd() const override { return -1; }
  absl::Status Erase() override {
    stored_.reset();
    return absl::OkStatus();
  }

 private:
  std::optional<StoredOffset> stored_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<OffsetStore>> CreateOffsetStore(
    const OffsetOptions& options, const kafka::KafkaOptions& kafka, OffsetIdentity identity,
    const Environment& environment, std::shared_ptr<OffsetTopics> topics) {
  switch (options.kind) {
    case OffsetStoreKind::kKafkaTopic:
      return KafkaOffsetStore::Create(options, options.clients ? *options.clients : kafka,
                                      std::move(identity), environment, std::move(topics));
    case OffsetStoreKind::kFile: {
      ASSIGN_OR_RETURN(auto file, FileOffsetStore::Create(options.file_path, std::move(identity)));
      return std::make_unique<BackgroundStore>(std::move(file));
    }
    case OffsetStoreKind::kRedis: {
      ASSIGN_OR_RETURN(auto redis, RedisOffsetStore::Create(*options.redis, options.redis_key,
                                                            std::move(identity), environment,
                                                            options.flush_timeout));
      return std::make_unique<BackgroundStore>(std::move(redis));
    }
    case OffsetStoreKind::kJdbc:
      return std::make_unique<BackgroundStore>(JdbcOffsetStore::Create(
          *options.jdbc, std::move(identity), environment, options.flush_timeout));
    case OffsetStoreKind::kMemory:
      return std::make_unique<MemoryOffsetStore>();
  }
  CHECK(false);
  return absl::OkStatus();
}

}  // namespace walduct::offset
