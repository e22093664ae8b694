// Of a connector, what says how it is sent signals.
#pragma once

#include <string>

#include "engine/configuration/connector_names.h"
#include "engine/configuration/connector_options.h"
#include "engine/configuration/options_of.h"
#include "engine/lifecycle/connectors.h"
#include "metrics/connector_metrics.h"
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

// Of a connector that runs in this process, by all its lanes.
inline bool ReadsNothing(const engine::Connectors& connectors, const std::string& name) {
  bool runs = false;
  for (const engine::ConnectorView& view : connectors.Views()) {
    if (view.names == nullptr || view.names->called.name != name || view.metrics == nullptr)
      continue;
    runs = true;
    if (view.metrics->incremental.Read().running) return false;
  }
  return runs;
}

}  // namespace walduct::operate
