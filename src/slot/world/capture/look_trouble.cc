#include "slot/world/capture/look_trouble.h"

#include <string>

#include "base/error.h"
#include "base/log.h"
#include "engine/errors/named_hint.h"

namespace walduct::slot {
namespace {

struct Words {
  absl::string_view fails, works;
};

Words WordsOf(metrics::Beside what) {
  if (what == metrics::Beside::kCatalogLook) {
    return {.fails =
                "cannot look at the catalog: whether all captured tables are still sent is "
                "not known",
            .works = "captured tables are looked after again"};
  }
  return {.fails =
              "cannot look at the replication slot: how much WAL it keeps, and whether it is "
              "lost, is not known",
          .works = "the replication slot is looked at again"};
}

}  // namespace

void LookTrouble::Saw(const absl::Status& looked, const engine::ConnectorNames& names, Clock& clock,
                      metrics::ConnectorMetrics* metrics) {
  if (looked.ok()) {
    failures_ = 0;
    if (said_at_) log::Info(WordsOf(what_).works);
    said_at_.reset();
    if (metrics != nullptr) metrics->beside.Works(what_);
    return;
  }
  if (++failures_ == 1) since_ = clock.Now();
  if (failures_ < kPatience) return;
  const std::string error(looked.message());
  const std::string hint = ErrorHint(engine::WithNamedHint(looked, names));
  if (metrics != nullptr) {
    // It may have begun under an earlier session.
    metrics->beside.Failed(what_, since_, error, hint);
  }
  const absl::Duration now = clock.Monotonic();
  if (said_at_ && now - *said_at_ < kRepeat) return;
  said_at_ = now;
  log::Warn(WordsOf(what_).fails,
            {{"since", absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", since_, absl::UTCTimeZone())},
             {"error", error},
             {"reason", ErrorReason(looked)},
             {"hint", hint}});
}

void LookTrouble::Forget() {
  failures_ = 0;
  said_at_.reset();
}

}  // namespace walduct::slot
