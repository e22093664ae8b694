#include "encode/table/value_mask.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "encode/options/column_options.h"
#include "encode/values/text_hash.h"
#include "encode/values/value_mask.h"

namespace walduct::encode {
namespace {

// How values of the schema's type are cut; absent: they are not.
std::optional<Reads> CutOf(const event::ConnectSchema& schema, const ValuePlan& inner) {
  if (schema.type == event::ConnectType::kString) return Reads::kCutText;
  if (inner.reads == Reads::kTextBytes) return Reads::kCutTextBytes;
  if (inner.reads == Reads::kGeometricBytes) return Reads::kCutGeometricBytes;
  if (inner.reads == Reads::kBytea) return Reads::kCutBytea;
  return std::nullopt;
}

}  // namespace

ValuePlan MaskedPlan(const ColumnMask& mask, int32_t length, const event::ConnectSchema& schema,
                     ValuePlan inner) {
  auto masked = std::make_shared<ValueMask>();
  ValuePlan plan;
  switch (mask.kind) {
    case ColumnMaskKind::kTruncate: {
      const std::optional<Reads> cut = CutOf(schema, inner);
      if (!cut) return inner;
      plan.reads = *cut;
      masked->length = mask.length;
      break;
    }
    case ColumnMaskKind::kStars:
      plan.reads = Reads::kStars;
      masked->stars.assign(mask.length, '*');
      break;
    case ColumnMaskKind::kHash:
    case ColumnMaskKind::kHashV2:
      plan.reads = Reads::kHash;
      masked->length = static_cast<uint32_t>(std::max(length, 0));
      masked->hash = std::make_shared<TextHash>(mask);
      break;
  }
  masked->inner = std::move(inner);
  plan.mask = std::move(masked);
  return plan;
}

}  // namespace walduct::encode
