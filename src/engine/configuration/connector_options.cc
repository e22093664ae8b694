#include "engine/configuration/connector_options.h"

#include "absl/strings/str_cat.h"
#include "encode/options/encode_options.h"
#include "engine/configuration/heartbeat_options.h"
#include "engine/configuration/record_error_options.h"
#include "engine/configuration/runtime_options.h"
#include "incremental/options/incremental_options.h"
#include "kafka/options.h"
#include "names/table_filter.h"
#include "offset/options.h"
#include "outbox/options.h"
#include "postgres/options.h"
#include "registry/options.h"
#include "replication/options.h"
#include "route/options.h"
#include "sink/options.h"
#include "snapshot/options.h"
#include "spill/options.h"
#include "transform/chain/chain_spec.h"

namespace walduct::engine {

ConnectorOptions::ConnectorOptions() = default;
ConnectorOptions::ConnectorOptions(const ConnectorOptions&) = default;
ConnectorOptions::ConnectorOptions(ConnectorOptions&&) noexcept = default;
ConnectorOptions& ConnectorOptions::operator=(const ConnectorOptions&) = default;
ConnectorOptions& ConnectorOptions::operator=(ConnectorOptions&&) noexcept = default;
ConnectorOptions::~ConnectorOptions() = default;

SlotAddress SlotOf(const ConnectorOptions& options) {
  const postgres::DatabaseOptions& database = *options.database;
  return {.server = absl::StrCat(database.hostname, ":", database.port),
          .slot = options.replication->slot_name};
}

std::string TopicPrefixOf(const ConnectorOptions& options) { return options.encode->topic_prefix; }

}  // namespace walduct::engine
