// TransformError: the error of a record that a transform could not take. It carries the transform's
// name in the chain, so that whoever reports it can say whose error it is.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/error.h"

namespace walduct::event {

inline constexpr absl::string_view kTransformUrl = "walduct/transform";

// cause: not OK. record: for the message, as in "a record of topic t".
inline absl::Status TransformError(const absl::Status& cause, absl::string_view alias,
                                   absl::string_view record) {
  const std::string reason = ErrorReason(cause), hint = ErrorHint(cause);
  absl::Status error =
      Error(cause.code(), reason.empty() ? "transform_failed" : reason,
            absl::StrCat("transform '", alias, "' cannot process ", record, ": ", cause.message()),
            hint.empty() ? "give the transform a predicate that excludes such records" : hint);
  error.SetPayload(kTransformUrl, absl::Cord(alias));
  return error;
}

// The transform's name; empty: the error is of none.
inline std::string FailedTransform(const absl::Status& status) {
  const auto alias = status.GetPayload(kTransformUrl);
  return alias ? std::string(*alias) : std::string();
}

}  // namespace walduct::event
