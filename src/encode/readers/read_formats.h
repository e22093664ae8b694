// The readers on the writers of the formats that there are; each is instantiated in a file of its
// own.
#pragma once

#include "base/json.h"
#include "encode/formats/avro_writer.h"
#include "encode/formats/formats.h"
#include "encode/formats/protobuf_writer.h"
#include "encode/formats/scalar_writer.h"
#include "encode/readers/read_value.h"

namespace walduct::encode {

extern template struct ReadTable<JsonWriter>;
extern template struct ReadTable<HeaderWriter>;
extern template struct ReadTable<JavaWriter>;
extern template struct ReadTable<ScalarWriter>;
extern template struct ReadTable<AvroWriter>;
extern template struct ReadTable<ProtobufWriter>;

}  // namespace walduct::encode
