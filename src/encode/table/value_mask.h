// Masks as value plans around the value plan of a column: stars, hash, or a text cut short.
#pragma once

#include "encode/values/value_plan.h"
#include "event/connect_schema.h"

namespace walduct::encode {

struct ColumnMask;

// inner under the mask; inner itself where the mask does nothing to values of the schema's type:
// only texts and bytes can be cut. length: of the column, which a hash is cut to. A hash belongs to
// the thread that writes values.
ValuePlan MaskedPlan(const ColumnMask& mask, int32_t length, const event::ConnectSchema& schema,
                     ValuePlan inner);

}  // namespace walduct::encode
