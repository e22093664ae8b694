// Of a connector, what a doctor looks at.
#pragma once

#include "engine/configuration/connector_options.h"
#include "engine/configuration/options_of.h"
#include "operate/doctor/subject/subject.h"

namespace walduct::operate {

// Borrows all of it.
inline Subject SubjectOf(const engine::ConnectorOptions& options) {
  return {.whole = options,
          .name = options.name,
          .identity = engine::OffsetIdentityOf(options),
          .database = *options.database,
          .replication = *options.replication,
          .tables = *options.tables,
          .snapshot = *options.snapshot,
          .encode = *options.encode,
          .kafka = *options.kafka,
          .sink = *options.sink,
          .offset = *options.offset,
          .registries = *options.registries,
          .message_keys = engine::MessageKeysOf(options),
          .columns = engine::ColumnsOf(options),
          .incremental = *options.incremental,
          .heartbeat = *options.heartbeat,
          .outbox = *options.outbox,
          .spill = *options.spill,
          .chain = *options.chain};
}

}  // namespace walduct::operate
