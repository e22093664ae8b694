// All readers on JsonWriter.
#include "base/json.h"
#include "encode/readers/read_formats.h"
#include "encode/readers/read_table.h"

namespace walduct::encode {

template struct ReadTable<JsonWriter>;

}  // namespace walduct::encode
