// SessionKeys: the key that all workers of a group have, to sign what one asks of another, as Kafka
// Connect has it (KIP-507): which one signs, which ones are taken, and when the leader has to make
// another one. Whoever follows the topic of configurations gives the keys.
//
// Thread-safety: any thread. Nothing waits.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/clock.h"
#include "base/mutex.h"

namespace walduct::access {

// By the names that Java has for them: "HmacSHA256".
absl::Span<const absl::string_view> MacNames();
// The bytes; absent: there is no such algorithm.
std::optional<std::string> Mac(absl::string_view algorithm, absl::string_view key,
                               absl::string_view text);
// Of a key that is made for the algorithm, where no size is asked for; 0: there is no such one.
size_t KeyBytes(absl::string_view algorithm);

// inter.worker.*. Immutable once built.
struct SessionOptions {
  std::string key_algorithm = "HmacSHA256";
  size_t key_bytes = 32;
  absl::Duration ttl = absl::Hours(1);
  std::string signs_with = "HmacSHA256";
  std::vector<std::string> takes = {"HmacSHA256"};
};

struct SessionKey {
  std::string bytes;  // secret
  std::string algorithm;
  absl::Time created;
};

struct Signature {
  std::string algorithm;
  std::string value;  // base64
};

enum class SignatureVerdict { kRight, kMissing, kUnknownAlgorithm, kNoKey, kWrong };

class SessionKeys {
 public:
  // clock is borrowed.
  SessionKeys(SessionOptions options, Clock& clock) : options_(std::move(options)), clock_(clock) {}

  // The group's key. news: it comes while others may still sign with the one before it, which is
  // then taken for a minute.
  void Take(SessionKey key, bool news);
  // The topic does not have it any more: what is known goes on, and another one is due.
  void BeLost();

  // Whether the leader has to write another one: as Connect's does, when there is none, when it is
  // as old as the time to live, or of another kind than is configured. Once a second at most.
  bool IsDue() const;
  // One, to be written; Internal: the machine gives no random bytes.
  absl::StatusOr<SessionKey> Make();

  // The first one to be sent; refused (kWrong), the next. A key that has just come signs second:
  // others may not have read it yet. Empty: there is no key yet.
  std::vector<Signature> Sign(absl::string_view text) const;
  SignatureVerdict Check(absl::string_view text, const Signature& signature) const;

  const SessionOptions& options() const { return options_; }

 private:
  struct Held {
    SessionKey key;
    absl::Duration since;  // by the monotonic clock
  };

  const SessionOptions options_;
  Clock& clock_;
  mutable Mutex mutex_;
  std::deque<Held> held_ ABSL_GUARDED_BY(mutex_);  // the newest first
  bool lost_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Duration made_ ABSL_GUARDED_BY(mutex_) = -absl::InfiniteDuration();
};

}  // namespace walduct::access
