// Debezium's ExtractChangedRecordState: lists changed and unchanged columns in headers.
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "event/tree.h"
#include "transform/options/transform_class.h"
#include "transform/template/template_edit.h"

namespace walduct::transform {
namespace {

using event::ConnectSchema;
using event::ConnectSchemaPtr;
using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;

// As Java's Double.equals: a NaN is one, and the two zeros are not.
bool SameReal(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::signbit(a) == std::signbit(b) && !(a < b) && !(b < a);
}

bool SameScalar(const Scalar& a, const Scalar& b) {
  return a.kind == b.kind && a.integer == b.integer && a.text == b.text && SameReal(a.real, b.real);
}

// Bits are arrays of bytes in Debezium, which are equal to none but themselves; other bytes are
// compared.
bool NeverSame(const ConnectSchema& schema) { return schema.name == "io.debezium.data.Bits"; }

struct ComparedColumn {
  std::string name;
  bool never_same = false;
};

// The names of the columns whose values differ (or do not). in: old and new value of each
// in turn.
class ColumnNames final : public event::ValueFunction {
 public:
  ColumnNames(std::vector<ComparedColumn> columns, bool changed)
      : columns_(std::move(columns)), changed_(changed) {}

  absl::Status Apply(absl::Span<const Scalar> in, std::string* buffer, Scalar* out) const override {
    event::TreeBuilder names(buffer);
    names.Begin(Scalar::Kind::kArray);
    for (size_t i = 0; i < columns_.size(); ++i) {
      const Scalar &old = in[2 * i], &now = in[2 * i + 1];
      const bool other = columns_[i].never_same && !(old.is_null() && now.is_null());
      if ((!other && SameScalar(old, now)) == changed_) continue;
      names.Add(Scalar::Text(columns_[i].name));
    }
    names.End();
    *out = names.value();
    return absl::OkStatus();
  }

 private:
  const std::vector<ComparedColumn> columns_;
  const bool changed_;
};

constexpr OptionRow kOptions[] = {
    {.name = "header.changed.name", .doc = "Header for the names of changed columns."},
    {.name = "header.unchanged.name", .doc = "Header for the names of unchanged columns."}};

struct Options {
  std::string changed, unchanged;  // headers; empty: none
};

Options Read(const Setting& setting) {
  return {.changed = setting.options.Text("header.changed.name"),
          .unchanged = setting.options.Text("header.unchanged.name")};
}

class ExtractChangedRecordState final : public Stage {
 public:
  explicit ExtractChangedRecordState(Options options) : options_(std::move(options)) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions*) const override {
    if (!IsEnvelope(record->value)) return Verdict::kKeep;
    const Node* before = record->value->Find("before");
    const Node* after = record->value->Find("after");
    for (const auto& [node, name] : {std::pair(after, "after"), std::pair(before, "before")}) {
      if (node == nullptr) return RecordError(absl::StrCat(name, " is not a valid field name"));
    }
    const bool both = before->is_struct() && after->is_struct();
    for (const auto& [name, changed] :
         {std::pair(options_.changed, true), std::pair(options_.unchanged, false)}) {
      if (name.empty()) continue;
      Node names = NoNames(name);
      if (both) {
        ASSIGN_OR_RETURN(names, Names(name, changed, *before, *after));
      }
      record->headers.push_back(std::move(names));
    }
    return Verdict::kKeep;
  }
  SharedHeaders shared_headers(const RecordTemplate&) const override {
    return SharedHeaders::kAddedTo;
  }
  bool adds_to_shared_headers() const override { return true; }

 private:
  static ConnectSchemaPtr Schema(const std::string& name) {
    ConnectSchema schema = event::Schema(ConnectType::kArray);
    schema.name = name;  // without a version
    schema.optional = true;
    schema.items = PlainSchema(ConnectType::kString, true);
    return event::Shared(std::move(schema));
  }

  static Node NoNames(const std::string& name) {
    return event::ConstantNode(Schema(name), Scalar::Tree(Scalar::Kind::kArray, ""), name);
  }

  static absl::StatusOr<Node> Names(const std::string& name, bool changed, const Node& before,
                                    const Node& after) {
    std::vector<ComparedColumn> columns;
    std::vector<Node> operands;
    for (const Node& column : after.members) {
      const Node* old = before.Find(column.name);
      if (old == nullptr)
        return RecordError(absl::StrCat(column.name, " is not a valid field name"));
      columns.push_back(
          {column.name, column.is_struct() || old->is_struct() || NeverSame(*column.schema)});
      operands.push_back(Operand(*old));
      operands.push_back(Operand(column));
    }
    return event::FunctionNode(Schema(name),
                               std::make_shared<const ColumnNames>(std::move(columns), changed),
                               std::move(operands), name);
  }

  // A struct that another transform has made of one side only differs from what is on the other.
  static Node Operand(const Node& column) {
    if (column.kind == Node::Kind::kLeaf) return column;
    return event::ConstantNode(PlainSchema(ConnectType::kString, true),
                               column.is_struct() ? Scalar::Text("{}") : Scalar::Null(),
                               column.name);
  }

  const Options options_;
};

}  // namespace

extern constinit const TransformClass kExtractChangedRecordState = {
    .name = "io.debezium.transforms.ExtractChangedRecordState",
    .options = kOptions,
    .doc = "Lists changed and unchanged columns in headers.",
    .make = MakeStage<ExtractChangedRecordState, Read>};

}  // namespace walduct::transform
