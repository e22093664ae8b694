// Masks around the reader of a column: stars, hash, or a text or bytes cut short. The row writer
// sees nothing of them.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "base/utf8.h"
#include "encode/readers/binary_readers.h"
#include "encode/readers/read_formats.h"
#include "encode/values/read_context.h"
#include "encode/values/text_hash.h"
#include "encode/values/value_mask.h"

namespace walduct::encode {

template <typename Writer>
Outcome ReadStars(absl::string_view, const ValuePlan& plan, ReadContext*, Writer* out) {
  out->String(plan.mask->stars);
  return Outcome::kOk;
}

// What a mask is made of: the published text without quotes, in scratch->published.
inline Outcome ReadPublished(absl::string_view text, const ValueMask& mask, ReadContext* context) {
  OutBuffer* published = &context->scratch->published;
  published->clear();
  const TextTarget target{.out = published, .nested_arrays = true};
  JavaWriter out(&target);
  return ReadValue(text, mask.inner, context, &out);
}

template <typename Writer>
Outcome ReadHash(absl::string_view text, const ValuePlan& plan, ReadContext* context, Writer* out) {
  const ValueMask& mask = *plan.mask;
  Scratch& scratch = *context->scratch;
  const Outcome outcome = ReadPublished(text, mask, context);
  if (outcome != Outcome::kOk) return outcome;
  mask.hash->Compute(scratch.published, &scratch.bytes, &scratch.digits);
  out->String(absl::string_view(scratch.digits).substr(0, mask.length));
  return Outcome::kOk;
}

template <typename Writer>
Outcome ReadCutText(absl::string_view text, const ValuePlan& plan, ReadContext* context,
                    Writer* out) {
  const Outcome outcome = ReadPublished(text, *plan.mask, context);
  if (outcome != Outcome::kOk) return outcome;
  out->String(Utf16Prefix(context->scratch->published, plan.mask->length));
  return Outcome::kOk;
}

// "\x" and two digits a byte.
template <typename Writer>
Outcome ReadCutBytea(absl::string_view text, const ValuePlan& plan, ReadContext* context,
                     Writer* out) {
  const ValueMask& mask = *plan.mask;
  const size_t limit = 2 + 2 * static_cast<size_t>(mask.length);
  return ReadValue(text.substr(0, limit), mask.inner, context, out);
}

// The text itself as bytes: columns of unknown types.
template <typename Writer>
Outcome ReadCutTextBytes(absl::string_view text, const ValuePlan& plan, ReadContext* context,
                         Writer* out) {
  const ValueMask& mask = *plan.mask;
  return ReadValue(text.substr(0, mask.length), mask.inner, context, out);
}

template <typename Writer>
Outcome ReadCutGeometricBytes(absl::string_view text, const ValuePlan& plan, ReadContext* context,
                              Writer* out) {
  std::string& bytes = context->scratch->bytes;
  if (!ToJavaNumbers(text, &bytes)) return Outcome::kMalformed;
  const ValueMask& mask = *plan.mask;
  return WriteBytes(absl::string_view(bytes).substr(0, mask.length), mask.inner.bytes_as, out);
}

}  // namespace walduct::encode
