// BesideBoard: what is done beside the stream and does not work at present. Publishing goes on.
// Thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/mutex.h"

namespace walduct::metrics {

enum class Beside : uint8_t {
  kHeartbeatAction,  // heartbeat.action.query
  kOutboxCleanup,
  kIncrementalSnapshot,  // waits for somebody else's lock
  kSlotLook,             // nobody can ask the server about the slot
  kCatalogLook,          // or whether what is captured is still sent
};
inline constexpr std::array<absl::string_view, 5> kBesideLabels = {
    "heartbeat_action", "outbox_cleanup", "incremental_snapshot", "slot_look", "catalog_look"};

struct BesideTrouble {
  absl::string_view what;           // a label
  std::optional<absl::Time> since;  // of the first failure; absent: the last run worked
  std::string message, hint;        // of the last one
  bool waits = false;               // for somebody else: nothing has failed
};

class BesideBoard {
 public:
  void Failed(Beside what, absl::Time now, std::string message, std::string hint) {
    Show(what, now, std::move(message), std::move(hint), /*waits=*/false);
  }
  void Waits(Beside what, absl::Time now, std::string message, std::string hint) {
    Show(what, now, std::move(message), std::move(hint), /*waits=*/true);
  }
  void Works(Beside what) {
    const MutexLock lock(mutex_);
    all_[static_cast<size_t>(what)] = {kBesideLabels[static_cast<size_t>(what)], {}, "", ""};
  }
  // What is said of slot and catalog is old.
  bool cannot_look() const {
    const MutexLock lock(mutex_);
    return Fails(Beside::kSlotLook) || Fails(Beside::kCatalogLook);
  }
  // What has run.
  std::vector<BesideTrouble> Read() const {
    const MutexLock lock(mutex_);
    std::vector<BesideTrouble> ran;
    for (const std::optional<BesideTrouble>& one : all_)
      if (one) ran.push_back(*one);
    return ran;
  }

 private:
  bool Fails(Beside what) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const std::optional<BesideTrouble>& one = all_[static_cast<size_t>(what)];
    return one && one->since;
  }
  void Show(Beside what, absl::Time now, std::string message, std::string hint, bool waits) {
    const MutexLock lock(mutex_);
    std::optional<BesideTrouble>& one = all_[static_cast<size_t>(what)];
    const std::optional<absl::Time> before = one ? one->since : std::nullopt;
    one = {kBesideLabels[static_cast<size_t>(what)], before.value_or(now), std::move(message),
           std::move(hint), waits};
  }

  mutable Mutex mutex_;
  std::array<std::optional<BesideTrouble>, kBesideLabels.size()> all_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace walduct::metrics
