// Renders a single value of a type as a column of it would be written.
#pragma once

#include <string>

#include "encode/options/value_options.h"
#include "encode/readers/read_formats.h"
#include "encode/types/type_table.h"
#include "tests/encode/encode_fixture.h"

namespace walduct::encode {

struct Rendering {
  TextFormat format = TextFormat::kJson;
  bool decimal_numeric = false;
  bool nested_arrays = true;
  ValueOptions values = {};
  bool streaming = false;
};

inline std::string Render(const event::Type& type, int32_t typmod, absl::string_view text,
                          Rendering rendering = {}) {
  TypeMapping mapping;
  if (!MapType(type, typmod, rendering.values, &mapping)) return "<unsupported>";
  OutBuffer out;
  Scratch scratch;
  ReadContext context{.scratch = &scratch, .streaming = rendering.streaming};
  const TextTarget target{.out = &out,
                          .format = rendering.format,
                          .decimal_numeric = rendering.decimal_numeric,
                          .nested_arrays = rendering.nested_arrays};
  const Outcome outcome = WithTextWriter(
      target, [&](auto* writer) { return ReadValue(text, mapping.plan, &context, writer); });
  switch (outcome) {
    case Outcome::kOk:
      return std::string(out.view());
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
