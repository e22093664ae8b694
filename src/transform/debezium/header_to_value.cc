// Debezium's HeaderToValue: headers become fields, also of structs inside the value.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "transform/options/transform_class.h"
#include "transform/template/template_edit.h"

namespace walduct::transform {
namespace {

using event::ConnectSchema;
using event::ConnectType;
using event::Node;
using event::RecordTemplate;

using Path = std::vector<std::string>;
using enum OptionType;

// What Debezium calls the value itself; a struct of that name inside gets the fields of the value,
// too.
constexpr absl::string_view kRoot = "payload";

// As Struct.put checks it: the field keeps its schema and takes the value.
absl::Status PutInto(const Node& value, Node* member) {
  const ConnectSchema& wanted = *member->schema;
  if (value.kind == Node::Kind::kNull) {
    *member = event::NullNode(member->schema, member->name);
    return CheckPut(*member);
  }
  if (value.schema == nullptr || !FitsField(*value.schema, wanted))
    return RecordError(absl::StrCat("the header's value does not fit field ", member->name));
  Node filled = value;
  filled.name = member->name;
  filled.schema = member->schema;
  *member = std::move(filled);
  return absl::OkStatus();
}

constexpr OptionRow kOptions[] = {
    {.name = "headers",
     .type = kList,
     .required = true,
     .doc = "Names of the headers to copy or move."},
    {.name = "fields",
     .type = kList,
     .required = true,
     .doc = "Fields to write, one per header; dots lead into structs."},
    {.name = "operation",
     .type = kEnum,
     .required = true,
     .allowed = "move, copy",
     .doc = "Whether to keep the headers (copy) or remove them (move)."}};

struct Options {
  std::vector<std::string> headers, fields;
  bool move = false;
};

Options Read(const Setting& setting) {
  return {.headers = setting.options.List("headers"),
          .fields = setting.options.List("fields"),
          .move = setting.options.Text("operation") == "move"};
}

OptionProblem Check(const OptionValues& options) {
  if (options.List("fields").size() == options.List("headers").size()) return {};
  return {"fields", "and 'headers' must have the same number of items",
          "list one field for each header"};
}

class HeaderToValue final : public Stage {
 public:
  explicit HeaderToValue(Options options) : options_(std::move(options)) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions* questions) const override {
    if (const auto verdict = UnlessPresent(record->value, questions)) return *verdict;
    Node& value = *record->value;
    if (value.schema == nullptr || value.schema->type != ConnectType::kStruct)
      return RecordError("Only Struct objects supported for [Header field insertion]");
    if (!value.is_struct()) value = Opened(value);
    const Entries entries = FindEntries(*record);
    if (entries.empty()) return Verdict::kKeep;
    for (const Entry& entry : entries) {
      if (entry.path.size() > 1) RETURN_IF_ERROR(CheckPath(entry, *value.schema));
    }
    ASSIGN_OR_RETURN(const Verdict verdict, Rewrite({entries, kRoot, 0}, questions, &value));
    if (verdict == Verdict::kKeep && options_.move) Remove(&record->headers);
    return verdict;
  }
  SharedHeaders shared_headers(const RecordTemplate&) const override {
    return options_.move ? SharedHeaders::kIfSame : SharedHeaders::kKept;
  }

 private:
  struct Entry {
    std::string field;  // as configured
    Path path;
    Node value;  // of the header
  };
  // In the order of the record's headers; one of each that bear the same name.
  using Entries = std::vector<Entry>;
  struct Place {
    const Entries& entries;
    absl::string_view name;  // of the struct
    size_t level;            // structs around it
    bool values = true;      // false: only its schema is there
  };

  Entries FindEntries(const RecordTemplate& record) const {
    Entries entries;
    for (const Node& header : record.headers) {
      const auto listed = std::find(options_.headers.begin(), options_.headers.end(), header.name);
      if (listed == options_.headers.end()) continue;
      const std::string& field =
          options_.fields[static_cast<size_t>(listed - options_.headers.begin())];
      entries.push_back({field, absl::StrSplit(field, '.'), header});
    }
    return entries;
  }

  void Remove(std::vector<Node>* headers) const {
    std::erase_if(*headers, [&](const Node& header) {
      return std::find(options_.headers.begin(), options_.headers.end(), header.name) !=
             options_.headers.end();
    });
  }

  // A path must lead through structs only.
  static absl::Status CheckPath(const Entry& entry, const ConnectSchema& value) {
    const ConnectSchema* schema = &value;
    for (size_t i = 0; i + 1 < entry.path.size(); ++i) {
      if (schema->type != ConnectType::kStruct)
        return RecordError("Cannot look up fields on non-struct type");
      const event::ConnectField* field = schema->Find(entry.path[i]);
      if (field == nullptr) return absl::OkStatus();
      schema = field->schema.get();
      if (schema->type != ConnectType::kStruct)
        return RecordError(absl::StrCat("Field '", entry.path[i],
                                        "' is not a struct. Cannot add nested field '", entry.field,
                                        "'"));
    }
    return absl::OkStatus();
  }

  // Debezium looks for the name anywhere in the paths, also at the end of longer names.
  static bool LeadsInto(const std::string& name, const Entries& entries) {
    return std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) {
      return entry.path.size() > 1 && absl::StrContains(entry.field, absl::StrCat(name, "."));
    });
  }

  static absl::StatusOr<Verdict> Rewrite(const Place& place, Questions* questions, Node* node) {
    const std::vector<std::string> added = MissingStructs(place, *node->schema);
    for (Node& member : node->members) {
      member = Taken(member, true);
      if (!LeadsInto(member.name, place.entries)) continue;
      ASSIGN_OR_RETURN(const Verdict verdict, RewriteMember(place, questions, &member));
      if (verdict != Verdict::kKeep) return verdict;
      if (place.values && member.is_struct()) RETURN_IF_ERROR(CheckPut(member));
    }
    for (const Entry& entry : place.entries) {
      if (!IsHere(entry.path, place)) continue;
      if (place.values || node->Find(entry.path.back()) == nullptr)
        RETURN_IF_ERROR(Put(entry.path.back(), entry.value, node));
    }
    for (const std::string& name : added) {
      ASSIGN_OR_RETURN(Node member, NewStruct(name, place));
      node->members.push_back(std::move(member));
    }
    // What is null is not put into it.
    RETURN_IF_ERROR(SetSchemaOfMembers(CopyBasics(*node->schema), node));
    return Verdict::kKeep;
  }

  static absl::StatusOr<Verdict> RewriteMember(const Place& place, Questions* questions,
                                               Node* member) {
    const ConnectType type = member->schema->type;
    if (type == ConnectType::kArray || type == ConnectType::kMap)
      return RecordError("Cannot list fields on non-struct type");
    const std::string name = member->name;
    const bool is_struct = type == ConnectType::kStruct;
    switch (PresenceOf(*member, questions)) {
      case Presence::kUnknown:
        return Verdict::kAsk;
      case Presence::kPresent:
        if (!is_struct) return RecordError("Only Struct objects supported for [Nested field]");
        if (!member->is_struct()) *member = Opened(*member);
        return Rewrite({place.entries, name, place.level + 1, place.values}, questions, member);
      case Presence::kNull:
        break;
    }
    if (!is_struct) return Verdict::kKeep;
    // Its schema is rewritten all the same, and is no longer optional.
    Node filled = Opened(*member);
    ASSIGN_OR_RETURN(const Verdict verdict,
                     Rewrite({place.entries, name, place.level + 1, false}, questions, &filled));
    if (verdict == Verdict::kKeep) *member = event::NullNode(filled.schema, name);
    return verdict;
  }

  // Whether the path ends in this struct. Only the nearest step is looked at, as Debezium does.
  static bool IsHere(const Path& path, const Place& place) {
    if (path.size() == 1 && place.name == kRoot) return true;
    return place.level > 0 && path.size() == place.level + 1 && path[place.level - 1] == place.name;
  }

  static absl::Status Put(const std::string& name, const Node& value, Node* node) {
    if (Node* present = node->Find(name)) return PutInto(value, present);
    node->members.push_back(value);
    node->members.back().name = name;
    return absl::OkStatus();
  }

  // Structs that paths go through and the value does not have.
  static std::vector<std::string> MissingStructs(const Place& place, const ConnectSchema& schema) {
    std::vector<std::string> names;
    for (const Entry& entry : place.entries) {
      if (entry.path.size() < 2 || place.level + 1 >= entry.path.size()) continue;
      const bool here =
          place.level == 0 ? place.name == kRoot : entry.path[place.level - 1] == place.name;
      const std::string& name = entry.path[place.level];
      const bool there = schema.Find(name) != nullptr;
      if (here && !there && std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    }
    return names;
  }

  // Its fields are those one step further, whatever the path has behind them; deeper inside it
  // stays empty.
  static absl::StatusOr<Node> NewStruct(const std::string& name, const Place& place) {
    ConnectSchema schema = event::Schema(ConnectType::kStruct);
    schema.optional = true;
    Node made = event::StructNode(nullptr, {}, name);
    for (const Entry& entry : place.entries) {
      if (place.level > 0 || entry.path.size() < 2 || entry.path[0] != name) continue;
      made.members.push_back(entry.value);
      made.members.back().name = entry.path[1];
    }
    RETURN_IF_ERROR(SetStructSchema(std::move(schema), &made));
    return made;
  }

  const Options options_;
};

}  // namespace

extern constinit const TransformClass kHeaderToValue = {
    .name = "io.debezium.transforms.HeaderToValue",
    .options = kOptions,
    .doc =
        "Copies or moves headers to fields. A struct that a path leads into is required from then "
        "on: a record where it is null, as `after` in deletes, fails in most transforms behind, "
        "and in the converter.",
    .check = Check,
    .make = MakeStage<HeaderToValue, Read>};

}  // namespace walduct::transform
