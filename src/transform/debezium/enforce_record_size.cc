// Debezium's EnforceRecordSize: cuts long columns of records that are too large. One question per
// record, whether it is; the functions that cut are in the shape of those that are.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/utf8.h"
#include "transform/debezium/record_size.h"
#include "transform/options/option_checks.h"
#include "transform/options/transform_class.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"

namespace walduct::transform {
namespace {

using event::ConnectSchema;
using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;
using enum OptionType;

constexpr char kCut[] = "cut", kLarge[] = "large", kFits[] = "fits";

std::string CheckRatio(absl::string_view value) {
  double ratio = 0;
  return absl::SimpleAtod(value, &ratio) && ratio > 0 ? "" : "must be greater than 0";
}

constexpr OptionRow kOptions[] = {
    {.name = "max.bytes",
     .type = kInteger,
     .required = true,
     .doc = "Records larger than this are truncated; the size is estimated as Debezium does, as "
            "memory used in Java.",
     .check = CheckPositive},
    {.name = "compression.ratio",
     .type = kReal,
     .default_value = "1.0",
     .doc = "Factor applied to the estimate.",
     .check = CheckRatio},
    {.name = "min.field.size",
     .type = kInteger,
     .default_value = "25000",
     .doc =
         "Columns of text or bytes up to this length are never truncated; for text, in characters.",
     .check = CheckNotNegative}};

struct Options {
  int64_t max_bytes = 0;
  double compression_ratio = 1;
  int64_t min_field_size = 0;
};

Options Read(const Setting& setting) {
  return {.max_bytes = setting.options.Integer("max.bytes"),
          .compression_ratio = setting.options.Real("compression.ratio"),
          .min_field_size = setting.options.Integer("min.field.size")};
}

// A column that may be cut.
struct Column {
  size_t leaf = 0;  // of RecordSize
  bool after = false;
  bool text = false;
  // What stands for NULL.
  std::string default_buffer;
  bool has_default = false;
};

// Decimals and bits are bytes in the schema alone.
bool CanBeCut(const Node& node) {
  if (node.kind != Node::Kind::kLeaf || node.schema == nullptr) return false;
  const ConnectSchema& schema = *node.schema;
  return schema.type == ConnectType::kString ||
         (schema.type == ConnectType::kBytes &&
          schema.name != "org.apache.kafka.connect.data.Decimal" &&
          schema.name != "io.debezium.data.Bits");
}

// The class's arithmetic, on all leaves whose size differs from record to record.
class Measure {
 public:
  Measure(const RecordTemplate& record, const Options& limits) : limits_(limits), size_(record) {
    for (const bool after : {false, true}) {
      const Node* row = record.value->Find(after ? "after" : "before");
      if (row == nullptr || !row->is_struct()) continue;
      for (const Node& column : row->members) AddColumn(column, after);
    }
  }

  // Of the template that it was made of, which must be there.
  std::vector<Node> Operands() const {
    std::vector<Node> operands;
    for (const Node* leaf : size_.leaves()) operands.push_back(*leaf);
    return operands;
  }

  // The column of that leaf; null: it is not one that may be cut.
  const Column* Find(const Node& leaf) const {
    for (const Column& column : columns_) {
      if (size_.leaves()[column.leaf] == &leaf) return &column;
    }
    return nullptr;
  }

  const char* Judge(absl::Span<const Scalar> values) const {
    if (Excess(values) <= 0) return kFits;
    const Totals totals = Add(values);
    return totals.before + totals.after == 0 ? kLarge : kCut;
  }

  Scalar Cut(const Column& column, absl::Span<const Scalar> values) const {
    const Scalar value = ValueOf(column, values);
    const int64_t length = LengthOf(column, value);
    const int64_t excess = Excess(values);
    if (length == 0 || excess <= 0) return values[column.leaf];
    const Totals totals = Add(values);
    const int64_t of_side = column.after ? totals.after : totals.before;
    const int64_t share = Share(of_side, totals.before + totals.after, excess);
    const int64_t kept = std::max(int64_t{0}, length - Share(length, of_side, share));
    return column.text ? Scalar::Text(Utf16Prefix(value.text, static_cast<size_t>(kept)))
                       : Scalar::Bytes(value.text.substr(0, static_cast<size_t>(kept)));
  }

 private:
  struct Totals {
    int64_t before = 0, after = 0;
  };

  void AddColumn(const Node& node, bool after) {
    if (!CanBeCut(node)) return;
    const auto leaves = size_.leaves();
    const auto leaf = std::find(leaves.begin(), leaves.end(), &node);
    Column column;
    column.leaf = static_cast<size_t>(leaf - leaves.begin());
    column.after = after;
    column.text = node.schema->type == ConnectType::kString;
    std::string buffer;
    const Scalar value = DefaultOf(*node.schema, &buffer);
    column.has_default = !value.is_null();
    column.default_buffer = std::string(value.text);
    columns_.push_back(std::move(column));
  }

  static Scalar ValueOf(const Column& column, absl::Span<const Scalar> values) {
    if (!values[column.leaf].is_null() || !column.has_default) return values[column.leaf];
    return column.text ? Scalar::Text(column.default_buffer) : Scalar::Bytes(column.default_buffer);
  }

  // 0 when it is not longer than min.field.size.
  int64_t LengthOf(const Column& column, const Scalar& value) const {
    int64_t length = static_cast<int64_t>(value.text.size());
    if (length <= limits_.min_field_size) return 0;
    if (column.text) length = static_cast<int64_t>(Utf16Length(value.text));
    return length > limits_.min_field_size ? length : 0;
  }

  int64_t Excess(absl::Span<const Scalar> values) const {
    const double size = static_cast<double>(size_.Of(values));
    return static_cast<int64_t>(std::ceil(size * limits_.compression_ratio)) - limits_.max_bytes;
  }

  Totals Add(absl::Span<const Scalar> values) const {
    Totals totals;
    for (const Column& column : columns_)
      (column.after ? totals.after : totals.before) += LengthOf(column, ValueOf(column, values));
    return totals;
  }

  // As the class reckons, in this order.
  static int64_t Share(int64_t part, int64_t whole, int64_t excess) {
    return static_cast<int64_t>(std::ceil(static_cast<double>(part) / static_cast<double>(whole) *
                                          static_cast<double>(excess)));
  }

  const Options limits_;
  const RecordSize size_;
  std::vector<Column> columns_;
};

class EnforceRecordSize final : public Stage {
 public:
  explicit EnforceRecordSize(Options limits) : limits_(limits) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions* questions) const override {
    if (!record->value || !record->value->is_struct() || record->value->schema == nullptr)
      return Verdict::kKeep;
    const auto measure = std::make_shared<const Measure>(*record, limits_);
    const std::vector<Node> operands = measure->Operands();
    const event::Answer* answer = questions->Ask(Question(measure, operands));
    if (answer == nullptr) return Verdict::kAsk;
    if (answer->text == kFits) return Verdict::kKeep;
    if (answer->text == kLarge) {
      questions->Warn(
          absl::StrCat("records of topic ", record->topic,
                       " are larger than max.bytes and published unchanged: no text or bytes in "
                       "before and after are longer than min.field.size; if records are flattened, "
                       "put this transform before ExtractNewRecordState"));
      return Verdict::kKeep;
    }
    questions->Warn(absl::StrCat("records of topic ", record->topic,
                                 " are larger than max.bytes: their columns longer than "
                                 "min.field.size are published truncated"));
    for (const absl::string_view side : {"before", "after"}) {
      Node* row = record->value->Find(side);
      if (row == nullptr || !row->is_struct()) continue;
      for (Node& column : row->members) Cut(measure, operands, &column);
    }
    return Verdict::kKeep;
  }

 private:
  using MeasurePtr = std::shared_ptr<const Measure>;

  static Node Question(const MeasurePtr& measure, const std::vector<Node>& operands) {
    return event::FunctionNode(PlainSchema(ConnectType::kString, false),
                               MakeFunction([measure](auto in, std::string*, Scalar* out) {
                                 *out = Scalar::Text(measure->Judge(in));
                                 return absl::OkStatus();
                               }),
                               operands);
  }

  static void Cut(const MeasurePtr& measure, const std::vector<Node>& operands, Node* node) {
    const Column* column = measure->Find(*node);
    if (column == nullptr) return;
    const bool null_is_default = node->leaf.null_is_default;
    *node = event::FunctionNode(node->schema,
                                MakeFunction([measure, column](auto in, std::string*, Scalar* out) {
                                  *out = measure->Cut(*column, in);
                                  return absl::OkStatus();
                                }),
                                operands, node->name);
    node->leaf.null_is_default = null_is_default;
  }

  const Options limits_;
};

}  // namespace

extern constinit const TransformClass kEnforceRecordSize = {
    .name = "io.debezium.transforms.EnforceRecordSize",
    .options = kOptions,
    .doc =
        "Truncates the long columns of before and after, in proportion to their lengths, if a "
        "record is too large. This is logged once per topic and counted, and so are records that "
        "are too large but cannot be truncated. It does not handle flattened records: put it "
        "before ExtractNewRecordState.",
    .make = MakeStage<EnforceRecordSize, Read>};

}  // namespace walduct::transform
