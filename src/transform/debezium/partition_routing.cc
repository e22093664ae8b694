// Debezium's PartitionRouting: the partition by a hash of values.
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "transform/debezium/partition_hash.h"
#include "transform/stages/stages.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"

namespace walduct::transform {
namespace {

using config::TransformSpec;
using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;

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
      if (!fine) return RecordError("arrays, structs and maps cannot decide a partition");
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

class PartitionRouting final : public Stage {
 public:
  explicit PartitionRouting(const TransformSpec& spec)
      : fields_(spec.options.List("partition.payload.fields")),
        partitions_(spec.options.Integer("partition.topic.num")),
        murmur_(spec.options.Text("partition.hash.function") == "murmur") {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions*) const override {
    if (!IsEnvelope(record->value)) return Verdict::kKeep;
    const Node& envelope = *record->value;
    const absl::string_view op = ConstantText(envelope, "op");
    if (op == "t" || op == "m") return Verdict::kKeep;
    std::vector<Node> operands;
    std::vector<event::ConnectSchemaPtr> schemas;
    for (const std::string& field : fields_) {
      // Without its operation a change has no side.
      if (op.empty() && absl::StartsWith(field, "change")) continue;
      ASSIGN_OR_RETURN(std::optional<Node> node, Find(envelope, field, op == "d"));
      if (!node || node->kind != Node::Kind::kLeaf) continue;
      schemas.push_back(node->schema);
      operands.push_back(Taken(*node, true));
    }
    if (operands.empty()) return Verdict::kKeep;
    record->partition = event::FunctionNode(
        PlainSchema(ConnectType::kInt32, true),
        std::make_shared<const HashOfValues>(std::move(schemas), murmur_, partitions_),
        std::move(operands));
    return Verdict::kKeep;
  }

 private:
  static absl::StatusOr<std::optional<Node>> Find(const Node& envelope, const std::string& field,
                                                  bool deleted) {
    Node node = envelope;
    for (absl::string_view step : absl::StrSplit(field, '.')) {
      if (step == "change") step = deleted ? "before" : "after";
      if (!node.is_struct())
        return RecordError(
            absl::StrCat("'", field, "' leads into a value that is null or no struct"));
      const Node* member = node.Find(step);
      if (member == nullptr) return std::nullopt;
      node = Node(*member);
    }
    return node;
  }

  const std::vector<std::string> fields_;
  const int64_t partitions_;
  const bool murmur_;
};

}  // namespace

StagePtr MakePartitionRouting(const TransformSpec& spec) {
  return std::make_unique<PartitionRouting>(spec);
}

}  // namespace walduct::transform
