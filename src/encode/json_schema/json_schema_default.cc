#include "encode/json_schema/json_schema_default.h"

#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "encode/formats/avro_default.h"
#include "encode/formats/write_scalar.h"
#include "encode/values/base64.h"
#include "event/tree.h"
#include "java/hash/hash_code.h"
#include "java/text/number_text.h"

namespace walduct::encode {
namespace {

using event::ConnectSchema;
using event::ConnectType;
using event::Scalar;

// Below this exponent of their first digit decimals have one when they are printed.
constexpr int kLeastPlainExponent = -6;

// A number in Java's scientific form, d.dddE[-]n, as BigDecimal reads and prints it.
void AppendScientific(absl::string_view text, std::string* out) {
  const size_t e = text.find('E');
  absl::string_view mantissa = text.substr(0, e);
  int exponent = 0;
  if (!absl::SimpleAtoi(text.substr(e + 1), &exponent)) return;
  if (absl::ConsumePrefix(&mantissa, "-")) out->push_back('-');
  std::string digits(mantissa.substr(0, 1));
  absl::StrAppend(&digits, mantissa.substr(2));
  const int scale = static_cast<int>(digits.size()) - 1 - exponent;
  if (scale < 0 || exponent < kLeastPlainExponent) {
    absl::StrAppend(out, mantissa, exponent < 0 ? "E" : "E+", exponent);
  } else if (exponent < 0) {
    absl::StrAppend(out, "0.", std::string(static_cast<size_t>(-exponent - 1), '0'), digits);
  } else {
    digits.insert(static_cast<size_t>(exponent) + 1, scale > 0 ? "." : "");
    out->append(digits);
  }
}

// A number as Java prints it.
void AppendNumber(absl::string_view text, std::string* out) {
  if (text.find('E') != absl::string_view::npos) return AppendScientific(text, out);
  if (text.find('.') != absl::string_view::npos) {
    while (absl::ConsumeSuffix(&text, "0")) continue;
    absl::ConsumeSuffix(&text, ".");
  }
  absl::StrAppend(out, text == "-0" ? "0" : text);
}

class JsonDefaultPrinter {
 public:
  JsonDefaultPrinter(bool decimal_numeric, std::string* out)
      : decimal_numeric_(decimal_numeric), out_(out) {}

  void Print(const Scalar& value, const ConnectSchema* schema) {
    switch (value.kind) {
      case Scalar::Kind::kNull:
        out_->append("null");
        break;
      case Scalar::Kind::kBoolean:
        out_->append(value.integer != 0 ? "true" : "false");
        break;
      case Scalar::Kind::kInteger:
        absl::StrAppend(out_, value.integer);
        break;
      case Scalar::Kind::kReal:
        PrintReal(value.real, schema);
        break;
      case Scalar::Kind::kText:
        AppendAvroString(value.text, out_);
        break;
      case Scalar::Kind::kBytes:
        PrintBytes(value.text);
        break;
      case Scalar::Kind::kDecimal:
        PrintDecimal(value.text, schema);
        break;
      case Scalar::Kind::kArray:
        PrintArray(value, schema);
        break;
      case Scalar::Kind::kMap:
        PrintMap(value, schema);
        break;
      case Scalar::Kind::kStruct:
        PrintStruct(value, schema);
        break;
    }
  }

 private:
  using Members = std::vector<std::pair<std::string, std::string>>;  // names and texts of values

  std::string TextOf(const Scalar& value, const ConnectSchema* schema) const {
    std::string text;
    JsonDefaultPrinter(decimal_numeric_, &text).Print(value, schema);
    return text;
  }

  void PrintReal(double real, const ConnectSchema* schema) {
    std::string text;
    if (schema != nullptr && schema->type == ConnectType::kFloat) {
      java::AppendFloat(static_cast<float>(real), &text);
    } else {
      java::AppendDouble(real, &text);
    }
    if (!std::isfinite(real)) {
      absl::StrAppend(out_, "\"", text, "\"");
    } else {
      AppendNumber(text, out_);
    }
  }

  void PrintBytes(absl::string_view bytes) {
    std::string text(Base64Size(bytes.size()), '\0');
    PutBase64(bytes, Base64Alphabet::kStandard, text.data());
    absl::StrAppend(out_, "\"", text, "\"");
  }

  void PrintDecimal(absl::string_view digits, const ConnectSchema* schema) {
    DecimalText decimal;
    Scratch scratch;
    if (ParseDecimal(digits, &decimal) != Outcome::kOk) return;
    const int32_t scale = schema != nullptr && IsDecimal(*schema)
                              ? internal::ScaleOf(*schema)
                              : static_cast<int32_t>(decimal.fraction.size());
    if (!decimal_numeric_) return PrintBytes(UnscaledBytes(decimal, scale, &scratch));
    std::string text(MostOfJavaDecimal(decimal, scale), '\0');
    const char* end = PutJavaDecimal(decimal, scale, &scratch, text.data());
    AppendNumber({text.data(), static_cast<size_t>(end - text.data())}, out_);
  }

  void PrintArray(const Scalar& array, const ConnectSchema* schema) {
    out_->push_back('[');
    event::TreeReader in(array);
    for (bool first = true; !in.done(); first = false) {
      if (!first) out_->push_back(',');
      Print(in.Value(), schema == nullptr ? nullptr : schema->items.get());
    }
    out_->push_back(']');
  }

  void PrintMap(const Scalar& map, const ConnectSchema* schema) {
    const ConnectSchema* const keys = schema == nullptr ? nullptr : schema->keys.get();
    const ConnectSchema* const items = schema == nullptr ? nullptr : schema->items.get();
    const bool object = keys == nullptr || (keys->type == ConnectType::kString && !keys->optional);
    Members members;
    const char* separator = "[";
    event::TreeReader in(map);
    while (!in.done()) {
      const Scalar key = in.Value();
      std::string name = object ? std::string(key.text) : TextOf(key, keys);
      std::string value = TextOf(in.Value(), items);
      if (object) {
        members.emplace_back(std::move(name), std::move(value));
        continue;
      }
      out_->append(std::exchange(separator, ","));
      PrintMembers({{"key", std::move(name)}, {"value", std::move(value)}});
    }
    if (object) return PrintMembers(members);
    out_->append(*separator == '[' ? "[]" : "]");
  }

  void PrintStruct(const Scalar& of, const ConnectSchema* schema) {
    Members members;
    event::TreeReader in(of);
    for (size_t i = 0; !in.done(); ++i) {
      const absl::string_view name = in.Name();
      members.emplace_back(name, TextOf(in.Value(), internal::FieldSchema(schema, i, name)));
    }
    PrintMembers(members);
  }

  void PrintMembers(const Members& members) {
    std::vector<absl::string_view> names;
    for (const auto& member : members) names.emplace_back(member.first);
    out_->push_back('{');
    const char* separator = "";
    for (const size_t i : java::HashMapOrder(names)) {
      out_->append(separator);
      AppendAvroString(names[i], out_);
      absl::StrAppend(out_, ":", members[i].second);
      separator = ",";
    }
    out_->push_back('}');
  }

  const bool decimal_numeric_;
  std::string* const out_;
};

}  // namespace

void AppendJsonSchemaDefault(const ConnectSchema& schema, bool decimal_numeric, std::string* out) {
  JsonDefaultPrinter(decimal_numeric, out).Print(schema.default_value->value(), &schema);
}

}  // namespace walduct::encode
