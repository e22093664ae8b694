#include "encode/table/value_mask.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "encode/values/appenders.h"
#include "encode/values/text_hash.h"

namespace walduct::encode {
namespace {

using config::ColumnMaskKind;

Outcome AppendStars(absl::string_view, const ValuePlan& plan, ValueContext* context) {
  AppendText(plan.mask->stars, context);
  return Outcome::kOk;
}

// The published text without quotes, in scratch->published.
Outcome Publish(absl::string_view text, const ValueMask& mask, ValueContext* context) {
  std::string* const out = context->out;
  const TextFormat format = context->format;
  context->out = &context->scratch->published;
  context->out->clear();
  context->format = TextFormat::kStruct;
  const Outcome outcome = mask.inner.append(text, mask.inner, context);
  context->out = out;
  context->format = format;
  return outcome;
}

Outcome AppendHash(absl::string_view text, const ValuePlan& plan, ValueContext* context) {
  const ValueMask& mask = *plan.mask;
  Scratch& scratch = *context->scratch;
  if (const Outcome outcome = Publish(text, mask, context); outcome != Outcome::kOk) return outcome;
  mask.hash->Compute(scratch.published, &scratch.bytes, &scratch.digits);
  AppendText(absl::string_view(scratch.digits).substr(0, mask.length), context);
  return Outcome::kOk;
}

Outcome AppendCutText(absl::string_view text, const ValuePlan& plan, ValueContext* context) {
  const ValueMask& mask = *plan.mask;
  if (const Outcome outcome = Publish(text, mask, context); outcome != Outcome::kOk) return outcome;
  AppendText(Utf16Prefix(context->scratch->published, mask.length), context);
  return Outcome::kOk;
}

// "\x" and two digits a byte.
Outcome AppendCutBytea(absl::string_view text, const ValuePlan& plan, ValueContext* context) {
  const ValueMask& mask = *plan.mask;
  const size_t limit = 2 + 2 * static_cast<size_t>(mask.length);
  return mask.inner.append(text.substr(0, limit), mask.inner, context);
}

// The text itself as bytes: columns of unknown types.
Outcome AppendCutBytes(absl::string_view text, const ValuePlan& plan, ValueContext* context) {
  const ValueMask& mask = *plan.mask;
  return mask.inner.append(text.substr(0, mask.length), mask.inner, context);
}

AppendFn CutFunction(const ConnectSchema& schema, const ValuePlan& inner) {
  if (schema.type == ConnectType::kString) return AppendCutText;
  if (inner.append == AppendTextBase64) return AppendCutBytes;
  return inner.append == AppendBytea ? AppendCutBytea : nullptr;
}

}  // namespace

ValuePlan MaskedPlan(const config::ColumnMask& mask, int32_t length, const ConnectSchema& schema,
                     ValuePlan inner) {
  auto masked = std::make_shared<ValueMask>();
  ValuePlan plan;
  switch (mask.kind) {
    case ColumnMaskKind::kTruncate:
      plan.append = CutFunction(schema, inner);
      masked->length = mask.length;
      break;
    case ColumnMaskKind::kStars:
      plan.append = AppendStars;
      masked->stars.assign(mask.length, '*');
      break;
    case ColumnMaskKind::kHash:
    case ColumnMaskKind::kHashV2:
      plan.append = AppendHash;
      masked->length = static_cast<uint32_t>(std::max(length, 0));
      masked->hash = std::make_shared<TextHash>(mask);
      break;
  }
  if (plan.append == nullptr) return inner;
  masked->inner = std::move(inner);
  plan.mask = std::move(masked);
  return plan;
}

}  // namespace walduct::encode
