#include "transform/debezium/partition_hash.h"

#include <bit>

#include "java/hash/hash_code.h"

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

}  // namespace

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

}  // namespace walduct::transform
