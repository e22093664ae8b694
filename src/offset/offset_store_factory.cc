#include "offset/offset_store_factory.h"

#include <utility>

#include "base/check.h"
#include "base/status_macros.h"
#include "kafka/options.h"
#include "offset/background_store.h"
#include "offset/file_offset_store.h"
#include "offset/kafka_offset_store.h"
#include "offset/memory_offset_store.h"

namespace walduct::offset {

absl::StatusOr<std::unique_ptr<OffsetStore>> CreateOffsetStore(const OffsetOptions& options,
                                                               const kafka::KafkaOptions& kafka,
                                                               OffsetIdentity identity,
                                                               const Environment& environment) {
  switch (options.kind) {
    case OffsetStoreKind::kKafkaTopic:
      return KafkaOffsetStore::Create(options, options.clients ? *options.clients : kafka,
                                      std::move(identity), environment);
    case OffsetStoreKind::kFile: {
      ASSIGN_OR_RETURN(auto file, FileOffsetStore::Create(options.file_path, std::move(identity)));
      return std::make_unique<BackgroundStore>(std::move(file));
    }
    case OffsetStoreKind::kMemory:
      return std::make_unique<MemoryOffsetStore>();
  }
  CHECK(false);
  return absl::OkStatus();
}

}  // namespace walduct::offset
