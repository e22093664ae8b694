// Renders a single value of a type as a column of it would be written.
#pragma once

#include <string>

#include "encode/types/type_table.h"
#include "tests/encode/encode_fixture.h"

namespace walduct::encode {

struct Rendering {
  TextFormat format = TextFormat::kJson;
  bool decimal_numeric = false;
  bool nested_arrays = true;
  config::ValueOptions values = {};
  bool streaming = false;
};

inline std::string Render(const event::Type& type, int32_t typmod, absl::string_view text,
                          Rendering rendering = {}) {
  TypeMapping mapping;
  if (!MapType(type, typmod, rendering.values, &mapping)) return "<unsupported>";
  std::string out;
  Scratch scratch;
  ValueContext context;
  context.out = &out;
  context.format = rendering.format;
  context.decimal_numeric = rendering.decimal_numeric;
  context.nested_arrays = rendering.nested_arrays;
  context.streaming = rendering.streaming;
  context.scratch = &scratch;
  switch (mapping.plan.append(text, mapping.plan, &context)) {
    case Outcome::kOk:
      return out;
    case Outcome::kNull:
    case Outcome::kNoRoom:
      return "<null>";
    case Outcome::kAbsent:
      return "<absent>";
    case Outcome::kMalformed:
      return "<malformed>";
    case Outcome::kForeignMoney:
      return "<foreign money>";
    case Outcome::kNestedArray:
      return "<nested array>";
  }
  return "";
}

inline std::string Render(const std::string& type, absl::string_view text, int32_t typmod = -1) {
  return Render(*MakeType(type), typmod, text);
}

}  // namespace walduct::encode
