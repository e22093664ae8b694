#include "transform/connect/header_literal.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "java/time/connect_time.h"
#include "java/time/simple_date_format.h"
#include "transform/template/template_edit.h"

namespace walduct::transform {
namespace {

using event::ConnectType;
using event::ConstantNode;
using event::Node;
using event::Scalar;

constexpr int64_t kDayMillis = 86'400'000;

struct TimeForm {
  absl::string_view like;  // 0: a digit
  absl::string_view pattern;
  absl::string_view schema;
  ConnectType type;
  int64_t unit;  // milliseconds
};
constexpr TimeForm kTimeForms[] = {
    {"0000-00-00", "yyyy-MM-dd", java::kConnectDate, ConnectType::kInt32, kDayMillis},
    {"00:00:00.000Z", "HH:mm:ss.SSS'Z'", java::kConnectTime, ConnectType::kInt32, 1},
    {"0000-00-00T00:00:00.000Z", "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", java::kConnectTimestamp,
     ConnectType::kInt64, 1},
};

bool IsLike(absl::string_view text, absl::string_view like) {
  return text.size() == like.size() &&
         std::equal(text.begin(), text.end(), like.begin(), [](char c, char wanted) {
           return wanted == '0' ? absl::ascii_isdigit(static_cast<unsigned char>(c)) : c == wanted;
         });
}

std::optional<Node> ParseTime(const std::string& name, absl::string_view text) {
  for (const TimeForm& form : kTimeForms) {
    if (!IsLike(text, form.like)) continue;
    const auto format = java::SimpleDateFormat::Compile(form.pattern);
    int64_t millis = 0;
    if (!format.ok() || !format->Parse(text, &millis)) return std::nullopt;
    return ConstantNode(event::Shared(event::Schema(form.type, form.schema)),
                        Scalar::Integer(millis / form.unit), name);
  }
  return std::nullopt;
}

// [+-]digits[.digits][e[+-]digits], taken apart.
struct Number {
  bool negative = false;
  std::string digits;  // all of them, without the point
  int64_t scale = 0;   // how many of them are behind the point
};

size_t CountDigits(absl::string_view text) {
  return static_cast<size_t>(
      std::find_if_not(text.begin(), text.end(),
                       [](unsigned char c) { return absl::ascii_isdigit(c); }) -
      text.begin());
}

std::optional<Number> TakeApart(absl::string_view text) {
  Number number;
  number.negative = absl::ConsumePrefix(&text, "-");
  if (!number.negative) absl::ConsumePrefix(&text, "+");
  const size_t whole = CountDigits(text);
  if (whole == 0) return std::nullopt;
  number.digits = std::string(text.substr(0, whole));
  text.remove_prefix(whole);
  if (absl::ConsumePrefix(&text, ".")) {
    const size_t fraction = CountDigits(text);
    absl::StrAppend(&number.digits, text.substr(0, fraction));
    number.scale = static_cast<int64_t>(fraction);
    text.remove_prefix(fraction);
  }
  if (absl::ConsumePrefix(&text, "e") || absl::ConsumePrefix(&text, "E")) {
    int32_t exponent = 0;
    if (text.size() > 6 || !absl::SimpleAtoi(text, &exponent)) return std::nullopt;
    number.scale -= exponent;
    text = {};
  }
  return text.empty() ? std::make_optional(number) : std::nullopt;
}

std::optional<int64_t> AsInteger(Number number) {
  for (; number.scale > 0; --number.scale) {
    if (number.digits.empty()) break;
    if (number.digits.back() != '0') return std::nullopt;
    number.digits.pop_back();
  }
  const bool zero = number.digits.find_first_not_of('0') == std::string::npos;
  if (zero) return 0;
  if (number.scale < -18) return std::nullopt;
  number.digits.append(static_cast<size_t>(-number.scale), '0');
  int64_t value = 0;
  const std::string text = absl::StrCat(number.negative ? "-" : "", number.digits);
  return absl::SimpleAtoi(text, &value) ? std::make_optional(value) : std::nullopt;
}

ConnectType SmallestInteger(int64_t value) {
  if (value == static_cast<int8_t>(value)) return ConnectType::kInt8;
  if (value == static_cast<int16_t>(value)) return ConnectType::kInt16;
  if (value == static_cast<int32_t>(value)) return ConnectType::kInt32;
  return ConnectType::kInt64;
}

std::optional<Node> ParseNumber(const std::string& name, absl::string_view text) {
  const std::optional<Number> number = TakeApart(text);
  if (!number) return std::nullopt;
  if (const std::optional<int64_t> integer = AsInteger(*number))
    return ConstantNode(PlainSchema(SmallestInteger(*integer), false), Scalar::Integer(*integer),
                        name);
  if (number->scale == 0) {
    event::ConnectSchema decimal =
        event::Schema(ConnectType::kBytes, "org.apache.kafka.connect.data.Decimal");
    decimal.parameters.emplace_back("scale", "0");
    return ConstantNode(event::Shared(std::move(decimal)),
                        Scalar::Decimal(absl::StrCat(number->negative ? "-" : "", number->digits)),
                        name);
  }
  absl::ConsumePrefix(&text, "+");
  float single = 0;
  if (absl::SimpleAtof(text, &single) && std::isfinite(single))
    return ConstantNode(PlainSchema(ConnectType::kFloat, false),
                        Scalar::Real(static_cast<double>(single)), name);
  double real = 0;
  if (absl::SimpleAtod(text, &real) && std::isfinite(real))
    return ConstantNode(PlainSchema(ConnectType::kDouble, false), Scalar::Real(real), name);
  return std::nullopt;
}

}  // namespace

Node ParseHeaderLiteral(const std::string& name, absl::string_view written) {
  const absl::string_view literal = absl::StripAsciiWhitespace(written);
  if (literal == "null") return event::NullNode(nullptr, name);
  if (literal == "true" || literal == "false")
    return ConstantNode(PlainSchema(ConnectType::kBoolean, false),
                        Scalar::Boolean(literal == "true"), name);
  if (std::optional<Node> time = ParseTime(name, literal)) return *std::move(time);
  if (std::optional<Node> number = ParseNumber(name, literal)) return *std::move(number);
  return ConstantNode(PlainSchema(ConnectType::kString, false), Scalar::Text(literal), name);
}

}  // namespace walduct::transform
