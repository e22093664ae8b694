// Debezium's ExtractNewRecordState: the new row instead of the envelope.
#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/status_macros.h"
#include "transform/stages/stages.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"
#include "transform/values/json_reader.h"

namespace walduct::transform {
namespace {

using config::TransformSpec;
using event::ConnectSchema;
using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;

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

// An item of add.fields or add.headers.
struct AddedField {
  std::string parent;  // member of the envelope; empty: see Resolve
  std::string field;
  std::string name;  // of the new field
};

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

// nullopt: skipped, as there is no such field.
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

class ExtractNewRecordState final : public Stage {
 public:
  explicit ExtractNewRecordState(const TransformSpec& spec)
      : route_(spec.options.Text("route.by.field")),
        fields_(
            ParseAdded(spec.options.List("add.fields"), spec.options.Text("add.fields.prefix"))),
        headers_(
            ParseAdded(spec.options.List("add.headers"), spec.options.Text("add.headers.prefix"))),
        drop_header_(spec.options.Text("drop.fields.header.name")),
        drop_from_key_(spec.options.Boolean("drop.fields.from.key")),
        drop_optional_only_(spec.options.Boolean("drop.fields.keep.schema.compatible")),
        replace_null_(spec.options.Boolean("replace.null.with.default")) {
    for (const Mode& mode : kModes) {
      if (mode.word == spec.options.Text("delete.tombstone.handling.mode")) mode_ = mode;
    }
  }

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

 private:
  // Only its operation is known of a tombstone.
  absl::StatusOr<Verdict> ApplyToTombstone(RecordTemplate* record) const {
    if (!mode_.keep_tombstones) return Verdict::kDrop;
    for (const AddedField& added : headers_) {
      if (added.field != "op") continue;
      record->headers.push_back(event::ConstantNode(PlainSchema(ConnectType::kString, false),
                                                    Scalar::Text("d"), added.name));
    }
    return Verdict::kKeep;
  }

  absl::StatusOr<Verdict> ApplyToDelete(const Node& envelope, const Node& before, const Node& after,
                                        RecordTemplate* record, Questions* questions) const {
    if (mode_.deletes == Deletes::kDropped) return Verdict::kDrop;
    if (mode_.deletes == Deletes::kRow) return ApplyToRow(envelope, before, record, questions);
    if (mode_.deletes == Deletes::kTombstone) {
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
    if (mode_.mark_deleted) RETURN_IF_ERROR(MarkDeleted(deleted, &value));
    ASSIGN_OR_RETURN(Verdict verdict, Route(deleted ? row : value, record, questions));
    if (verdict != Verdict::kKeep) return verdict;
    RETURN_IF_ERROR(AddFields(envelope, &value));
    if (!drop_header_.empty()) {
      ASSIGN_OR_RETURN(verdict, DropFields(&value, record, questions));
    }
    record->value = std::move(value);
    return verdict;
  }

  absl::Status MarkDeleted(bool deleted, Node* value) const {
    for (Node& member : value->members) member = Taken(member, replace_null_);
    value->members.push_back(event::ConstantNode(PlainSchema(ConnectType::kString, true),
                                                 Scalar::Text(deleted ? "true" : "false"),
                                                 "__deleted"));
    return SetStructSchema(CopyBasics(*value->schema), value);
  }

  absl::Status AddHeaders(const Node& envelope, RecordTemplate* record) const {
    for (const AddedField& added : headers_) {
      ASSIGN_OR_RETURN(std::optional<Node> node, Resolve(envelope, added));
      if (node) record->headers.push_back(AsOptional(*std::move(node), added.name));
    }
    return absl::OkStatus();
  }

  absl::Status AddFields(const Node& envelope, Node* value) const {
    // It is looked at even where nothing is added.
    const Node* op = envelope.Find("op");
    if (op == nullptr || op->schema->type != ConnectType::kString)
      return RecordError("Field 'op' is missing, or not of type STRING");
    for (const AddedField& added : fields_) {
      ASSIGN_OR_RETURN(std::optional<Node> node, Resolve(envelope, added));
      if (node) value->members.push_back(AsOptional(*std::move(node), added.name));
    }
    return SetStructSchema(CopyBasics(*value->schema), value);
  }

  absl::StatusOr<Verdict> Route(const Node& row, RecordTemplate* record,
                                Questions* questions) const {
    if (route_.empty()) return Verdict::kKeep;
    const Node* column = row.Find(route_);
    if (column == nullptr) return RecordError(absl::StrCat(route_, " is not a valid field name"));
    if (column->schema->type != ConnectType::kString || column->kind != Node::Kind::kLeaf)
      return RecordError(absl::StrCat("Field '", route_, "' is not of type STRING"));
    const event::Answer* topic = questions->Ask(*column);
    if (topic == nullptr) return Verdict::kAsk;
    if (!absl::StripAsciiWhitespace(topic->text).empty()) record->topic = topic->text;
    return Verdict::kKeep;
  }

  absl::StatusOr<Verdict> DropFields(Node* value, RecordTemplate* record,
                                     Questions* questions) const {
    const auto header = std::find_if(record->headers.begin(), record->headers.end(),
                                     [&](const Node& one) { return one.name == drop_header_; });
    if (header == record->headers.end() || header->kind != Node::Kind::kLeaf) return Verdict::kKeep;
    const event::Answer* answer = questions->Ask(*header);
    if (answer == nullptr) return Verdict::kAsk;
    std::set<std::string, std::less<>> names;
    for (const absl::string_view item : JsonItems(answer->text)) {
      std::string name;
      if (JsonText(item, &name)) names.insert(name);
    }
    if (names.empty()) return Verdict::kKeep;
    RETURN_IF_ERROR(Drop(names, value));
    if (drop_from_key_ && record->key && record->key->is_struct())
      RETURN_IF_ERROR(Drop(names, &*record->key));
    return Verdict::kKeep;
  }

  absl::Status Drop(const std::set<std::string, std::less<>>& names, Node* node) const {
    std::vector<Node> kept;
    for (const Node& member : node->members) {
      const bool may_go = member.schema->optional || !drop_optional_only_;
      if (names.count(member.name) == 0 || !may_go) kept.push_back(member);
    }
    node->members = std::move(kept);
    return SetStructSchema(CopyBasics(*node->schema), node);
  }

  Mode mode_ = kModes[1];
  const std::string route_;
  const std::vector<AddedField> fields_, headers_;
  const std::string drop_header_;
  const bool drop_from_key_, drop_optional_only_, replace_null_;
};

}  // namespace

StagePtr MakeExtractNewRecordState(const TransformSpec& spec) {
  return std::make_unique<ExtractNewRecordState>(spec);
}

}  // namespace walduct::transform
