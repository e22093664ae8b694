// HeaderError: the error of a record with a header that its converter cannot write. Whoever reports
// it can say whose error it is.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/error.h"
#include "event/transform_error.h"

namespace walduct::event {

inline constexpr absl::string_view kHeaderUrl = "walduct/header";

// cause: not OK. The error of a transform's function stays the transform's.
inline absl::Status HeaderError(const absl::Status& cause, absl::string_view header) {
  if (!FailedTransform(cause).empty()) return cause;
  absl::Status error = WithContext(cause, absl::StrCat("header '", header, "'"));
  error.SetPayload(kHeaderUrl, absl::Cord(header));
  return error;
}

inline bool IsHeaderError(const absl::Status& status) {
  return status.GetPayload(kHeaderUrl).has_value();
}

}  // namespace walduct::event
