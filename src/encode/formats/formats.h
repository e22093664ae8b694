// The formats of text, and the way from a TextTarget to the writer of its format.
#pragma once

#include "base/json.h"
#include "encode/formats/header_writer.h"
#include "encode/formats/java_writer.h"
#include "encode/formats/json_writer.h"
#include "encode/formats/text_target.h"

namespace walduct::encode {

// f(Writer* out), with the writer of the target's format.
template <typename Function>
auto WithTextWriter(const TextTarget& target, Function f) {
  switch (target.format) {
    case TextFormat::kHeader: {
      HeaderWriter out(&target);
      return f(&out);
    }
    case TextFormat::kStruct: {
      JavaWriter out(&target);
      return f(&out);
    }
    case TextFormat::kJson:
      break;
  }
  JsonWriter out(&target);
  return f(&out);
}

}  // namespace walduct::encode
