#include "access/session_keys.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>

#include "absl/algorithm/container.h"
#include "absl/strings/escaping.h"

namespace walduct::access {
namespace {

// Longer than a request that is sent on may take.
constexpr absl::Duration kStillTaken = absl::Minutes(1);
// Others read what is written within a second.
constexpr absl::Duration kUntilAllHaveIt = absl::Seconds(5);
constexpr absl::Duration kMakeAgain = absl::Seconds(1);
constexpr size_t kMostKeys = 100;

constexpr std::array<absl::string_view, 5> kMacNames = {"HmacSHA1", "HmacSHA224", "HmacSHA256",
                                                        "HmacSHA384", "HmacSHA512"};

const EVP_MD* DigestOf(absl::string_view algorithm) {
  if (algorithm == "HmacSHA1") return EVP_sha1();
  if (algorithm == "HmacSHA224") return EVP_sha224();
  if (algorithm == "HmacSHA256") return EVP_sha256();
  if (algorithm == "HmacSHA384") return EVP_sha384();
  if (algorithm == "HmacSHA512") return EVP_sha512();
  return nullptr;
}

}  // namespace

absl::Span<const absl::string_view> MacNames() { return kMacNames; }

std::optional<std::string> Mac(absl::string_view algorithm, absl::string_view key,
                               absl::string_view text) {
  const EVP_MD* const digest = DigestOf(algorithm);
  if (digest == nullptr) return std::nullopt;
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned int size = 0;
  HMAC(digest, key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash.data(), &size);
  return std::string(reinterpret_cast<const char*>(hash.data()), size);
}

// What Java's generators make, so that a worker of Connect that comes back keeps the key.
size_t KeyBytes(absl::string_view algorithm) {
  if (algorithm == "HmacSHA1") return 64;
  const EVP_MD* const digest = DigestOf(algorithm);
  return digest == nullptr ? 0 : static_cast<size_t>(EVP_MD_size(digest));
}

void SessionKeys::Take(SessionKey key, bool news) {
  const absl::Duration now = clock_.Monotonic();
  const MutexLock lock(mutex_);
  lost_ = false;
  if (!held_.empty() && held_.front().key.bytes == key.bytes) return;
  if (!news) held_.clear();
  std::erase_if(held_, [&key](const Held& one) { return one.key.bytes == key.bytes; });
  held_.push_front({.key = std::move(key), .since = now});
  size_t taken = 1;
  while (taken < held_.size() && taken < kMostKeys && now - held_[taken - 1].since < kStillTaken)
    ++taken;
  held_.resize(taken);
}

void SessionKeys::BeLost() {
  const MutexLock lock(mutex_);
  lost_ = true;
}

bool SessionKeys::IsDue() const {
  const absl::Time now = clock_.Now();
  const absl::Duration monotonic = clock_.Monotonic();
  const MutexLock lock(mutex_);
  if (monotonic - made_ < kMakeAgain) return false;
  if (lost_ || held_.empty()) return true;
  const SessionKey& key = held_.front().key;
  // By a clock that was far ahead: it would never be old.
  const bool ahead = key.created - now > std::max(options_.ttl, kStillTaken);
  return key.created + options_.ttl <= now || ahead || key.algorithm != options_.key_algorithm ||
         key.bytes.size() != options_.key_bytes;
}

absl::StatusOr<SessionKey> SessionKeys::Make() {
  SessionKey key{.bytes = std::string(options_.key_bytes, '\0'),
                 .algorithm = options_.key_algorithm,
                 .created = clock_.Now()};
  if (RAND_bytes(reinterpret_cast<unsigned char*>(key.bytes.data()),
                 static_cast<int>(key.bytes.size())) != 1)
    return absl::InternalError("the machine gives no random bytes for a key");
  const MutexLock lock(mutex_);
  made_ = clock_.Monotonic();
  return key;
}

std::vector<Signature> SessionKeys::Sign(absl::string_view text) const {
  std::vector<SessionKey> keys;
  {
    const absl::Duration now = clock_.Monotonic();
    const MutexLock lock(mutex_);
    if (held_.empty()) return {};
    keys.push_back(held_.front().key);
    if (held_.size() > 1 && now - held_.front().since < kUntilAllHaveIt)
      keys.insert(keys.begin(), held_[1].key);
  }
  std::vector<Signature> signatures;
  for (const SessionKey& key : keys) {
    if (const auto mac = Mac(options_.signs_with, key.bytes, text))
      signatures.push_back({.algorithm = options_.signs_with, .value = absl::Base64Escape(*mac)});
  }
  return signatures;
}

SignatureVerdict SessionKeys::Check(absl::string_view text, const Signature& signature) const {
  using enum SignatureVerdict;
  if (signature.value.empty() || signature.algorithm.empty()) return kMissing;
  if (!absl::c_linear_search(options_.takes, signature.algorithm)) return kUnknownAlgorithm;
  std::vector<std::string> keys;
  {
    const absl::Duration now = clock_.Monotonic();
    const MutexLock lock(mutex_);
    for (size_t i = 0; i < held_.size(); ++i) {
      if (i > 0 && now - held_[i - 1].since >= kStillTaken) break;
      keys.push_back(held_[i].key.bytes);
    }
  }
  if (keys.empty()) return kNoKey;
  std::string given;
  if (!absl::Base64Unescape(signature.value, &given)) return kWrong;
  for (const std::string& key : keys) {
    const std::optional<std::string> mac = Mac(signature.algorithm, key, text);
    if (mac && mac->size() == given.size() &&
        CRYPTO_memcmp(mac->data(), given.data(), given.size()) == 0)
      return kRight;
  }
  return kWrong;
}

}  // namespace walduct::access
