// All readers on ScalarWriter.
#include "encode/readers/read_formats.h"
#include "encode/readers/read_table.h"

namespace walduct::encode {

template struct ReadTable<ScalarWriter>;

}  // namespace walduct::encode
