#include "offset/seen_value.h"

#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::offset {

absl::Status SeenValue::CheckUnchanged(const std::optional<std::string>& held,
                                       absl::string_view where) const {
  if (!known_ || held == seen_ || (trying_ && held == trying_)) return absl::OkStatus();
  return Error(absl::StatusCode::kFailedPrecondition, "offset_superseded",
               absl::StrCat("another process has stored a position of this connector", where, ": ",
                            held.value_or("none")),
               "run one instance of a connector at a time; start this one again once the other "
               "has stopped");
}

}  // namespace walduct::offset
