#include <charconv>
#include <cmath>
#include <limits>

#include "base/json_text.h"
#include "encode/values/appenders.h"
#include "java/text/number_text.h"

namespace walduct::encode {
namespace {

// Connect's Values.convertToString escapes these two and nothing else.
void AppendHeaderText(absl::string_view text, std::string* out) {
  out->push_back('"');
  for (char c : text) {
    if (c == '"' || c == '\\') out->push_back('\\');
    out->push_back(c);
  }
  out->push_back('"');
}

// -?(0|[1-9][0-9]*) within [low, high]: PostgreSQL prints integers no other way, so the text itself
// is the JSON.
template <typename Integer>
Outcome AppendInteger(absl::string_view text, Integer low, Integer high, std::string* out) {
  Integer value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end) return Outcome::kMalformed;
  const bool negative = text[0] == '-';
  const bool leading_zero = text[negative ? 1 : 0] == '0' && text.size() > 1;
  if (leading_zero || value < low || value > high) return Outcome::kMalformed;
  out->append(text.data(), text.size());
  return Outcome::kOk;
}

// from_chars takes "inf", "nan(1)", "1." and ".5", too, which PostgreSQL does not write.
bool LooksLikeFloat(absl::string_view text) {
  if (text == "NaN" || text == "Infinity" || text == "-Infinity") return true;
  if (!text.empty() && text[0] == '-') text.remove_prefix(1);
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.empty() || !digit(text.front()) || !digit(text.back())) return false;
  const size_t point = text.find('.');
  return point == absl::string_view::npos || digit(text[point + 1]);
}

template <typename Float, typename Append>
Outcome AppendFloating(absl::string_view text, Append append, ValueContext* context) {
  if (!LooksLikeFloat(text)) return Outcome::kMalformed;
  Float value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end) return Outcome::kMalformed;
  const bool quoted = context->format == TextFormat::kJson && !std::isfinite(value);
  if (quoted) context->out->push_back('"');
  append(value, context->out);
  if (quoted) context->out->push_back('"');
  return Outcome::kOk;
}

template <typename Integer>
Outcome AppendSigned(absl::string_view text, ValueContext* context) {
  using Limits = std::numeric_limits<Integer>;
  return AppendInteger<int64_t>(text, Limits::min(), Limits::max(), context->out);
}

}  // namespace

void AppendText(absl::string_view text, ValueContext* context) {
  switch (context->format) {
    case TextFormat::kJson:
      AppendJsonString(text, context->out);
      return;
    case TextFormat::kHeader:
      AppendHeaderText(text, context->out);
      return;
    case TextFormat::kStruct:
      context->out->append(text.data(), text.size());
      return;
  }
}

Outcome AppendString(absl::string_view text, const ValuePlan&, ValueContext* context) {
  AppendText(text, context);
  return Outcome::kOk;
}

Outcome AppendSnapshotString(absl::string_view text, const ValuePlan&, ValueContext* context) {
  if (context->streaming) return Outcome::kAbsent;
  AppendText(text, context);
  return Outcome::kOk;
}

Outcome AppendNothing(absl::string_view, const ValuePlan&, ValueContext*) {
  return Outcome::kNoRoom;
}

Outcome AppendBoolean(absl::string_view text, const ValuePlan&, ValueContext* context) {
  if (text.size() != 1) return Outcome::kMalformed;
  switch (text[0]) {
    case 't':
      context->out->append("true");
      return Outcome::kOk;
    case 'f':
      context->out->append("false");
      return Outcome::kOk;
    default:
      return Outcome::kMalformed;
  }
}

Outcome AppendInt16(absl::string_view text, const ValuePlan&, ValueContext* context) {
  return AppendSigned<int16_t>(text, context);
}
Outcome AppendInt32(absl::string_view text, const ValuePlan&, ValueContext* context) {
  return AppendSigned<int32_t>(text, context);
}
Outcome AppendInt64(absl::string_view text, const ValuePlan&, ValueContext* context) {
  return AppendSigned<int64_t>(text, context);
}
Outcome AppendOid(absl::string_view text, const ValuePlan&, ValueContext* context) {
  return AppendInteger<int64_t>(text, 0, std::numeric_limits<uint32_t>::max(), context->out);
}

Outcome AppendFloat4(absl::string_view text, const ValuePlan&, ValueContext* context) {
  return AppendFloating<float>(text, java::AppendFloat, context);
}
Outcome AppendFloat8(absl::string_view text, const ValuePlan&, ValueContext* context) {
  return AppendFloating<double>(text, java::AppendDouble, context);
}

}  // namespace walduct::encode
