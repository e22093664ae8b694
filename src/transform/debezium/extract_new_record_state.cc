// Debezium's ExtractNewRecordState: the new row instead of the envelope.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "event/record_template.h"
#include "event/tree.h"
#include "transform/options/transform_class.h"
#include "transform/template/template_edit.h"

namespace walduct::transform {
namespace {

// add.fields and add.headers of ExtractNewRecordState: members of the envelope, the source or the
// transaction that go into the row or its headers. Pure.
struct AddedField {
  std::string parent;  // member of the envelope; empty: it depends on the field
  std::string field;
  std::string name;  // of the new field
};

using event::ConnectSchema;
using event::Node;

// Where a field without a parent is looked for first.
absl::string_view DefaultParent(absl::string_view field) {
  if (field == "op" || field == "ts_ms" || field == "ts_us" || field == "ts_ns") return "";
  if (field == "id" || field == "total_order" || field == "data_collection_order")
    return "transaction";
  return "source";
}

// The member of parent, null where parent is null; nullopt where its schema has none.
std::optional<Node> MemberOf(const Node& parent, const std::string& field) {
  if (parent.is_struct()) {
    const Node* member = parent.Find(field);
    if (member == nullptr) return std::nullopt;
    return *member;
  }
  const event::ConnectField* one = parent.schema->Find(field);
  if (one == nullptr) return std::nullopt;
  return event::NullNode(one->schema, field);
}

absl::StatusOr<std::optional<Node>> Resolve(const Node& envelope, const AddedField& added) {
  const std::string parent_name =
      added.parent.empty() ? std::string(DefaultParent(added.field)) : added.parent;
  if (parent_name.empty()) return MemberOf(envelope, added.field);
  const Node* parent = envelope.Find(parent_name);
  if (parent == nullptr)
    return RecordError(
        absl::StrCat("add.fields and add.headers: a change has no '", parent_name, "'"));
  if (std::optional<Node> member = MemberOf(*parent, added.field)) return member;
  return MemberOf(envelope, added.field);
}

Node AsOptional(Node node, const std::string& name) {
  ConnectSchema schema = *node.schema;
  schema.optional = true;
  schema.default_value.reset();
  node.schema = event::Shared(std::move(schema));
  node.name = name;
  return node;
}

std::vector<AddedField> ParseAdded(const std::vector<std::string>& items,
                                   const std::string& prefix) {
  std::vector<AddedField> fields;
  for (const std::string& item : items) {
    const std::pair<std::string, std::string> parts = {
        item.substr(0, item.find(':')),
        item.find(':') == std::string::npos ? "" : item.substr(item.find(':') + 1)};
    AddedField added;
    const size_t dot = parts.first.find('.');
    if (dot != std::string::npos) added.parent = parts.first.substr(0, dot);
    added.field = dot == std::string::npos ? parts.first : parts.first.substr(dot + 1);
    added.name =
        absl::StrCat(prefix, parts.second.empty() ? absl::StrReplaceAll(parts.first, {{".", "_"}})
                                                  : parts.second);
    fields.push_back(std::move(added));
  }
  return fields;
}

// The new field, optional and without a default; nullopt: skipped, as there is no such field.
// InvalidArgument: the envelope does not have the parent.
absl::StatusOr<std::optional<Node>> FindAdded(const Node& envelope, const AddedField& added) {
  ASSIGN_OR_RETURN(std::optional<Node> node, Resolve(envelope, added));
  if (node) node = AsOptional(*std::move(node), added.name);
  return node;
}

using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;
using enum OptionType;
// What each mode makes of deletes and of the tombstones behind them.
enum class Deletes { kDropped, kNull, kRow, kTombstone };
struct Mode {
  absl::string_view word;
  Deletes deletes;
  bool keep_tombstones;
  bool mark_deleted;  // adds __deleted to every row
};
constexpr Mode kModes[] = {
    {"drop", Deletes::kDropped, false, false},
    {"tombstone", Deletes::kNull, false, false},
    {"rewrite", Deletes::kRow, false, true},
    {"rewrite-with-tombstone", Deletes::kRow, true, true},
    {"delete-to-tombstone", Deletes::kTombstone, false, false},
    {"legacy-none", Deletes::kNull, true, false},
};

constexpr OptionRow kOptions[] = {
    {.name = "delete.tombstone.handling.mode",
     .type = kEnum,
     .default_value = "tombstone",
     .allowed = "drop, tombstone, rewrite, rewrite-with-tombstone, delete-to-tombstone",
     .doc = "What to do with deletes and their tombstones."},
    {.name = "route.by.field", .doc = "Text column that gives the topic name."},
    {.name = "add.fields",
     .type = kList,
     .default_value = "",
     .doc = "Fields of the envelope, the source or the transaction to add, `field` or "
            "`struct.field`, `:newname` after it."},
    {.name = "add.fields.prefix", .default_value = "__", .doc = "Prefix of added fields."},
    {.name = "add.headers",
     .type = kList,
     .default_value = "",
     .doc = "The same, added as headers."},
    {.name = "add.headers.prefix", .default_value = "__", .doc = "Prefix of added headers."},
    {.name = "drop.fields.header.name", .doc = "Header that lists the columns to drop."},
    {.name = "drop.fields.from.key",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Drop them from the key as well."},
    {.name = "drop.fields.keep.schema.compatible",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Drop only optional columns."},
    {.name = "replace.null.with.default",
     .type = kBoolean,
     .default_value = "true",
     .doc = "With rewrite, replace NULL by the column's DEFAULT if it has one."},
};

struct Options {
  Mode mode = kModes[1];
  std::string route;  // column; empty: none
  std::vector<AddedField> fields, headers;
  std::string drop_header;  // empty: none
  bool drop_from_key = false, drop_optional_only = true, replace_null = true;
};

Options Read(const Setting& setting) {
  const OptionValues& given = setting.options;
  Options options{
      .mode = kModes[1],
      .route = given.Text("route.by.field"),
      .fields = ParseAdded(given.List("add.fields"), given.Text("add.fields.prefix")),
      .headers = ParseAdded(given.List("add.headers"), given.Text("add.headers.prefix")),
      .drop_header = given.Text("drop.fields.header.name"),
      .drop_from_key = given.Boolean("drop.fields.from.key"),
      .drop_optional_only = given.Boolean("drop.fields.keep.schema.compatible"),
      .replace_null = given.Boolean("replace.null.with.default")};
  for (const Mode& mode : kModes) {
    if (mode.word == given.Text("delete.tombstone.handling.mode")) options.mode = mode;
  }
  return options;
}

// What the pair of Debezium 3.1 and older means today.
struct LegacyDeletes {
  absl::string_view handling;
  bool drop_tombstones;
  absl::string_view mode;
};
constexpr LegacyDeletes kLegacyDeletes[] = {
    {"drop", true, "drop"},       {"drop", false, "delete-to-tombstone"},
    {"none", true, "tombstone"},  {"none", false, "legacy-none"},
    {"rewrite", true, "rewrite"}, {"rewrite", false, "rewrite-with-tombstone"},
};

std::string Modernize(OptionValues* options) {
  const bool given = options->Has("drop.tombstones") || options->Has("delete.handling.mode");
  if (!given) return "";
  if (options->Has("delete.tombstone.handling.mode"))
    return "drop.tombstones and delete.handling.mode have no effect beside "
           "delete.tombstone.handling.mode; remove them";
  const std::string handling = options->Has("delete.handling.mode")
                                   ? absl::AsciiStrToLower(options->Text("delete.handling.mode"))
                                   : "drop";
  const bool drop = !options->Has("drop.tombstones") ||
                    absl::AsciiStrToLower(options->Text("drop.tombstones")) != "false";
  for (const LegacyDeletes& legacy : kLegacyDeletes) {
    if (legacy.handling != handling || legacy.drop_tombstones != drop) continue;
    options->Put("delete.tombstone.handling.mode", std::string(legacy.mode));
    if (legacy.mode == "legacy-none")
      return "delete.handling.mode=none with drop.tombstones=false is from Debezium 3.1 and older: "
             "a "
             "delete and its tombstone both have a null value; set "
             "delete.tombstone.handling.mode=tombstone";
    return absl::StrCat(
        "delete.handling.mode and drop.tombstones are from Debezium 3.1 and older; they are read "
        "as delete.tombstone.handling.mode=",
        legacy.mode);
  }
  return "";
}

OptionProblem Check(const OptionValues& options) {
  if (!options.Has("delete.handling.mode")) return {};
  const std::string mode = absl::AsciiStrToLower(options.Text("delete.handling.mode"));
  if (mode == "drop" || mode == "rewrite" || mode == "none") return {};
  return {"delete.handling.mode", "must be one of drop, rewrite, none",
          "better, set delete.tombstone.handling.mode, which replaces it"};
}

class ExtractNewRecordState final : public Stage {
 public:
  explicit ExtractNewRecordState(Options options) : options_(std::move(options)) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions* questions) const override {
    // A null under a schema is a tombstone, too.
    switch (PresenceOf(record->value, questions)) {
      case Presence::kUnknown:
        return Verdict::kAsk;
      case Presence::kNull:
        return ApplyToTombstone(record);
      case Presence::kPresent:
        break;
    }
    if (!IsEnvelope(record->value)) return Verdict::kKeep;
    const Node envelope = *record->value;
    const Node* before = envelope.Find("before");
    const Node* after = envelope.Find("after");
    RETURN_IF_ERROR(AddHeaders(envelope, record));
    // An envelope by its name that another transform has taken apart.
    if (after == nullptr) return RecordError("Unknown field: after");
    if (after->is_struct()) return ApplyToRow(envelope, *after, record, questions);
    if (before == nullptr) return RecordError("Unknown field: before");
    if (!before->is_struct()) return Verdict::kDrop;  // truncate
    return ApplyToDelete(envelope, *before, *after, record, questions);
  }

  SharedHeaders shared_headers(const RecordTemplate&) const override {
    return SharedHeaders::kAddedTo;
  }
  bool adds_to_shared_headers() const override { return true; }

 private:
  // Only its operation is known of a tombstone.
  absl::StatusOr<Verdict> ApplyToTombstone(RecordTemplate* record) const {
    if (!options_.mode.keep_tombstones) return Verdict::kDrop;
    for (const AddedField& added : options_.headers) {
      if (added.field != "op") continue;
      record->headers.push_back(event::ConstantNode(PlainSchema(ConnectType::kString, false),
                                                    Scalar::Text("d"), added.name));
    }
    return Verdict::kKeep;
  }

  absl::StatusOr<Verdict> ApplyToDelete(const Node& envelope, const Node& before, const Node& after,
                                        RecordTemplate* record, Questions* questions) const {
    if (options_.mode.deletes == Deletes::kDropped) return Verdict::kDrop;
    if (options_.mode.deletes == Deletes::kRow)
      return ApplyToRow(envelope, before, record, questions);
    if (options_.mode.deletes == Deletes::kTombstone) {
      record->value.reset();
    } else {
      record->value = event::NullNode(after.schema);
    }
    return Route(before, record, questions);
  }

  absl::StatusOr<Verdict> ApplyToRow(const Node& envelope, const Node& row, RecordTemplate* record,
                                     Questions* questions) const {
    const bool deleted = row.name == "before";
    Node value = row;
    value.name.clear();
    if (options_.mode.mark_deleted) RETURN_IF_ERROR(MarkDeleted(deleted, &value));
    ASSIGN_OR_RETURN(Verdict verdict, Route(deleted ? row : value, record, questions));
    if (verdict != Verdict::kKeep) return verdict;
    RETURN_IF_ERROR(AddFields(envelope, &value));
    if (!options_.drop_header.empty()) {
      ASSIGN_OR_RETURN(verdict, DropFields(&value, record, questions));
    }
    record->value = std::move(value);
    return verdict;
  }

  absl::Status MarkDeleted(bool deleted, Node* value) const {
    TakeMembers(options_.replace_null, value);
    value->members.push_back(event::ConstantNode(PlainSchema(ConnectType::kString, true),
                                                 Scalar::Text(deleted ? "true" : "false"),
                                                 "__deleted"));
    return SetStructSchema(CopyBasics(*value->schema), value);
  }

  absl::Status AddHeaders(const Node& envelope, RecordTemplate* record) const {
    std::vector<Node> headers = record->headers;  // all of them, or none
    for (const AddedField& added : options_.headers) {
      ASSIGN_OR_RETURN(std::optional<Node> node, FindAdded(envelope, added));
      if (node) headers.push_back(*std::move(node));
    }
    record->headers = std::move(headers);
    return absl::OkStatus();
  }

  absl::Status AddFields(const Node& envelope, Node* value) const {
    // It is looked at even where nothing is added.
    const Node* op = envelope.Find("op");
    if (op == nullptr || op->schema->type != ConnectType::kString)
      return RecordError("Field 'op' is missing, or not of type STRING");
    for (const AddedField& added : options_.fields) {
      ASSIGN_OR_RETURN(std::optional<Node> node, FindAdded(envelope, added));
      if (node) value->members.push_back(*std::move(node));
    }
    return SetStructSchema(CopyBasics(*value->schema), value);
  }

  absl::StatusOr<Verdict> Route(const Node& row, RecordTemplate* record,
                                Questions* questions) const {
    if (options_.route.empty()) return Verdict::kKeep;
    const Node* column = row.Find(options_.route);
    if (column == nullptr)
      return RecordError(absl::StrCat(options_.route, " is not a valid field name"));
    if (column->schema->type != ConnectType::kString || column->kind != Node::Kind::kLeaf)
      return RecordError(absl::StrCat("Field '", options_.route, "' is not of type STRING"));
    const event::Answer* topic = questions->Ask(*column);
    if (topic == nullptr) return Verdict::kAsk;
    if (!absl::StripAsciiWhitespace(topic->text).empty()) record->topic = topic->text;
    return Verdict::kKeep;
  }

  absl::StatusOr<Verdict> DropFields(Node* value, RecordTemplate* record,
                                     Questions* questions) const {
    const auto header =
        std::find_if(record->headers.begin(), record->headers.end(),
                     [&](const Node& one) { return one.name == options_.drop_header; });
    const bool list = header != record->headers.end() && header->kind == Node::Kind::kLeaf &&
                      header->schema != nullptr && header->schema->type == ConnectType::kArray;
    if (!list) return Verdict::kKeep;
    const event::Answer* answer = questions->Ask(*header);
    if (answer == nullptr) return Verdict::kAsk;
    std::set<std::string, std::less<>> names;
    event::TreeReader items(Scalar::Tree(Scalar::Kind::kArray, answer->text));
    while (!items.done()) {
      const Scalar name = items.Value();
      if (name.kind == Scalar::Kind::kText) names.emplace(name.text);
    }
    if (names.empty()) return Verdict::kKeep;
    RETURN_IF_ERROR(Drop(names, value));
    if (options_.drop_from_key && record->key && record->key->is_struct())
      RETURN_IF_ERROR(Drop(names, &*record->key));
    return Verdict::kKeep;
  }

  absl::Status Drop(const std::set<std::string, std::less<>>& names, Node* node) const {
    std::vector<Node> kept;
    for (const Node& member : node->members) {
      const bool may_go = member.schema->optional || !options_.drop_optional_only;
      if (names.count(member.name) == 0 || !may_go) kept.push_back(member);
    }
    node->members = std::move(kept);
    return SetStructSchema(CopyBasics(*node->schema), node);
  }

  const Options options_;
};

}  // namespace

extern constinit const TransformClass kExtractNewRecordState = {
    .name = "io.debezium.transforms.ExtractNewRecordState",
    .options = kOptions,
    .doc = "Replaces the envelope with the new row.",
    .check = Check,
    .modernize = Modernize,
    .older_options = "drop.tombstones, delete.handling.mode",
    .make = MakeStage<ExtractNewRecordState, Read>};

}  // namespace walduct::transform
