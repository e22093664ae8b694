#include "encode/formats/number_bytes.h"

#include <bit>
#include <cstdint>

namespace walduct::encode {
namespace {

using event::ConnectType;
using event::Scalar;

bool AppendBigEndian(uint64_t bits, int bytes, OutBuffer* out) {
  for (int i = bytes - 1; i >= 0; --i) out->push_back(static_cast<char>(bits >> (8 * i)));
  return true;
}

}  // namespace

bool AppendNumberBytes(const Scalar& value, ConnectType type, OutBuffer* out) {
  const auto integer = static_cast<uint64_t>(value.integer);
  const bool real = value.kind == Scalar::Kind::kReal;
  const bool whole = value.kind == Scalar::Kind::kInteger;
  switch (type) {
    case ConnectType::kBoolean:
      return value.kind == Scalar::Kind::kBoolean && AppendBigEndian(integer != 0 ? 1 : 0, 1, out);
    case ConnectType::kInt16:
      return whole && AppendBigEndian(integer, 2, out);
    case ConnectType::kInt32:
      return whole && AppendBigEndian(integer, 4, out);
    case ConnectType::kInt64:
      return whole && AppendBigEndian(integer, 8, out);
    case ConnectType::kFloat:
      return real &&
             AppendBigEndian(std::bit_cast<uint32_t>(static_cast<float>(value.real)), 4, out);
    case ConnectType::kDouble:
      return real && AppendBigEndian(std::bit_cast<uint64_t>(value.real), 8, out);
    default:
      return false;
  }
}

const char* NumberName(ConnectType type) {
  switch (type) {
    case ConnectType::kBoolean:
      return "boolean";
    case ConnectType::kInt16:
      return "int16";
    case ConnectType::kInt32:
      return "int32";
    case ConnectType::kInt64:
      return "int64";
    case ConnectType::kFloat:
      return "float";
    default:
      return "double";
  }
}

}  // namespace walduct::encode
