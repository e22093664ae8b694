#include "nats/nkey.h"

#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "base/error.h"
#include "base/freed_by.h"

namespace walduct::nats {
namespace {

constexpr absl::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
constexpr size_t kKeyBytes = 32;
constexpr uint8_t kSeedPrefix = 18 << 3;  // S
constexpr uint8_t kUserPrefix = 20 << 3;  // U

absl::Status NoSeed() {
  return Error(absl::StatusCode::kInvalidArgument, "nats_bad_nkey",
               "is not the seed of a user's NKey", "it begins with SU, as nk -gen user prints it");
}

// Empty: a character is none of base 32.
std::string FromBase32(absl::string_view text) {
  std::string bytes;
  uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const size_t value = kAlphabet.find(c);
    if (value == absl::string_view::npos) return "";
    bits = (bits << 5) | static_cast<uint32_t>(value);
    count += 5;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>((bits >> count) & 0xFF));
  }
  return bytes;
}

std::string ToBase32(absl::string_view bytes) {
  std::string text;
  uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : bytes) {
    bits = (bits << 8) | static_cast<uint8_t>(c);
    for (count += 8; count >= 5; count -= 5) text.push_back(kAlphabet[(bits >> (count - 5)) & 31]);
  }
  if (count > 0) text.push_back(kAlphabet[(bits << (5 - count)) & 31]);
  return text;
}

// XMODEM's, the low byte first.
std::string ChecksumOf(absl::string_view bytes) {
  uint32_t crc = 0;
  for (const char c : bytes) {
    crc ^= static_cast<uint32_t>(static_cast<uint8_t>(c)) << 8;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x8000) != 0 ? (crc << 1) ^ 0x1021 : crc << 1;
    crc &= 0xFFFF;
  }
  return {static_cast<char>(crc & 0xFF), static_cast<char>(crc >> 8)};
}

}  // namespace

absl::StatusOr<std::string> PublicKeyOf(absl::string_view seed) {
  const std::string raw = FromBase32(seed);
  if (raw.size() != 2 + kKeyBytes + 2) return NoSeed();
  const absl::string_view body = absl::string_view(raw).substr(0, 2 + kKeyBytes);
  const auto first = static_cast<uint8_t>(raw[0]), second = static_cast<uint8_t>(raw[1]);
  const uint8_t kind = static_cast<uint8_t>(((first & 7) << 5) | ((second & 248) >> 3));
  if (ChecksumOf(body) != raw.substr(2 + kKeyBytes) || (first & 248) != kSeedPrefix ||
      kind != kUserPrefix)
    return NoSeed();
  const std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>> key(EVP_PKEY_new_raw_private_key(
      EVP_PKEY_ED25519, nullptr, reinterpret_cast<const uint8_t*>(raw.data()) + 2, kKeyBytes));
  std::array<uint8_t, kKeyBytes> open{};
  size_t size = open.size();
  if (key == nullptr || EVP_PKEY_get_raw_public_key(key.get(), open.data(), &size) != 1)
    return NoSeed();
  std::string bytes(1, static_cast<char>(kUserPrefix));
  bytes.append(reinterpret_cast<const char*>(open.data()), size);
  return ToBase32(bytes + ChecksumOf(bytes));
}

std::string FindSeed(absl::string_view text) {
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (absl::StartsWith(line, "SU") && line.size() > 50) return std::string(line);
  }
  return "";
}

}  // namespace walduct::nats
