// What the name of a column could say about a row, where no layout names the column. Names differ
// from hand to hand: processed_at, ProcessedOnUtc, is_processed. Pure; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "poll/layouts/layout.h"

namespace walduct::poll {

// Lower-case words of "processed_on_utc", "ProcessedOnUtc", "isProcessed".
std::vector<std::string> WordsOf(absl::string_view name);

// Whether a column of time is called so: wanted is "processedat", the column ProcessedAt,
// processed_on, processed_at_utc or processed_date. Names without "at" are compared as they are.
bool IsCalled(absl::string_view name, absl::string_view wanted);

struct KnownColumns {
  std::vector<std::string> names = {};  // folded
  bool marked = false;                  // one says when a row was published
  bool leased = false;                  // one says until when a row is somebody's
};

// Columns beside the known ones that could say that a row is published, not to be published, not
// due or somebody's.
std::vector<const LayoutColumn*> ColumnsThatSay(absl::Span<const LayoutColumn> columns,
                                                const KnownColumns& known);

// It holds what is published, by its name.
bool CouldBePayload(const LayoutColumn& column);

}  // namespace walduct::poll
