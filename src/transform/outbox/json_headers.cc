#include "transform/outbox/json_headers.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/json_text.h"
#include "base/status_macros.h"
#include "transform/outbox/json_tree.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"

namespace walduct::transform {
namespace {

using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;

constexpr absl::string_view kNoObject = "?";  // no name of a header
constexpr char kBetweenNames = '\n';

bool CanNameHeader(absl::string_view name) {
  return !name.empty() && std::none_of(name.begin(), name.end(), [](unsigned char c) {
    return absl::ascii_iscntrl(c) != 0 || c == ' ' || c == '?';
  });
}

void AppendTreeText(const JsonTree& tree, std::string* out) {
  switch (tree.kind) {
    case JsonTree::Kind::kNull:
      out->append("null");
      return;
    case JsonTree::Kind::kBoolean:
      out->append(tree.boolean ? "true" : "false");
      return;
    case JsonTree::Kind::kNumber:
      out->append(tree.text);
      return;
    case JsonTree::Kind::kText:
      AppendJsonString(tree.text, out);
      return;
    case JsonTree::Kind::kArray: {
      char before = '[';
      for (const JsonTree& item : tree.items) {
        out->push_back(std::exchange(before, ','));
        AppendTreeText(item, out);
      }
      out->append(tree.items.empty() ? "[]" : "]");
      return;
    }
    case JsonTree::Kind::kObject: {
      char before = '{';
      for (const NamedTree& member : tree.members) {
        out->push_back(std::exchange(before, ','));
        AppendJsonString(member.name, out);
        out->push_back(':');
        AppendTreeText(member.value, out);
      }
      out->append(tree.members.empty() ? "{}" : "}");
      return;
    }
  }
}

// Those that become headers, in their order.
event::ValueFunctionPtr HeaderMemberNames() {
  return MakeFunction([](auto in, std::string* buffer, Scalar* out) {
    if (!in[0].is_null()) {
      const absl::StatusOr<JsonTree> tree = ParseJsonTree(in[0].text);
      if (!tree.ok() ||
          (tree->kind != JsonTree::Kind::kObject && tree->kind != JsonTree::Kind::kNull))
        absl::StrAppend(buffer, kNoObject);
      else
        for (const NamedTree& member : tree->members)
          if (member.value.kind != JsonTree::Kind::kNull && CanNameHeader(member.name))
            absl::StrAppend(buffer, buffer->empty() ? "" : "\n", member.name);
    }
    *out = Scalar::Text(*buffer);
    return absl::OkStatus();
  });
}

event::ValueFunctionPtr MemberText(absl::string_view name) {
  return MakeFunction([name = std::string(name)](auto in, std::string* buffer, Scalar* out) {
    ASSIGN_OR_RETURN(const JsonTree tree, ParseJsonTree(in[0].text));
    for (const NamedTree& member : tree.members) {
      if (member.name != name) continue;
      if (member.value.kind == JsonTree::Kind::kText)
        buffer->append(member.value.text);
      else
        AppendTreeText(member.value, buffer);
    }
    *out = Scalar::Text(*buffer);
    return absl::OkStatus();
  });
}

bool RecordHasHeader(const RecordTemplate& record, absl::string_view name) {
  return std::any_of(record.headers.begin(), record.headers.end(),
                     [&](const Node& header) { return header.name == name; });
}

std::string FoldedName(absl::string_view name) {
  std::string folded;
  for (const char c : name)
    if (c != '_') folded.push_back(absl::ascii_tolower(static_cast<unsigned char>(c)));
  return folded;
}

bool IsTextColumn(const Node& column) {
  return column.schema != nullptr && column.schema->type == ConnectType::kString;
}

}  // namespace

absl::StatusOr<Verdict> AddJsonHeaders(const Node& column, RecordTemplate* record,
                                       Questions* questions) {
  if (!IsTextColumn(column))
    return RecordError(
        absl::StrCat("column ", column.name, " is not text, so its members cannot be headers"));
  if (column.kind != Node::Kind::kLeaf) return Verdict::kKeep;
  const Node taken = Taken(column, true);
  const event::ConnectSchemaPtr text = PlainSchema(ConnectType::kString, false);
  ASSIGN_OR_RETURN(const Node question, Converted(taken, text, HeaderMemberNames()));
  const event::Answer* const names = questions->Ask(question);
  if (names == nullptr) return Verdict::kAsk;
  if (names->text == kNoObject) {
    questions->Warn(absl::StrCat("column ", column.name,
                                 ", whose members become headers, holds no JSON object; the record "
                                 "is published without them"));
    return Verdict::kKeep;
  }
  for (const absl::string_view name :
       absl::StrSplit(names->text, kBetweenNames, absl::SkipEmpty())) {
    if (RecordHasHeader(*record, name)) {
      questions->Tell(absl::StrCat("member ", name, " of column ", column.name,
                                   " is no header: the record has one of that name"));
      continue;
    }
    ASSIGN_OR_RETURN(Node header, Converted(taken, text, MemberText(name)));
    header.name = std::string(name);
    RETURN_IF_ERROR(AddHeader(std::move(header), record));
  }
  return Verdict::kKeep;
}

std::vector<RecognisedColumn> RecogniseHeaderColumns(const Node& row) {
  std::vector<RecognisedColumn> found;
  for (const Node& column : row.members) {
    const std::string name = FoldedName(column.name);
    if (!IsTextColumn(column)) continue;
    if ((name == "metadata" || name == "headers") && column.schema->name == "io.debezium.data.Json")
      found.push_back({.column = column.name, .members = true});
    else if (name == "dedupkey" || name == "idempotencykey")
      found.push_back({.column = column.name});
  }
  return found;
}

}  // namespace walduct::transform
