// What of a connector's configuration a read of its tables takes, for who does not know the whole.
#pragma once

#include <memory>
#include <string>

#include "event/wanted_columns.h"

namespace walduct::encode {
struct EncodeOptions;
}
namespace walduct::engine {
struct ConnectorOptions;
}
namespace walduct::names {
struct TableFilterOptions;
}
namespace walduct::postgres {
struct DatabaseOptions;
}
namespace walduct::replication {
struct ReplicationOptions;
}
namespace walduct::route {
struct RouteOptions;
}
namespace walduct::snapshot {
struct SnapshotOptions;
}
namespace walduct::transform {
struct ChainSpec;
}

namespace walduct::slot {

struct ReadParts {
  // What the rest points into: the connector as it is read, and as it makes a slot for its view.
  std::shared_ptr<const engine::ConnectorOptions> config, view;
  std::string name, publication, placeholder;
  const postgres::DatabaseOptions* database = nullptr;
  const replication::ReplicationOptions* view_slot = nullptr;
  const names::TableFilterOptions* tables = nullptr;
  const snapshot::SnapshotOptions* snapshot = nullptr;
  const route::RouteOptions* route = nullptr;
  const transform::ChainSpec* chain = nullptr;
  const encode::EncodeOptions* encode = nullptr;
  event::WantedColumns wanted;
  bool message_keys = false;  // keys of tables are chosen: message.key.columns
};
// Of the connector as `run` has it.
ReadParts PartsOfRead(const engine::ConnectorOptions& connector);

}  // namespace walduct::slot
