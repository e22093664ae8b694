#include "encode/formats/protobuf_schema.h"

#include <map>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "encode/formats/avro_names.h"
#include "encode/formats/protobuf_types.h"

namespace walduct::encode {
namespace {

using event::ConnectField;
using event::ConnectSchema;
using event::ConnectType;
using Lines = ProtobufLines;

constexpr absl::string_view kUnnamed = "ConnectDefault";
absl::Status Refused(absl::string_view what, absl::string_view hint) {
  return Error(absl::StatusCode::kInvalidArgument, "protobuf_schema", what, hint);
}

absl::Status HasNoForm(absl::string_view field, absl::string_view what) {
  return Refused(absl::StrCat("field ", field, " is ", what, ", which Protobuf has no form for"),
                 "leave it out with column.exclude.list, or use AvroConverter or JsonConverter");
}

bool IsIdentifier(absl::string_view name) {
  if (name.empty() || absl::ascii_isdigit(static_cast<unsigned char>(name[0]))) return false;
  for (const char c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_') return false;
  }
  return true;
}

absl::Status CheckName(absl::string_view name) {
  if (IsIdentifier(name)) return absl::OkStatus();
  return Refused(absl::StrCat("\"", name, "\" is no name in Protobuf"),
                 "set scrub.invalid.names=true for the converter, or "
                 "field.name.adjustment.mode=avro and schema.name.adjustment.mode=avro");
}

absl::string_view LastPart(absl::string_view name) {
  const size_t dot = name.rfind('.');
  return dot == absl::string_view::npos ? name : name.substr(dot + 1);
}

void AppendIndented(const Lines& lines, Lines* out) {
  for (const std::string& line : lines) out->push_back(absl::StrCat("  ", line));
}

class Printer {
 public:
  explicit Printer(const ProtobufForm& options) : options_(options) {}

  absl::StatusOr<ProtobufSchema> Print(const ConnectSchema& schema) {
    const AvroName full = SplitAvroName(NameOf(schema));
    Message message;
    message.name = Scrub(full.name);
    RETURN_IF_ERROR(AddFields(schema, &message));
    ProtobufSchema made;
    made.record_name = AvroName{full.name_space, message.name}.full();
    made.text = "syntax = \"proto3\";\n";
    if (!full.name_space.empty()) absl::StrAppend(&made.text, "package ", full.name_space, ";\n");
    if (!imports_.empty()) made.text.push_back('\n');
    for (const std::string& import : imports_)
      absl::StrAppend(&made.text, "import \"", import, "\";\n");
    made.text.push_back('\n');
    for (const std::string& line : LinesOf(message)) absl::StrAppend(&made.text, line, "\n");
    return made;
  }

 private:
  struct Message {
    std::string name;
    Lines fields;
    Lines nested;
    std::map<std::string, const ConnectSchema*> structs;  // by the names of their messages
    std::set<std::string> names;                          // that are taken
  };

  static Lines LinesOf(const Message& message) {
    if (message.fields.empty()) return {absl::StrCat("message ", message.name, " {}")};
    Lines lines = {absl::StrCat("message ", message.name, " {")};
    AppendIndented(message.fields, &lines);
    if (!message.nested.empty()) lines.emplace_back();
    AppendIndented(message.nested, &lines);
    lines.emplace_back("}");
    return lines;
  }

  absl::Status AddFields(const ConnectSchema& schema, Message* message) {
    RETURN_IF_ERROR(CheckName(message->name));
    uint32_t number = 0;
    for (const ConnectField& field : schema.fields)
      RETURN_IF_ERROR(AddField(field.name, *field.schema, ++number, false, message));
    return absl::OkStatus();
  }

  // of_entry: of a map's, where nothing is said beside the type.
  absl::Status AddField(absl::string_view name, const ConnectSchema& of, uint32_t number,
                        bool of_entry, Message* message) {
    const bool array = of.type == ConnectType::kArray;
    const ConnectSchema& schema = array ? *of.items : of;
    const std::string field = Scrub(name);
    RETURN_IF_ERROR(CheckName(field));
    if (array && (schema.type == ConnectType::kArray || schema.type == ConnectType::kMap))
      return HasNoForm(name, "an array of arrays or maps");
    const bool map = schema.type == ConnectType::kMap;
    ASSIGN_OR_RETURN(const std::string type, AddType(field, schema, message));
    RETURN_IF_ERROR(TakeName(field, message));
    const bool optional =
        options_.optional_for_nullables && schema.optional && !array && !map && !of_entry;
    const absl::string_view label = array || map ? "repeated " : optional ? "optional " : "";
    const Lines lines = ProtobufField(absl::StrCat(label, type, " ", field, " = ", number),
                                      optional, of_entry ? nullptr : &schema);
    message->fields.insert(message->fields.end(), lines.begin(), lines.end());
    return absl::OkStatus();
  }

  // The name of a type; what it needs is imported or nested in the message.
  absl::StatusOr<std::string> AddType(const std::string& field, const ConnectSchema& schema,
                                      Message* message) {
    if (schema.type == ConnectType::kStruct) return AddStruct(field, schema, message);
    if (schema.type == ConnectType::kMap) return AddMap(schema, message);
    if (const ProtobufLogicalType logical = LogicalTypeOf(schema); !logical.type.empty()) {
      Import(logical.file);
      return std::string(logical.type);
    }
    const ProtobufPrimitive primitive = PrimitiveOf(schema.type);
    if (!options_.wrapper_for_nullables || !schema.optional) return std::string(primitive.type);
    Import("google/protobuf/wrappers.proto");
    return absl::StrCat("google.protobuf.", primitive.wrapper);
  }

  absl::StatusOr<std::string> AddStruct(const std::string& field, const ConnectSchema& schema,
                                        Message* message) {
    std::string name = Scrub(LastPart(NameOf(schema)));
    if (name == field) name.append("Message");
    // Taken for the message around it.
    if (name == message->name) return HasNoForm(field, "a structure named as the one around it");
    const auto known = message->structs.find(name);
    if (known != message->structs.end()) {
      if (SameFields(*known->second, schema)) return name;
      return HasNoForm(field, absl::StrCat("a second structure named ", name));
    }
    message->structs.emplace(name, &schema);
    Message nested;
    nested.name = name;
    RETURN_IF_ERROR(AddFields(schema, &nested));
    RETURN_IF_ERROR(AddNested(nested, message));
    return name;
  }

  absl::StatusOr<std::string> AddMap(const ConnectSchema& schema, Message* message) {
    const std::string name = Scrub(LastPart(NameOf(schema)));
    Message entry;
    entry.name = absl::StrCat(name, "Entry");
    RETURN_IF_ERROR(CheckName(entry.name));
    RETURN_IF_ERROR(AddField("key", *schema.keys, 1, true, &entry));
    RETURN_IF_ERROR(AddField("value", *schema.items, 2, true, &entry));
    RETURN_IF_ERROR(AddNested(entry, message));
    return entry.name;
  }

  static absl::Status AddNested(const Message& nested, Message* message) {
    RETURN_IF_ERROR(TakeName(nested.name, message));
    const Lines lines = LinesOf(nested);
    message->nested.insert(message->nested.end(), lines.begin(), lines.end());
    return absl::OkStatus();
  }

  static absl::Status TakeName(const std::string& name, Message* message) {
    if (message->names.insert(name).second) return absl::OkStatus();
    return Refused(absl::StrCat("the message ", message->name, " has two things named ", name),
                   "rename the column, or leave it out with column.exclude.list");
  }

  // Whether their messages are the same, the names of structs without one aside.
  static bool SameFields(const ConnectSchema& a, const ConnectSchema& b) {
    if (&a == &b) return true;
    if (a.fields.size() != b.fields.size()) return false;
    for (size_t i = 0; i < a.fields.size(); ++i) {
      if (a.fields[i].name != b.fields[i].name ||
          !SameType(*a.fields[i].schema, *b.fields[i].schema))
        return false;
    }
    return true;
  }
  static bool SameType(const ConnectSchema& a, const ConnectSchema& b) {
    if (a.type != b.type || a.optional != b.optional || a.name != b.name ||
        a.parameters != b.parameters)
      return false;
    if (a.keys != nullptr && !SameType(*a.keys, *b.keys)) return false;
    if (a.items != nullptr && !SameType(*a.items, *b.items)) return false;
    return SameFields(a, b);
  }

  void Import(absl::string_view file) {
    for (const std::string& import : imports_) {
      if (import == file) return;
    }
    imports_.emplace_back(file);
  }

  std::string NameOf(const ConnectSchema& schema) {
    return schema.name.empty() ? absl::StrCat(kUnnamed, ++unnamed_) : schema.name;
  }

  // As AvroData's, and an underscore may not be first either.
  std::string Scrub(absl::string_view name) const {
    if (!options_.scrub_invalid_names) return std::string(name);
    const bool underscore = !name.empty() && name[0] == '_';
    return absl::StrCat(underscore ? "x" : "", ScrubAvroName(name));
  }

  const ProtobufForm options_;
  Lines imports_;
  int unnamed_ = 0;
};

}  // namespace

absl::StatusOr<ProtobufSchema> MakeProtobufSchema(const ConnectSchema& schema,
                                                  const ProtobufForm& options) {
  if (schema.type == ConnectType::kStruct) return Printer(options).Print(schema);
  const ProtobufPrimitive primitive = PrimitiveOf(schema.type);
  if (primitive.type.empty() || !LogicalTypeOf(schema).type.empty()) {
    return Refused("a key or value that is neither a structure nor a plain value has no schema",
                   "use AvroConverter or JsonConverter, or leave out the transform that makes it");
  }
  ProtobufSchema made;
  made.text = ProtobufWrappers();
  made.record_name = absl::StrCat("google.protobuf.", primitive.wrapper);
  made.index = primitive.wrapper_index;
  return made;
}

std::string ProtobufPath(const ConnectSchema& schema, const std::vector<uint32_t>& numbers) {
  std::string path;
  const ConnectSchema* at = &schema;
  for (const uint32_t number : numbers) {
    if (at->type == ConnectType::kArray) at = at->items.get();
    if (at->type != ConnectType::kStruct || number > at->fields.size()) break;
    const ConnectField& field = at->fields[number - 1];
    absl::StrAppend(&path, path.empty() ? "" : ".", field.name);
    at = field.schema.get();
  }
  return path;
}

}  // namespace walduct::encode
