// A record as a line for eyes: when and where in the WAL it was committed, what happened to which
// row; an update says first what it has changed, a delete only the key.
//   12:03:07.123Z 0/1C3A578  UPDATE    public.orders  id=102  quantity: 40 → 41  item=pipe
// Decimals, bytes and times are known by the schemas that JsonConverter writes beside the values.
#pragma once

#include <cstddef>
#include <string>

#include "event/record.h"

namespace walduct::sink {

struct EyesStyle {
  bool colour = false;
  size_t columns = 0;  // of the terminal; 0: lines are not cut
};

// Appends the line with its end.
void AppendEyesRecord(const event::Record& record, const EyesStyle& style, std::string* out);

}  // namespace walduct::sink
