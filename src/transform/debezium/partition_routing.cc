// Debezium's PartitionRouting: the partition by a hash of values.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "transform/debezium/partition_hash.h"
#include "transform/options/option_checks.h"
#include "transform/options/transform_class.h"
#include "transform/template/template_edit.h"

namespace walduct::transform {
namespace {

using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;
using enum OptionType;

// The sum of the hashes; NULL values do not count, and without any the key decides.
class HashOfValues final : public event::ValueFunction {
 public:
  HashOfValues(std::vector<event::ConnectSchemaPtr> schemas, bool murmur, int64_t partitions)
      : schemas_(std::move(schemas)), murmur_(murmur), partitions_(partitions) {}

  absl::Status Apply(absl::Span<const Scalar> in, std::string*, Scalar* out) const override {
    uint32_t sum = 0;
    bool any = false;
    for (size_t i = 0; i < in.size(); ++i) {
      if (in[i].is_null()) continue;
      any = true;
      int32_t hash = 0;
      const bool fine =
          murmur_ ? MurmurHash(in[i], *schemas_[i], &hash) : JavaHash(in[i], *schemas_[i], &hash);
      if (!fine)
        return RecordError("arrays, structs and maps cannot be used to choose a partition");
      sum += static_cast<uint32_t>(hash);
    }
    const uint32_t positive = (sum & 0x7fffffffu) == 0x7fffffffu ? 0 : sum & 0x7fffffffu;
    *out = any ? Scalar::Integer(positive % partitions_) : Scalar::Null();
    return absl::OkStatus();
  }

 private:
  const std::vector<event::ConnectSchemaPtr> schemas_;
  const bool murmur_;
  const int64_t partitions_;
};

constexpr OptionRow kOptions[] = {{.name = "partition.payload.fields",
                                   .type = kList,
                                   .required = true,
                                   .doc = "Fields that determine the partition; `change` stands "
                                          "for `after`, or `before` in deletes."},
                                  {.name = "partition.topic.num",
                                   .type = kInteger,
                                   .required = true,
                                   .doc = "Number of partitions.",
                                   .check = CheckPositive},
                                  {.name = "partition.hash.function",
                                   .type = kEnum,
                                   .default_value = "java",
                                   .allowed = "java, murmur",
                                   .doc = "Hash function for the values."}};

struct Options {
  std::vector<std::string> fields;
  int64_t partitions = 1;
  bool murmur = false;
};

Options Read(const Setting& setting) {
  return {.fields = setting.options.List("partition.payload.fields"),
          .partitions = setting.options.Integer("partition.topic.num"),
          .murmur = setting.options.Text("partition.hash.function") == "murmur"};
}

class PartitionRouting final : public Stage {
 public:
  explicit PartitionRouting(Options options) : options_(std::move(options)) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions*) const override {
    if (!IsEnvelope(record->value)) return Verdict::kKeep;
    const Node& envelope = *record->value;
    const absl::string_view op = ConstantText(envelope, "op");
    if (op == "t" || op == "m") return Verdict::kKeep;
    std::vector<Node> operands;
    std::vector<event::ConnectSchemaPtr> schemas;
    for (const std::string& field : options_.fields) {
      // Without its operation a change has no side.
      if (op.empty() && absl::StartsWith(field, "change")) continue;
      ASSIGN_OR_RETURN(std::optional<Node> node, Find(envelope, field, op == "d"));
      if (!node || node->kind != Node::Kind::kLeaf) continue;
      schemas.push_back(node->schema);
      operands.push_back(Taken(*node, true));
    }
    if (operands.empty()) return Verdict::kKeep;
    record->partition =
        event::FunctionNode(PlainSchema(ConnectType::kInt32, true),
                            std::make_shared<const HashOfValues>(
                                std::move(schemas), options_.murmur, options_.partitions),
                            std::move(operands));
    return Verdict::kKeep;
  }
  SharedHeaders shared_headers(const RecordTemplate&) const override {
    return SharedHeaders::kKept;
  }

 private:
  static absl::StatusOr<std::optional<Node>> Find(const Node& envelope, const std::string& field,
                                                  bool deleted) {
    Node node = envelope;
    for (absl::string_view step : absl::StrSplit(field, '.')) {
      if (step == "change") step = deleted ? "before" : "after";
      if (!node.is_struct())
        return RecordError(
            absl::StrCat("'", field, "' leads into a value that is null or not a struct"));
      const Node* member = node.Find(step);
      if (member == nullptr) return std::nullopt;
      node = Node(*member);
    }
    return node;
  }

  const Options options_;
};

}  // namespace

extern constinit const TransformClass kPartitionRouting = {
    .name = "io.debezium.transforms.partitions.PartitionRouting",
    .options = kOptions,
    .doc = "Chooses the partition by the values of fields.",
    .make = MakeStage<PartitionRouting, Read>};

}  // namespace walduct::transform
