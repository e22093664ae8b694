// Debezium's PartitionRouting: the partition by a hash of values.
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "event/connect_schema.h"
#include "event/scalar.h"
#include "java/hash/hash_code.h"
#include "transform/options/option_checks.h"
#include "transform/options/transform_class.h"
#include "transform/template/template_edit.h"

namespace walduct::transform {
namespace {

using event::Scalar;

class Murmur {
 public:
  void AddByte(unsigned char byte) {
    const uint64_t value = uint64_t{byte} << (size_ % 8 * 8);
    (size_ % 16 < 8 ? k1_ : k2_) |= value;
    if (++size_ % 16 == 0) Mix();
  }

  // A number of 32 bits as the original mixes it: byte by byte, each with its sign.
  void AddNumber(uint32_t number) {
    for (int shift = 0; shift < 32; shift += 8) {
      const auto byte = static_cast<signed char>(number >> shift & 0xFF);
      k1_ ^= static_cast<uint64_t>(static_cast<int64_t>(byte)) << shift;
    }
    size_ = 4;
  }

  uint32_t Finish() {
    if (size_ % 16 != 0) Mix();
    h2_ ^= size_;
    h1_ += h2_;
    h2_ += h1_;
    h1_ = Final(h1_);
    h2_ = Final(h2_);
    h1_ += h2_;
    return static_cast<uint32_t>(h1_ >> 32);
  }

 private:
  void Mix() {
    h1_ ^= std::rotl(k1_ * c1_, 23) * c2_;
    h1_ += h2_;
    h2_ = std::rotl(h2_, 41);
    h2_ ^= std::rotl(k2_ * c2_, 23) * c1_;
    h2_ += h1_;
    h1_ = h1_ * 3 + 0x52dce729;
    h2_ = h2_ * 3 + 0x38495ab5;
    c1_ = c1_ * 5 + 0x7b7d159c;
    c2_ = c2_ * 5 + 0x6bce6396;
    k1_ = k2_ = 0;
  }
  static uint64_t Final(uint64_t k) {
    k = (k ^ k >> 33) * 0xff51afd7ed558ccdULL;
    k = (k ^ k >> 33) * 0xc4ceb9fe1a85ec53ULL;
    return k ^ k >> 33;
  }

  static constexpr uint64_t kSeed = 9001;
  uint64_t h1_ = 0x9368e53c2f6af274ULL ^ kSeed, h2_ = 0x586dcd208f7cd3fdULL ^ kSeed;
  uint64_t c1_ = 0x87c37b91114253d5ULL, c2_ = 0x4cf5ad432745937fULL;
  uint64_t k1_ = 0, k2_ = 0;
  uint64_t size_ = 0;
};

// Object.hashCode of the value as Kafka Connect holds it. False: arrays, structs and maps.
bool JavaHash(const Scalar& value, const event::ConnectSchema& schema, int32_t* hash) {
  uint32_t result = 0;
  switch (value.kind) {
    case Scalar::Kind::kNull:
      break;
    case Scalar::Kind::kBoolean:
      result = java::BooleanHash(value.integer != 0);
      break;
    case Scalar::Kind::kInteger:
      // A connect Timestamp, Date or Time is a java.util.Date, which hashes as a long.
      result = schema.type == event::ConnectType::kInt64
                   ? java::LongHash(static_cast<uint64_t>(value.integer))
                   : static_cast<uint32_t>(value.integer);
      break;
    case Scalar::Kind::kReal:
      result = schema.type == event::ConnectType::kFloat
                   ? java::FloatHash(static_cast<float>(value.real))
                   : java::DoubleHash(value.real + 0.0);
      break;
    case Scalar::Kind::kText:
      result = java::StringHash(value.text);
      break;
    case Scalar::Kind::kBytes:
      result = java::ByteBufferHash(value.text);
      break;
    case Scalar::Kind::kDecimal:
      result = java::BigDecimalHash(value.text);
      break;
    case Scalar::Kind::kArray:
    case Scalar::Kind::kMap:
    case Scalar::Kind::kStruct:
      return false;
  }
  *hash = static_cast<int32_t>(result);
  return true;
}

// The early MurmurHash3 for 64 bits with seed 9001: of a text its UTF-8, of anything else its
// hashCode.
bool MurmurHash(const Scalar& value, const event::ConnectSchema& schema, int32_t* hash) {
  Murmur murmur;
  if (value.kind == Scalar::Kind::kText) {
    for (const char c : value.text) murmur.AddByte(static_cast<unsigned char>(c));
  } else {
    int32_t object = 0;
    if (!JavaHash(value, schema, &object)) return false;
    murmur.AddNumber(static_cast<uint32_t>(object));
  }
  *hash = static_cast<int32_t>(murmur.Finish());
  return true;
}

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
