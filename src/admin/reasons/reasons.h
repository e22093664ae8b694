// What the reason of an error means, in words for whoever is on call: base/error.h has the reasons,
// docs/reasons.md is printed from here. Pure.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace walduct::admin {

struct Reason {
  absl::string_view name;
  bool loses = false;  // changes may be gone for good
  absl::string_view meaning;
  absl::string_view remedy;
};

struct ReasonGroup {
  absl::string_view title;
  absl::Span<const Reason> reasons;  // by name
};

absl::Span<const ReasonGroup> ReasonGroups();

// Null: there is no such reason.
const Reason* FindReason(absl::string_view name);
// What to do about it; empty: there is no such reason.
std::string RemedyOf(absl::string_view name);
// The most similar names, for one that does not exist; best first, three at most.
std::vector<absl::string_view> SimilarReasons(absl::string_view name);

// A paragraph for the terminal.
std::string ExplainReason(const Reason& reason);
// All of them, as docs/reasons.md has them.
std::string ReasonsPage();

}  // namespace walduct::admin
