// Of a connector, what says how it is sent signals.
#pragma once

#include "engine/configuration/connector_names.h"
#include "engine/configuration/connector_options.h"
#include "engine/configuration/options_of.h"
#include "operate/commands/signal_commands.h"

namespace walduct::operate {

// Borrows all of it.
inline SignalReader SignalReaderOf(const engine::ConnectorOptions& options,
                                   bool runs_here = false) {
  return {.connector = options.name,
          .topic_prefix = engine::TopicPrefixOf(options),
          .incremental = *options.incremental,
          .kafka = *options.kafka,
          .database = *options.database,
          .tables = *options.tables,
          .columns = engine::ColumnsOf(options),
          .message_keys = engine::MessageKeysOf(options),
          .runs_here = runs_here,
          .called = engine::CalledOf(options)};
}

}  // namespace walduct::operate
