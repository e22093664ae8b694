// Whether a signal would come to anything: asked where it is asked for, since the connector only
// says so in its log.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "incremental/signals/signal.h"
#include "operate/commands/signal_commands.h"
#include "postgres/connection.h"

namespace walduct::operate {

// What is to be said with a signal that is sent: which tables without a key an incremental snapshot
// leaves out, and what reads them; empty: nothing.
// InvalidArgument table_not_captured: an entry matches no captured table; PermissionDenied
// table_not_readable: a snapshot is asked for, and the connector's role may not read one; otherwise
// what the database says.
absl::StatusOr<std::string> CheckSignalTables(postgres::Connection& connection,
                                              const SignalReader& reader,
                                              const incremental::Signal& signal);

}  // namespace walduct::operate
