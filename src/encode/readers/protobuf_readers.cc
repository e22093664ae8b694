// All readers on ProtobufWriter.
#include "encode/readers/read_formats.h"
#include "encode/readers/read_table.h"

namespace walduct::encode {

template struct ReadTable<ProtobufWriter>;

}  // namespace walduct::encode
