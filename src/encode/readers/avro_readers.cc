// All readers on AvroWriter.
#include "encode/readers/read_formats.h"
#include "encode/readers/read_table.h"

namespace walduct::encode {

template struct ReadTable<AvroWriter>;

}  // namespace walduct::encode
