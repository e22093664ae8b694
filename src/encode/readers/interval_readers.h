// interval, as microseconds or as an ISO 8601 text, rounded as Debezium does or exact.
#pragma once

#include <limits>

#include "absl/strings/string_view.h"
#include "encode/values/interval_text.h"
#include "encode/values/read_context.h"
#include "encode/values/value_plan.h"

namespace walduct::encode {

template <bool kExact, typename Writer>
Outcome ReadIntervalNumber(absl::string_view text, const ValuePlan&, ReadContext* context,
                           Writer* out) {
  using Limits = std::numeric_limits<int64_t>;
  IntervalText interval;
  if (!ParseInterval(text, &interval)) return Outcome::kMalformed;
  if (interval.infinity != Infinity::kNone) {
    out->Integer(interval.infinity == Infinity::kPositive ? Limits::max() : Limits::min());
  } else {
    out->Integer(kExact ? ExactMicros(interval, &context->saturated) : RoundedMicros(interval));
  }
  return Outcome::kOk;
}

// Infinity has no ISO 8601 form: PostgreSQL's word.
template <bool kExact, typename Writer>
Outcome ReadIntervalText(absl::string_view text, const ValuePlan&, ReadContext*, Writer* out) {
  IntervalText interval;
  if (!ParseInterval(text, &interval)) return Outcome::kMalformed;
  if (interval.infinity != Infinity::kNone) {
    out->String(text);
  } else {
    out->Ascii(kMostOfInterval, [&](char* to) { return PutIsoInterval(interval, kExact, to); });
  }
  return Outcome::kOk;
}

}  // namespace walduct::encode
