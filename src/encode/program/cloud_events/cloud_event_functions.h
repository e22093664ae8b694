// Functions that make attributes of CloudEvents from the fields of a record's source block.
#pragma once

#include "absl/strings/string_view.h"
#include "event/record_template.h"

namespace walduct::encode {

// A number as text, which 64 bits of it have to be; anything else as it is.
event::ValueFunctionPtr AsText();
// yyyy-MM-dd'T'HH:mm:ss.SSSXXX in UTC, of milliseconds.
event::ValueFunctionPtr EventTime();
// name:<prefix>;lsn:<lsn>;txId:<txId>;sequence:<sequence>, of the last three.
event::ValueFunctionPtr EventId(absl::string_view prefix);

}  // namespace walduct::encode
