// InitOptions: the names that `walduct outbox init` puts into SQL and into a connector
// configuration.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace walduct::outbox {

enum class Flavour {
  kTable,        // one table, rows deleted when they are old
  kPartitioned,  // by day, inserts only, partitions dropped when they are old
  kMessage,      // no table: pg_logical_emit_message
  kPoll,         // polled, without a slot: rows are marked
  kPosition,     // polled, without a slot: rows are never touched
};

inline bool IsPolled(Flavour flavour) {
  return flavour == Flavour::kPoll || flavour == Flavour::kPosition;
}

struct InitOptions {
  Flavour flavour = Flavour::kTable;
  std::string schema = "public";
  std::string table = "outbox";
  std::string inbox_table = "inbox";
  std::string role = "walduct";  // connects and reads
  std::string application_role;  // writes; empty: its grants are printed as a comment
  std::string publication = "walduct_outbox";
  std::string slot = "walduct_outbox";
  std::string connector;  // its name and topic.prefix; empty: by the database (ConnectorOf)
  // Where the connector finds the database. All empty: placeholders, which no command accepts. Else
  // localhost and 5432 where they are empty; of an empty name the placeholder stays.
  std::string host, port, database;
  std::string sslmode;                    // empty: not said
  std::string message_prefix = "outbox";  // of kMessage
  bool wake = false;                      // of those that are polled: a trigger that notifies
  bool cleanup = false;                   // with the privileges and properties of housekeeping
};

// What postgres://HOST:PORT/DATABASE says of host, port, database and sslmode; its user and
// password are nobody's here. InvalidArgument: it is no
// such address.
absl::Status ReadUrl(const std::string& url, InitOptions* options);

// The connector's name. All that use one offset topic share names: a second outbox of the same name
// would go on from the first one's position. "shop-outbox" of a database shop; "outbox" of none.
std::string ConnectorOf(const InitOptions& options);

// InvalidArgument outbox_name names the flag and says what it takes.
absl::Status CheckNames(const InitOptions& options);

}  // namespace walduct::outbox
