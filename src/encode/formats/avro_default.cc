#include "encode/formats/avro_default.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "base/json_text.h"
#include "base/utf8.h"
#include "encode/formats/write_scalar.h"
#include "event/tree.h"
#include "java/text/number_text.h"

namespace walduct::encode {
namespace {

using event::ConnectSchema;
using event::ConnectType;
using event::Scalar;

class DefaultPrinter {
 public:
  DefaultPrinter(AvroFloats floats, std::string* out) : floats_(floats), out_(out) {}

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
        AppendAvroString(Latin1ToUtf8(value.text), out_);
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
  void PrintReal(double real, const ConnectSchema* schema) {
    const bool single = schema != nullptr && schema->type == ConnectType::kFloat;
    const char* const quote = std::isfinite(real) ? "" : "\"";
    out_->append(quote);
    if (single && floats_ == AvroFloats::kAsTheyAre) {
      java::AppendFloat(static_cast<float>(real), out_);
    } else {
      java::AppendDouble(single ? double{static_cast<float>(real)} : real, out_);
    }
    out_->append(quote);
  }

  void PrintDecimal(absl::string_view digits, const ConnectSchema* schema) {
    DecimalText decimal;
    Scratch scratch;
    if (ParseDecimal(digits, &decimal) != Outcome::kOk) return;
    const int32_t scale = schema != nullptr && IsDecimal(*schema)
                              ? internal::ScaleOf(*schema)
                              : static_cast<int32_t>(decimal.fraction.size());
    AppendAvroString(Latin1ToUtf8(UnscaledBytes(decimal, scale, &scratch)), out_);
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
    const bool texts = keys == nullptr || keys->type == ConnectType::kString;
    out_->push_back(texts ? '{' : '[');
    event::TreeReader in(map);
    for (bool first = true; !in.done(); first = false) {
      if (!first) out_->push_back(',');
      if (!texts) out_->push_back('[');
      Print(in.Value(), keys);
      out_->push_back(texts ? ':' : ',');
      Print(in.Value(), schema == nullptr ? nullptr : schema->items.get());
      if (!texts) out_->push_back(']');
    }
    out_->push_back(texts ? '}' : ']');
  }

  void PrintStruct(const Scalar& of, const ConnectSchema* schema) {
    out_->push_back('{');
    event::TreeReader in(of);
    for (size_t i = 0; !in.done(); ++i) {
      if (i > 0) out_->push_back(',');
      const absl::string_view name = in.Name();
      AppendAvroString(name, out_);
      out_->push_back(':');
      Print(in.Value(), internal::FieldSchema(schema, i, name));
    }
    out_->push_back('}');
  }

  const AvroFloats floats_;
  std::string* const out_;
};

}  // namespace

void AppendAvroString(absl::string_view text, std::string* out) {
  out->push_back('"');
  while (!text.empty()) {
    size_t clean = 0;
    while (clean < text.size() && static_cast<unsigned char>(text[clean]) < 0xF0) ++clean;
    AppendJsonEscaped(text.substr(0, clean), out);
    text.remove_prefix(clean);
    if (text.empty()) break;
    const size_t size = FirstCharacter(text).size;
    out->append(text.data(), size);
    text.remove_prefix(size);
  }
  out->push_back('"');
}

void AppendAvroDefault(const ConnectSchema& schema, AvroFloats floats, std::string* out) {
  DefaultPrinter(floats, out).Print(schema.default_value->value(), &schema);
}

}  // namespace walduct::encode
