#include "offset/offset_store_factory.h"

#include "base/check.h"
#include "kafka/options.h"
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
    case OffsetStoreKind::kFile:
      return FileOffsetStore::Create(options.file_path, std::move(identity));
    case OffsetStoreKind::kMemory:
      return std::make_unique<MemoryOffsetStore>();
  }
  CHECK(false);
  return absl::OkStatus();
}

}  // namespace walduct::offset
