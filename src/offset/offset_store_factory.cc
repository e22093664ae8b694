#include "offset/offset_store_factory.h"

#include "base/check.h"
#include "offset/file_offset_store.h"
#include "offset/kafka_offset_store.h"
#include "offset/memory_offset_store.h"

namespace walduct::offset {

absl::StatusOr<std::unique_ptr<OffsetStore>> CreateOffsetStore(
    const config::ConnectorOptions& options, const Environment& environment) {
  OffsetIdentity identity{options.name, options.transform.topic_prefix};
  switch (options.offset.kind) {
    case config::OffsetStoreKind::kKafkaTopic:
      return KafkaOffsetStore::Create(options.offset, options.kafka, std::move(identity),
                                      environment);
    case config::OffsetStoreKind::kFile:
      return FileOffsetStore::Create(options.offset.file_path, std::move(identity));
    case config::OffsetStoreKind::kMemory:
      return std::make_unique<MemoryOffsetStore>();
  }
  CHECK(false);
  return absl::OkStatus();
}

}  // namespace walduct::offset
