// All readers on JavaWriter.
#include "encode/readers/read_formats.h"
#include "encode/readers/read_table.h"

namespace walduct::encode {

template struct ReadTable<JavaWriter>;

}  // namespace walduct::encode
