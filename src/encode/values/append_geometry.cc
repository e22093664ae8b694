#include <charconv>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "encode/values/appenders.h"
#include "encode/values/base64.h"
#include "encode/values/time_format.h"
#include "java/text/number_text.h"

namespace walduct::encode {
namespace {

constexpr uint32_t kEwkbHasSrid = 0x20000000;
constexpr size_t kEwkbHead = 5;  // byte order, type
constexpr size_t kShortestEwkb = 9;

// What float8out writes, taken off the front of the text.
bool TakeDouble(absl::string_view* text, double* value) {
  const absl::string_view digits = absl::StartsWith(*text, "-") ? text->substr(1) : *text;
  const bool word = absl::StartsWith(digits, "Infinity") || absl::StartsWith(*text, "NaN");
  if (!word && (digits.empty() || !absl::ascii_isdigit(static_cast<unsigned char>(digits[0]))))
    return false;
  const char* end = text->data() + text->size();
  const auto result = std::from_chars(text->data(), end, *value);
  if (result.ec != std::errc()) return false;
  text->remove_prefix(static_cast<size_t>(result.ptr - text->data()));
  return true;
}

void AppendDouble(double value, ValueContext* context) {
  // NaN or infinite
  const bool quoted = context->format == TextFormat::kJson && !(value - value == 0);
  if (quoted) context->out->push_back('"');
  java::AppendDouble(value, context->out);
  if (quoted) context->out->push_back('"');
}

void AppendLittleEndian(double value, std::string* bytes) {
  char raw[sizeof(value)];
  std::memcpy(raw, &value, sizeof(value));
  bytes->append(raw, sizeof(raw));
}

// A struct's field: `"name":` or `name=`, after `{`, `Struct{` or a comma.
void AppendField(absl::string_view name, bool first, ValueContext* context) {
  const bool java = context->format == TextFormat::kStruct;
  std::string* out = context->out;
  if (first) {
    out->append(java ? "Struct{" : "{");
  } else {
    out->push_back(',');
  }
  if (!java) out->push_back('"');
  out->append(name.data(), name.size());
  out->append(java ? "=" : "\":");
}

void AppendQuote(const ValueContext& context) {
  if (context.format != TextFormat::kStruct) context.out->push_back('"');
}

// Java leaves null fields of a struct out.
void AppendNullSrid(ValueContext* context) {
  if (context->format == TextFormat::kStruct) return;
  context->out->append(",\"srid\":null");
}

uint32_t HexValue(char c) {
  const char lower = absl::ascii_tolower(static_cast<unsigned char>(c));
  return static_cast<uint32_t>(lower <= '9' ? lower - '0' : lower - 'a' + 10);
}

uint32_t ByteAt(absl::string_view hex, size_t index) {
  return HexValue(hex[2 * index]) << 4 | HexValue(hex[2 * index + 1]);
}

// A 32-bit number at this byte, in the byte order that the first byte says.
uint32_t NumberAt(absl::string_view hex, size_t index) {
  const bool little = ByteAt(hex, 0) != 0;
  uint32_t number = 0;
  for (size_t i = 0; i < 4; ++i) {
    const uint32_t byte = ByteAt(hex, index + i);
    number |= byte << 8 * (little ? i : 3 - i);
  }
  return number;
}

// The text with each number as Java prints it, in scratch->bytes.
bool ToJavaNumbers(absl::string_view text, Scratch* scratch) {
  std::string* java = &scratch->bytes;
  java->clear();
  while (!text.empty()) {
    double value = 0;
    if (TakeDouble(&text, &value)) {
      java::AppendDouble(value, java);
      continue;
    }
    if (!absl::StrContains("()[]{}<>,", text[0])) return false;
    java->push_back(text[0]);
    text.remove_prefix(1);
  }
  return !java->empty();
}

}  // namespace

// wkb: byte order 1 (little endian), type 1 (point), the coordinates.
Outcome AppendPoint(absl::string_view text, const ValuePlan&, ValueContext* context) {
  double x = 0, y = 0;
  const bool parsed = absl::ConsumePrefix(&text, "(") && TakeDouble(&text, &x) &&
                      absl::ConsumePrefix(&text, ",") && TakeDouble(&text, &y) && text == ")";
  if (!parsed) return Outcome::kMalformed;
  AppendField("x", true, context);
  AppendDouble(x, context);
  AppendField("y", false, context);
  AppendDouble(y, context);
  AppendField("wkb", false, context);
  std::string* wkb = &context->scratch->bytes;
  wkb->assign("\x01\x01\0\0\0", kEwkbHead);
  AppendLittleEndian(x, wkb);
  AppendLittleEndian(y, wkb);
  AppendQuote(*context);
  AppendBase64(*wkb, context->out);
  AppendQuote(*context);
  AppendNullSrid(context);
  context->out->push_back('}');
  return Outcome::kOk;
}

// wkb is the EWKB as it is, the SRID in it included.
Outcome AppendGeometry(absl::string_view text, const ValuePlan&, ValueContext* context) {
  if (text.size() < 2 * kShortestEwkb) return Outcome::kMalformed;
  AppendField("wkb", true, context);
  AppendQuote(*context);
  if (!AppendBase64OfHex(text, context->out)) return Outcome::kMalformed;
  AppendQuote(*context);
  if ((NumberAt(text, 1) & kEwkbHasSrid) == 0) {
    AppendNullSrid(context);
  } else {
    AppendField("srid", false, context);
    AppendNumber(static_cast<int32_t>(NumberAt(text, kEwkbHead)), context->out);
  }
  context->out->push_back('}');
  return Outcome::kOk;
}

Outcome AppendGeometricBase64(absl::string_view text, const ValuePlan& plan,
                              ValueContext* context) {
  if (!ToJavaNumbers(text, context->scratch)) return Outcome::kMalformed;
  return AppendTextBase64(context->scratch->bytes, plan, context);
}

Outcome AppendGeometricBase64UrlSafe(absl::string_view text, const ValuePlan& plan,
                                     ValueContext* context) {
  if (!ToJavaNumbers(text, context->scratch)) return Outcome::kMalformed;
  return AppendTextBase64UrlSafe(context->scratch->bytes, plan, context);
}

Outcome AppendGeometricHex(absl::string_view text, const ValuePlan& plan, ValueContext* context) {
  if (!ToJavaNumbers(text, context->scratch)) return Outcome::kMalformed;
  return AppendTextHex(context->scratch->bytes, plan, context);
}

}  // namespace walduct::encode
