// Rooms' structs of a connector's configuration, one by one, for who reads some of them and is not
// to be compiled again with each of the others.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "offset/offset_key.h"

namespace walduct::encode {
struct ColumnOptions;
}
namespace walduct::kafka {
struct KafkaOptions;
}
namespace walduct::names {
struct TableFilterOptions;
}
namespace walduct::offset {
struct OffsetOptions;
}
namespace walduct::outbox {
struct OutboxOptions;
}
namespace walduct::postgres {
struct DatabaseOptions;
}
namespace walduct::registry {
struct RegistriesOptions;
}
namespace walduct::replication {
struct ReplicationOptions;
struct SlotShare;
}  // namespace walduct::replication
namespace walduct::route {
class MessageKeys;
}
namespace walduct::sink {
struct SinkOptions;
}

namespace walduct::engine {

struct ConnectorOptions;
struct SourceType;

const std::string& NameOf(const ConnectorOptions& options);
const SourceType* SourceOf(const ConnectorOptions& options);  // null: the one that the host has
// False: it polls.
bool ReadsSlot(const ConnectorOptions& options);
const postgres::DatabaseOptions& DatabaseOf(const ConnectorOptions& options);
const replication::ReplicationOptions& ReplicationOf(const ConnectorOptions& options);
const replication::SlotShare& ShareOf(const ConnectorOptions& options);
// The slot that it reads and that stays on the server; empty: it takes up none.
std::string SlotNameOf(const ConnectorOptions& options);
const names::TableFilterOptions& TablesOf(const ConnectorOptions& options);
const registry::RegistriesOptions& RegistriesOf(const ConnectorOptions& options);
const sink::SinkOptions& SinkOf(const ConnectorOptions& options);
const kafka::KafkaOptions& KafkaOf(const ConnectorOptions& options);
const offset::OffsetOptions& OffsetOf(const ConnectorOptions& options);
const outbox::OutboxOptions& OutboxOf(const ConnectorOptions& options);

// Parts of two rooms' options: which columns records have, and message.key.columns.
const encode::ColumnOptions& ColumnsOf(const ConnectorOptions& options);
const std::optional<route::MessageKeys>& MessageKeysOf(const ConnectorOptions& options);

// The entry of the offset store of a lane, or of a connector with one source.
offset::OffsetIdentity OffsetIdentityOf(const ConnectorOptions& lane);

// One for each worker of walduct.outbox.workers, each an ordinary connector with a name of its own.
std::vector<ConnectorOptions> OutboxWorkersOf(const ConnectorOptions& whole);

}  // namespace walduct::engine
