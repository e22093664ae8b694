#include "encode/formats/avro_schema.h"

#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "encode/formats/avro_default.h"
#include "encode/formats/avro_names.h"
#include "encode/formats/write_scalar.h"
#include "java/time/connect_time.h"

namespace walduct::encode {
namespace {

using event::ConnectField;
using event::ConnectSchema;
using event::ConnectType;

constexpr absl::string_view kNamespace = "io.confluent.connect.avro";
constexpr absl::string_view kMapEntry = "MapEntry";
constexpr absl::string_view kPrecision = "connect.decimal.precision";
// Of a decimal whose precision is not known.
constexpr int kUnknownPrecision = 64;

absl::string_view PrimitiveName(ConnectType type) {
  switch (type) {
    case ConnectType::kBoolean:
      return "boolean";
    case ConnectType::kInt8:
    case ConnectType::kInt16:
    case ConnectType::kInt32:
      return "int";
    case ConnectType::kInt64:
      return "long";
    case ConnectType::kFloat:
      return "float";
    case ConnectType::kDouble:
      return "double";
    case ConnectType::kString:
      return "string";
    case ConnectType::kBytes:
      return "bytes";
    case ConnectType::kArray:
    case ConnectType::kMap:
    case ConnectType::kStruct:
      break;
  }
  return "";
}

// The narrower types, which Avro has only int for.
absl::string_view NarrowType(ConnectType type) {
  if (type == ConnectType::kInt8) return "int8";
  return type == ConnectType::kInt16 ? "int16" : "";
}

absl::string_view LogicalType(const ConnectSchema& schema) {
  if (IsDecimal(schema)) return "decimal";
  if (schema.name == java::kConnectDate) return "date";
  if (schema.name == java::kConnectTime) return "time-millis";
  if (schema.name == java::kConnectTimestamp) return "timestamp-millis";
  return "";
}

int PrecisionOf(const ConnectSchema& schema) {
  int precision = kUnknownPrecision;
  for (const auto& [name, value] : schema.parameters) {
    if (name == kPrecision && !absl::SimpleAtoi(value, &precision)) precision = kUnknownPrecision;
  }
  return precision;
}

bool IsPrimitive(ConnectType type) { return !PrimitiveName(type).empty(); }

class Printer {
 public:
  explicit Printer(const AvroOptions& options) : options_(options) {}

  // In the namespace `space`.
  void Print(const ConnectSchema& schema, absl::string_view space, std::string* out) {
    if (!schema.optional) return PrintBranch(schema, space, out);
    out->append(schema.default_value ? "[" : "[\"null\",");
    PrintBranch(schema, space, out);
    out->append(schema.default_value ? ",\"null\"]" : "]");
  }

  // See AvroSchema.
  const std::string& redefined() const { return redefined_; }

  // A struct's name, or a map's whose entries are records.
  AvroName NameOf(const ConnectSchema& schema) {
    if (!schema.name.empty())
      return SplitAvroName(options_.scrub_invalid_names ? ScrubAvroFullName(schema.name)
                                                        : schema.name);
    std::string& known = unnamed_[Identity(schema)];
    if (known.empty()) {
      ++unnamed_count_;
      known =
          absl::StrCat("ConnectDefault", unnamed_count_ > 1 ? absl::StrCat(unnamed_count_) : "");
    }
    return {std::string(kNamespace), known};
  }

 private:
  // The schema itself, optional or not.
  void PrintBranch(const ConnectSchema& schema, absl::string_view space, std::string* out) {
    if (schema.type == ConnectType::kStruct) return PrintStruct(schema, space, out);
    const std::string attributes = Attributes(schema);
    if (IsPrimitive(schema.type)) {
      if (attributes.empty()) {
        absl::StrAppend(out, "\"", PrimitiveName(schema.type), "\"");
      } else {
        absl::StrAppend(out, "{\"type\":\"", PrimitiveName(schema.type), "\"", attributes, "}");
      }
      return;
    }
    if (schema.type == ConnectType::kArray) {
      out->append("{\"type\":\"array\",\"items\":");
      Print(*schema.items, space, out);
    } else if (IsAvroMap(schema)) {
      out->append("{\"type\":\"map\",\"values\":");
      Print(*schema.items, space, out);
    } else {
      out->append("{\"type\":\"array\",\"items\":");
      PrintEntry(schema, space, out);
    }
    absl::StrAppend(out, attributes, "}");
  }

  bool IsAvroMap(const ConnectSchema& map) const {
    return map.keys->type == ConnectType::kString &&
           (!map.keys->optional || options_.optional_map_keys);
  }

  // The entries of a map whose keys Avro has no map for.
  void PrintEntry(const ConnectSchema& map, absl::string_view space, std::string* out) {
    const AvroName name =
        map.name.empty() ? AvroName{std::string(kNamespace), std::string(kMapEntry)} : NameOf(map);
    const auto fields = [&](absl::string_view inner, std::string* to) {
      PrintField("key", *map.keys, inner, to);
      to->push_back(',');
      PrintField("value", *map.items, inner, to);
    };
    PrintRecord(
        name,
        map.name.empty() ? "" : absl::StrCat(",\"connect.internal.type\":\"", kMapEntry, "\""),
        fields, space, out);
  }

  // An optional one is whatever bears its name already, its parameters included.
  void PrintStruct(const ConnectSchema& schema, absl::string_view space, std::string* out) {
    const AvroName name = NameOf(schema);
    if (schema.optional && !schema.name.empty() && known_.contains(name.full()))
      return AppendAvroString(name.Reference(space), out);
    const auto fields = [&](absl::string_view inner, std::string* to) {
      const char* separator = "";
      for (const ConnectField& field : schema.fields) {
        to->append(separator);
        PrintField(field.name, *field.schema, inner, to);
        separator = ",";
      }
    };
    PrintRecord(name, Attributes(schema), fields, space, out);
  }

  // In full where it comes first, by its name afterwards.
  template <typename Fields>
  void PrintRecord(const AvroName& name, const std::string& attributes, const Fields& fields,
                   absl::string_view space, std::string* out) {
    std::string identity;
    {
      // As if it came first.
      auto known = std::exchange(known_, {});
      fields(name.name_space, &identity);
      known_ = std::move(known);
    }
    absl::StrAppend(&identity, attributes);
    // One without fields may have an empty identity.
    const auto [known, is_new] = known_.try_emplace(name.full(), identity);
    if (!is_new && known->second == identity) return AppendAvroString(name.Reference(space), out);
    if (!is_new) redefined_ = name.full();
    known->second = identity;
    out->append("{\"type\":\"record\",\"name\":");
    AppendAvroString(name.name, out);
    if (name.name_space != space) {
      out->append(",\"namespace\":");
      AppendAvroString(name.name_space, out);
    }
    out->append(",\"fields\":[");
    fields(name.name_space, out);
    absl::StrAppend(out, "]", attributes, "}");
  }

  void PrintField(absl::string_view name, const ConnectSchema& schema, absl::string_view space,
                  std::string* out) {
    out->append("{\"name\":");
    AppendAvroString(options_.scrub_invalid_names ? ScrubAvroName(name) : std::string(name), out);
    out->append(",\"type\":");
    Print(schema, space, out);
    if (schema.default_value) {
      out->append(",\"default\":");
      AppendAvroDefault(schema, AvroFloats::kWidened, out);
    } else if (schema.optional) {
      out->append(",\"default\":null");
    }
    out->push_back('}');
  }

  std::string Attributes(const ConnectSchema& schema) const {
    std::string out;
    if (IsDecimal(schema)) {
      absl::StrAppend(&out, ",\"scale\":", internal::ScaleOf(schema),
                      ",\"precision\":", PrecisionOf(schema));
    }
    if (options_.connect_meta_data) AppendMetaData(schema, &out);
    const absl::string_view logical = LogicalType(schema);
    if (!logical.empty()) absl::StrAppend(&out, ",\"logicalType\":\"", logical, "\"");
    return out;
  }

  static void AppendMetaData(const ConnectSchema& schema, std::string* out) {
    if (!schema.doc.empty()) AppendAttribute("connect.doc", schema.doc, out);
    if (schema.version) absl::StrAppend(out, ",\"connect.version\":", *schema.version);
    if (!schema.parameters.empty()) {
      out->append(",\"connect.parameters\":{");
      const char* separator = "";
      for (const auto& [name, value] : schema.parameters) {
        out->append(separator);
        AppendAvroString(name, out);
        out->push_back(':');
        AppendAvroString(value, out);
        separator = ",";
      }
      out->push_back('}');
    }
    if (schema.default_value) {
      out->append(",\"connect.default\":");
      AppendAvroDefault(schema, AvroFloats::kAsTheyAre, out);
    }
    if (!schema.name.empty()) AppendAttribute("connect.name", schema.name, out);
    const absl::string_view narrow = NarrowType(schema.type);
    if (!narrow.empty()) AppendAttribute("connect.type", narrow, out);
  }

  static void AppendAttribute(absl::string_view name, absl::string_view text, std::string* out) {
    absl::StrAppend(out, ",\"", name, "\":");
    AppendAvroString(text, out);
  }

  // Of a struct without a name: equal ones share the name they are given.
  std::string Identity(const ConnectSchema& schema) const {
    std::string identity;
    for (const ConnectField& field : schema.fields) {
      absl::StrAppend(&identity, field.name, "\n");
      if (field.schema->type == ConnectType::kStruct && field.schema->name.empty()) {
        absl::StrAppend(&identity, "{", Identity(*field.schema), "}");
      } else {
        Printer(options_).Print(*field.schema, "", &identity);
      }
    }
    return identity;
  }

  const AvroOptions options_;
  std::map<std::string, std::string> known_;    // records that are printed, by their full names
  std::map<std::string, std::string> unnamed_;  // the names of structs without one
  int unnamed_count_ = 0;
  std::string redefined_;
};

}  // namespace

AvroSchema MakeAvroSchema(const event::ConnectSchema& schema, const AvroOptions& options) {
  AvroSchema made;
  Printer printer(options);
  // The outermost is named first.
  if (schema.type == ConnectType::kStruct) made.record_name = printer.NameOf(schema).full();
  printer.Print(schema, "", &made.text);
  if (schema.type == ConnectType::kStruct && schema.optional) made.record_name.clear();
  made.redefined = printer.redefined();
  made.plain_bytes = schema.type == ConnectType::kBytes && !schema.optional;
  return made;
}

}  // namespace walduct::encode
