#include "transform/debezium/record_size.h"

#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/match.h"
#include "event/tree.h"

namespace walduct::transform {
namespace {

using event::ConnectSchema;
using event::ConnectType;
using event::Node;
using event::Scalar;

// What Debezium takes for the parts of a Java object.
constexpr int64_t kStruct = 56, kTextObject = 56, kBytes = 24, kArray = 64, kMap = 88,
                  kPrimitive = 24;
constexpr int64_t kReference = 8;
constexpr int64_t kMapEntry = 100;  // of partition, offset and headers
// Entries of a source partition and of the connector's offset; with a transaction, its id and the
// counter of the table.
constexpr int64_t kPositionEntries = 7, kTransactionEntries = 2;

bool IsPrimitive(ConnectType type) {
  return type != ConnectType::kString && type != ConnectType::kBytes &&
         type != ConnectType::kArray && type != ConnectType::kMap && type != ConnectType::kStruct;
}

int64_t NullSize(const ConnectSchema& schema) { return IsPrimitive(schema.type) ? kPrimitive : 0; }

using Limbs = absl::InlinedVector<uint32_t, 8>;

void MultiplyAdd(uint64_t factor, uint64_t carry, Limbs* limbs) {
  for (uint32_t& limb : *limbs) {
    const uint64_t product = limb * factor + carry;
    limb = static_cast<uint32_t>(product);
    carry = product >> 32;
  }
  if (carry != 0) limbs->push_back(static_cast<uint32_t>(carry));
}

Limbs ToLimbs(absl::string_view decimal) {
  Limbs limbs;
  uint64_t factor = 1, digits = 0;
  for (const char c : decimal) {
    if (c == 'E' || c == 'e') break;
    if (c < '0' || c > '9') continue;
    factor *= 10;
    digits = digits * 10 + static_cast<uint64_t>(c - '0');
    if (factor < 1000000000) continue;
    MultiplyAdd(factor, digits, &limbs);
    factor = 1;
    digits = 0;
  }
  MultiplyAdd(factor, digits, &limbs);
  return limbs;
}

// BigInteger.toByteArray().length of a decimal's unscaled value.
int64_t UnscaledBytes(absl::string_view decimal) {
  const Limbs limbs = ToLimbs(decimal);
  if (limbs.empty()) return 1;
  int64_t bits = 32 * static_cast<int64_t>(limbs.size() - 1);
  for (uint32_t top = limbs.back(); top != 0; top >>= 1) ++bits;
  bool power_of_two = (limbs.back() & (limbs.back() - 1)) == 0;
  for (size_t i = 0; i + 1 < limbs.size(); ++i) power_of_two = power_of_two && limbs[i] == 0;
  if (absl::StartsWith(decimal, "-") && power_of_two) --bits;
  return bits / 8 + 1;
}

int64_t StructSize(const ConnectSchema& schema, const Scalar& value) {
  int64_t size = kStruct;
  for (const event::ConnectField& field : schema.fields)
    size += kReference + ValueSize(*field.schema, event::TreeField(value, field.name));
  return size;
}

int64_t ArraySize(const ConnectSchema& schema, const Scalar& value) {
  int64_t size = kArray;
  for (event::TreeReader items(value); !items.done();)
    size += kReference + ValueSize(*schema.items, items.Value());
  return size;
}

int64_t MapSize(const ConnectSchema& schema, const Scalar& value) {
  int64_t size = kMap;
  for (event::TreeReader entries(value); !entries.done();) {
    size += 2 * kReference + ValueSize(*schema.keys, entries.Value());
    size += ValueSize(*schema.items, entries.Value());
  }
  return size;
}

}  // namespace

int64_t ValueSize(const ConnectSchema& schema, const Scalar& value) {
  if (value.is_null()) return NullSize(schema);
  if (value.kind == Scalar::Kind::kStruct) return StructSize(schema, value);
  if (value.kind == Scalar::Kind::kArray) return ArraySize(schema, value);
  if (value.kind == Scalar::Kind::kMap) return MapSize(schema, value);
  if (value.kind == Scalar::Kind::kDecimal && schema.type == ConnectType::kBytes)
    return kBytes + UnscaledBytes(value.text);
  if (schema.type == ConnectType::kString)
    return kTextObject + static_cast<int64_t>(value.text.size());
  if (schema.type == ConnectType::kBytes) return kBytes + static_cast<int64_t>(value.text.size());
  return kPrimitive;
}

RecordSize::RecordSize(const event::RecordTemplate& record) {
  fixed_ = kMapEntry * (kPositionEntries + static_cast<int64_t>(record.headers.size())) +
           kReference + static_cast<int64_t>(record.topic.size());
  if (record.key) Add(*record.key);
  if (!record.value) return;
  Add(*record.value);
  const Node* transaction = record.value->Find("transaction");
  if (transaction != nullptr && transaction->is_struct()) fixed_ += kMapEntry * kTransactionEntries;
}

void RecordSize::Add(const Node& node) {
  if (node.is_struct()) {
    fixed_ += kStruct + kReference * static_cast<int64_t>(node.members.size());
    for (const Node& member : node.members) Add(member);
    return;
  }
  if (node.schema == nullptr) return;
  if (node.kind == Node::Kind::kNull || IsPrimitive(node.schema->type)) {
    fixed_ += NullSize(*node.schema);
  } else {
    leaves_.push_back(&node);
    schemas_.push_back(node.schema);
  }
}

int64_t RecordSize::Of(absl::Span<const Scalar> values) const {
  int64_t size = fixed_;
  for (size_t i = 0; i < schemas_.size(); ++i) size += ValueSize(*schemas_[i], values[i]);
  return size;
}

}  // namespace walduct::transform
