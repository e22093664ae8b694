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
  kHeartbeatAction,  // heartbeat.action.query; may wait for somebody else's lock
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
    const MutexLock lock(mutex_);
    Entry& one = all_[static_cast<size_t>(what)];
    const absl::Time since = Since(one).value_or(now);
    one.ran = Trouble(what, since, std::move(message), std::move(hint), /*waits=*/false);
    one.waits.reset();
  }
  // What runs now; whether the run before it failed is kept.
  void Waits(Beside what, absl::Time now, std::string message, std::string hint) {
    const MutexLock lock(mutex_);
    Entry& one = all_[static_cast<size_t>(what)];
    const absl::Time since = Since(one).value_or(now);
    one.waits = Trouble(what, since, std::move(message), std::move(hint), /*waits=*/true);
  }
  // It says by itself whether it works.
  void WaitsNoMore(Beside what) {
    const MutexLock lock(mutex_);
    Entry& one = all_[static_cast<size_t>(what)];
    if (one.waits && !one.ran) one.ran = Trouble(what, std::nullopt, "", "", /*waits=*/false);
    one.waits.reset();
  }
  void Works(Beside what) {
    const MutexLock lock(mutex_);
    all_[static_cast<size_t>(what)] =
        Entry{.ran = Trouble(what, std::nullopt, "", "", /*waits=*/false), .waits = std::nullopt};
  }
  // What is said of slot and catalog is old.
  bool cannot_look() const {
    const MutexLock lock(mutex_);
    return Since(all_[static_cast<size_t>(Beside::kSlotLook)]) ||
           Since(all_[static_cast<size_t>(Beside::kCatalogLook)]);
  }
  // What has run.
  std::vector<BesideTrouble> Read() const {
    const MutexLock lock(mutex_);
    std::vector<BesideTrouble> ran;
    for (const Entry& one : all_) {
      if (one.waits)
        ran.push_back(*one.waits);
      else if (one.ran)
        ran.push_back(*one.ran);
    }
    return ran;
  }

 private:
  struct Entry {
    std::optional<BesideTrouble> ran;    // the last run that has ended
    std::optional<BesideTrouble> waits;  // for somebody else
  };

  static BesideTrouble Trouble(Beside what, std::optional<absl::Time> since, std::string message,
                               std::string hint, bool waits) {
    return {kBesideLabels[static_cast<size_t>(what)], since, std::move(message), std::move(hint),
            waits};
  }
  // What has failed since then, and waits now, has not worked in between.
  static std::optional<absl::Time> Since(const Entry& one) {
    if (one.ran && one.ran->since) return one.ran->since;
    return one.waits ? one.waits->since : std::nullopt;
  }

  mutable Mutex mutex_;
  std::array<Entry, kBesideLabels.size()> all_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace walduct::metrics
