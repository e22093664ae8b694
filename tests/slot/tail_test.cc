#include "slot/world/tail.h"

#include "encode/options/encode_options.h"
#include "engine/configuration/connector_options.h"
#include "gtest/gtest.h"
#include "incremental/options/incremental_options.h"
#include "replication/options.h"
#include "snapshot/options.h"

namespace walduct::slot {
namespace {

TEST(Tail, PrintsRecordsOnly) {
  engine::ConnectorOptions config;
  config.incremental->notifies_sink = config.incremental->notifies_log = true;
  EXPECT_FALSE(TailConfig(config, {}).incremental->notifies());
}

// By it the values are known; what scripts read stays as it is.
TEST(Tail, RecordsHaveTheirSchemaForEyesAlone) {
  engine::ConnectorOptions config;
  using encode::ConverterKind;
  for (const ConverterKind kind : {ConverterKind::kJson, ConverterKind::kAvro}) {
    config.encode->value.kind = kind;
    config.encode->value.schemas_enable = false;
    EXPECT_FALSE(TailConfig(config, {}).encode->value.schemas_enable);
    const engine::ConnectorOptions eyes = TailConfig(config, {.eyes = true});
    EXPECT_TRUE(eyes.encode->value.schemas_enable);
    EXPECT_EQ(eyes.encode->value.kind, ConverterKind::kJson);
  }
}

TEST(Tail, RecordsWhatComesAtACommitThroughASlotOfItsOwn) {
  engine::ConnectorOptions config;
  config.replication->slot_name = "live";
  config.replication->stream_in_progress = true;
  config.replication->xmin_interval = absl::Seconds(1);
  config.snapshot->mode = snapshot::SnapshotMode::kInitial;
  const engine::ConnectorOptions records = RecordConfig(config);
  EXPECT_TRUE(records.replication->temporary_slot);
  EXPECT_NE(records.replication->slot_name, "live");
  EXPECT_FALSE(records.replication->stream_in_progress);
  EXPECT_EQ(records.replication->xmin_interval, absl::ZeroDuration());
  EXPECT_EQ(records.snapshot->mode, snapshot::SnapshotMode::kNoData);
}

}  // namespace
}  // namespace walduct::slot
