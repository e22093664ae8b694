// What becomes of a record that cannot be published: the one table of causes and policies, for
// records that fail before they are sent (RecordErrors) and for those that a target hands back
// (RefusedRecords).
#pragma once

#include <array>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "engine/configuration/record_error_options.h"

namespace walduct::delivery {

enum class Verdict { kStop, kDeadLetter, kLog, kSkip };

// of_sink: the sink will never take it; otherwise a transform or a converter failed. A policy that
// asks for a placeholder has had its chance.
Verdict Judge(const engine::RecordErrorOptions& policy, const absl::Status& error, bool of_sink);

// The same error, with what would let the connector go on.
absl::Status WithDeadLetterAdvice(const absl::Status& error);

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

// The Java class that Connect would name.
std::string ExceptionOf(const absl::Status& error);
inline constexpr absl::string_view kProduceClass =
    "org.apache.kafka.connect.runtime.WorkerSourceTask";

}  // namespace walduct::delivery
