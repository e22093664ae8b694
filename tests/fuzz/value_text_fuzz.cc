// Random text as each type's value, in every form that options give it: no crash, and what is
// accepted is what PostgreSQL could have sent. Input: a byte that chooses the type, one for the
// options, one for the format, then the text.
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "encode/options/value_options.h"
#include "encode/readers/read_formats.h"
#include "encode/types/type_table.h"
#include "tests/support/type_samples.h"

namespace {

namespace encode = walduct::encode;
using walduct::test::TypeSample;
using walduct::test::TypeSamples;

encode::ValueOptions OptionsOf(uint8_t bits) {
  encode::ValueOptions options;
  options.decimal = static_cast<encode::DecimalMode>(bits % 3);
  options.time = static_cast<encode::TimeMode>(bits / 3 % 6);
  options.binary = static_cast<encode::BinaryMode>(bits % 4);
  options.hstore_map = (bits & 1) != 0;
  options.interval_string = (bits & 2) != 0;
  options.include_unknown = (bits & 4) != 0;
  options.keep_lost = (bits & 8) != 0;
  options.money_fraction_digits = bits % 5;
  return options;
}

// Strings and brackets are closed, and nothing follows the value. Not a parser: enough to see a
// torn value.
void CheckJson(const std::string& json) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted) {
      CHECK(static_cast<unsigned char>(c) >= 0x20);
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
      continue;
    }
    if (c == '"') quoted = true;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    CHECK(depth >= 0);
  }
  CHECK(!quoted && depth == 0 && !json.empty());
}

// Integers are their own text: what is accepted reads back as the same number.
void CheckInteger(absl::string_view type, absl::string_view text, const std::string& json) {
  if (type != "int2" && type != "int4" && type != "int8" && type != "oid") return;
  int64_t in = 0, out = 1;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), in);
  CHECK(result.ec == std::errc() && result.ptr == text.data() + text.size());
  std::from_chars(json.data(), json.data() + json.size(), out);
  CHECK(in == out && json == text);
}

// A decimal as a string keeps its digits.
void CheckDecimal(const TypeSample& sample, const encode::ValueOptions& options,
                  absl::string_view text, const std::string& json) {
  if (absl::string_view(sample.name) != "numeric" || sample.typmod != -1) return;
  const bool digits = !text.empty() && std::isalpha(static_cast<unsigned char>(text.back())) == 0 &&
                      text.back() != 'y';
  if (options.decimal == encode::DecimalMode::kString && digits)
    CHECK(json == "\"" + std::string(text) + "\"");
}

void CheckBytes(absl::string_view type, const encode::ValueOptions& options, absl::string_view text,
                const std::string& json) {
  if (type == "bytea" && options.binary == encode::BinaryMode::kHex)
    CHECK("\"" + std::string(text.substr(2)) + "\"" == json);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* input, size_t size) {
  if (size < 3) return 0;
  const TypeSample& sample = TypeSamples()[input[0] % TypeSamples().size()];
  const encode::ValueOptions options = OptionsOf(input[1]);
  const bool array = (input[2] & 4) != 0;
  // In a block of its own, so that a read behind its end shows.
  const std::vector<char> block(input + 3, input + size);
  const absl::string_view text(block.data(), block.size());

  encode::TypeMapping mapping;
  const auto type = array ? walduct::test::ArrayTypeOf(sample) : walduct::test::TypeOf(sample);
  if (!encode::MapType(*type, sample.typmod, options, &mapping)) return 0;
  walduct::OutBuffer buffer;
  encode::Scratch scratch;
  encode::ReadContext context{.scratch = &scratch, .streaming = (input[2] & 32) != 0};
  const encode::TextTarget target{.out = &buffer,
                                  .format = static_cast<encode::TextFormat>(input[2] % 3),
                                  .decimal_numeric = (input[2] & 16) != 0,
                                  .nested_arrays = (input[2] & 8) != 0};
  const encode::Outcome outcome = encode::WithTextWriter(target, [&](auto* writer) {
    return encode::ReadValue(text, mapping.plan, &context, writer);
  });
  if (outcome != encode::Outcome::kOk || target.format != encode::TextFormat::kJson) return 0;
  const std::string out(buffer.view());
  CheckJson(out);
  if (array) return 0;
  CheckInteger(sample.name, text, out);
  CheckDecimal(sample, options, text, out);
  CheckBytes(sample.name, options, text, out);
  return 0;
}
