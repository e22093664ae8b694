// Lsn: a position in PostgreSQL's write-ahead log, a 64-bit byte offset printed as two hexadecimal
// halves "16/B374D848". Xid, Oid: PostgreSQL's 32-bit transaction and object identifiers. All three
// are values; none is ever a bare integer.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct {

class Lsn {
 public:
  constexpr Lsn() = default;  // 0/0, "no position"
  constexpr explicit Lsn(uint64_t value) : value_(value) {}

  // "X/X" as PostgreSQL prints pg_lsn. InvalidArgument for anything else.
  static absl::StatusOr<Lsn> Parse(absl::string_view text);

  constexpr uint64_t value() const { return value_; }
  constexpr bool valid() const { return value_ != 0; }
  std::string ToString() const;

  friend constexpr auto operator<=>(Lsn, Lsn) = default;

 private:
  uint64_t value_ = 0;
};

enum class Oid : uint32_t {};
enum class Xid : uint32_t {};

constexpr uint32_t ToInteger(Oid oid) { return static_cast<uint32_t>(oid); }
constexpr uint32_t ToInteger(Xid xid) { return static_cast<uint32_t>(xid); }

}  // namespace walduct
