// All readers on HeaderWriter.
#include "encode/readers/read_formats.h"
#include "encode/readers/read_table.h"

namespace walduct::encode {

template struct ReadTable<HeaderWriter>;

}  // namespace walduct::encode
