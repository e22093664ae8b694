// How values that may be NULL and names are written in Protobuf.
#pragma once

namespace walduct::encode {

struct ProtobufForm {
  bool optional_for_nullables = false;  // optional fields are proto3's: zero is not NULL
  bool wrapper_for_nullables = false;   // or messages of google/protobuf/wrappers.proto
  bool scrub_invalid_names = false;
};

}  // namespace walduct::encode
