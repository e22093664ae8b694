// ReadValue: one value, from PostgreSQL's text to a writer of a format. One indirect call, through
// a table that is made once per format.
#pragma once

#include <array>

#include "absl/strings/string_view.h"
#include "encode/formats/value_writer.h"
#include "encode/values/read_context.h"
#include "encode/values/value_plan.h"

namespace walduct::encode {

// Writes the value of text. kNull and kNoRoom before anything is written; after another error what
// was written is meaningless.
template <typename Writer>
using Reader = Outcome (*)(absl::string_view text, const ValuePlan& plan, ReadContext* context,
                           Writer* out);

// The readers by Reads. Defined in read_table.h, instantiated once per format.
template <typename Writer>
struct ReadTable {
  static_assert(ValueWriter<Writer>);
  static const std::array<Reader<Writer>, kReaders> kReader;
};

template <typename Writer>
Outcome ReadValue(absl::string_view text, const ValuePlan& plan, ReadContext* context,
                  Writer* out) {
  return ReadTable<Writer>::kReader[static_cast<size_t>(plan.reads)](text, plan, context, out);
}

}  // namespace walduct::encode
