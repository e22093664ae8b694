// What `walduct signal` and POST /connectors/NAME/signal do: a signal for a connector, through one
// of the channels that it reads. Blocking; for a command, or a listener's thread.
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/environment.h"
#include "incremental/signals/signal.h"
#include "names/called.h"

namespace walduct::encode {
struct ColumnOptions;
}
namespace walduct::incremental {
struct IncrementalOptions;
}
namespace walduct::kafka {
struct KafkaOptions;
}
namespace walduct::names {
struct TableFilterOptions;
}
namespace walduct::postgres {
struct DatabaseOptions;
}
namespace walduct::route {
class MessageKeys;
}

namespace walduct::operate {

// Of a connector, what says how it is sent signals. Borrowed.
struct SignalReader {
  std::string connector;
  std::string topic_prefix;
  const incremental::IncrementalOptions& incremental;
  const kafka::KafkaOptions& kafka;
  const postgres::DatabaseOptions& database;
  const names::TableFilterOptions& tables;
  const encode::ColumnOptions& columns;
  const std::optional<route::MessageKeys>& message_keys;
  bool runs_here = false;     // in this process, with these options
  names::Called called = {};  // by commands to type
  // The process knows that no incremental snapshot is being read or waits.
  bool reads_nothing = false;
};

// Where a signal is that the process has and that is not stored yet.
inline constexpr absl::string_view kInProcess =
    "the process: it is carried out once the connector streams, and forgotten if the process ends "
    "before";

// Where one is that the process has taken, once what it asked for is stored.
inline constexpr absl::string_view kInPosition = "the stored position";

enum class SignalVia { kAny, kSource, kFile, kKafka };

// Where it has been written: a table, a file, a topic, or, of a connector of this process that
// reads none of them, the process itself: the stored position, if that says so within a few
// seconds. With it, which tables an incremental snapshot leaves out, and what reads them. kAny: the
// signaling table, unless read.only, else the topic, else the file, else the process.
//   InvalidArgument     signal_malformed, signal_unknown: it would be refused; signal_no_channel:
//                       the connector does not read that channel, or does not run here;
//                       table_not_captured: of a table that is not there, or that the lists leave
//                       out
//   PermissionDenied    table_not_readable: the connector's role may not read a table
//   otherwise           what the database, the broker or the file says
absl::StatusOr<std::string> SendSignal(const SignalReader& reader, SignalVia via,
                                       const incremental::RawSignal& signal,
                                       const Environment& environment);

// The same for {"id": …, "type": …, "data": {…}}, as files and topics hold it; without an id it
// gets one.
struct SentSignal {
  std::string id, where;
};
absl::StatusOr<SentSignal> SendSignalText(const SignalReader& reader, absl::string_view text,
                                          const Environment& environment);

// One that no other signal has.
std::string NewSignalId(Clock& clock);

// Of a connector that has ended: whether what a signal of that id, which was left with the process,
// asked for was stored before.
bool WasCarriedOut(const SignalReader& ended, const std::string& id);

// The text of a signal that is sent again, with the id that it had: what is being carried out is
// not begun again.
std::string WithSignalId(absl::string_view text, const std::string& id);

}  // namespace walduct::operate
