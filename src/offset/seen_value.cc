#include "offset/seen_value.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::offset {
namespace {

constexpr size_t kMostTried = 4;

}  // namespace

const std::string& SeenValue::Try(const std::string& value) {
  if (!tried_.empty() && tried_.back() == value) return tried_.back();
  if (tried_.size() == kMostTried) tried_.pop_front();
  return tried_.emplace_back(value);
}

void SeenValue::Stored() {
  Saw(std::move(tried_.back()));
  tried_.clear();
}

absl::Status SeenValue::CheckUnchanged(const std::optional<std::string>& held,
                                       absl::string_view where) {
  const bool tried = held && std::find(tried_.begin(), tried_.end(), *held) != tried_.end();
  if (!known_ || held == seen_ || tried) {
    Saw(held);
    return absl::OkStatus();
  }
  return Error(absl::StatusCode::kFailedPrecondition, "offset_superseded",
               absl::StrCat("another process has stored a position of this connector", where, ": ",
                            held.value_or("none")),
               "run one instance of a connector at a time; start this one again once the other "
               "has stopped");
}

}  // namespace walduct::offset
