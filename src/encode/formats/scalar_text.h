// Scalars as text, in the three formats of values. Pure.
#pragma once

#include "encode/formats/value_context.h"
#include "event/connect_schema.h"
#include "event/scalar.h"

namespace walduct::encode {

// value is not null and of the schema's type; a null schema: by its kind. False: a decimal that the
// schema has no room for.
bool AppendScalar(const event::Scalar& value, const event::ConnectSchema* schema,
                  ValueContext* context);

// As the one value of a header: text without quotes, Connect's types of time as text.
bool AppendHeaderScalar(const event::Scalar& value, const event::ConnectSchema* schema,
                        ValueContext* context);

}  // namespace walduct::encode
