// Headers of the members of a JSON object: a column of an outbox row that has what a consumer reads
// beside the payload, such as metadata. Pure.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "event/record_template.h"
#include "transform/template/stage.h"

namespace walduct::transform {

// Adds a header for each member of the object that column holds: of a text that text, of anything
// else its JSON. Left out: members that are null or of a name that no header can have, and those
// whose name the record has as a header already. NULL: none. What is no object is warned of.
absl::StatusOr<Verdict> AddJsonHeaders(const event::Node& column, event::RecordTemplate* record,
                                       Questions* questions);

// By which columns an event is known or described, of a table that nobody has said more of:
// metadata or headers of JSON; dedup_key or idempotency_key, which is the header Idempotency-Key.
struct RecognisedColumn {
  std::string column;
  bool members = false;  // each of its members is a header
};
std::vector<RecognisedColumn> RecogniseHeaderColumns(const event::Node& row);

inline constexpr absl::string_view kIdempotencyKey = "Idempotency-Key";

}  // namespace walduct::transform
