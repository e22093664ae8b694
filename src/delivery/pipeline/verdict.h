// What becomes of a record that cannot be published: the one table of causes and policies, for
// records that fail before they are sent (RecordErrors) and for those that a target hands back
// (RefusedRecords).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "event/change_id.h"
#include "names/called.h"

namespace walduct::engine {
struct RecordErrorOptions;
}

namespace walduct::delivery {

enum class Verdict { kStop, kDeadLetter, kLog, kSkip };

// of_sink: the sink will never take it; otherwise a transform or a converter failed. A policy that
// asks for a placeholder has had its chance.
Verdict Judge(const engine::RecordErrorOptions& policy, const absl::Status& error, bool of_sink);

// The same error, with what would let the connector go on.
absl::Status WithDeadLetterAdvice(const absl::Status& error);

// The same error, with the command that leaves this one change out, where there is one: not of a
// connector of several slots.
absl::Status WithSkip(const absl::Status& error, const std::optional<event::ChangeId>& change,
                      const names::Called& called);

// Records that were skipped. Where a whole topic is, a line for each would be the log: the first,
// the second, the fourth, and so on are told.
class SkippedRecords {
 public:
  // One more of that topic for that reason: how many, where it is to be told; else 0.
  uint64_t Count(absl::string_view topic, absl::string_view reason);

 private:
  absl::flat_hash_map<std::string, uint64_t> counts_;  // by topic and reason
};

// The names that Connect gives the headers of its sinks' dead letters, in its order. A source has
// neither partition nor offset to name; there is no stack to trace.
inline constexpr std::array<absl::string_view, 7> kContextNames = {
    "__connect.errors.topic",
    "__connect.errors.connector.name",
    "__connect.errors.task.id",
    "__connect.errors.stage",
    "__connect.errors.class.name",
    "__connect.errors.exception.class.name",
    "__connect.errors.exception.message"};

// The same on one line: HTTP and NATS take no control character in a header, and rows may hold any.
std::string AsHeader(std::string text);

// The Java class that Connect would name.
std::string ExceptionOf(const absl::Status& error);
inline constexpr absl::string_view kProduceClass =
    "org.apache.kafka.connect.runtime.WorkerSourceTask";

}  // namespace walduct::delivery
