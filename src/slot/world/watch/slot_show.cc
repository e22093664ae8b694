#include "slot/world/watch/slot_show.h"

#include <algorithm>
#include <optional>

#include "base/log.h"

namespace walduct::slot {

ServerView ViewOf(const replication::WatchedSlot& look, const ServerView& before,
                  absl::Duration now) {
  ServerView view;
  view.slot = look.slot;
  view.looked_at = now;
  view.wal_status = look.wal_status;
  view.safe_wal_bytes = look.safe_bytes;
  view.safe_bytes = static_cast<uint64_t>(std::max<int64_t>(look.safe_bytes.value_or(0), 0));
  view.wal_end = look.wal_end;
  view.retained_bytes = look.retained_bytes;
  view.next_xid = look.next_xid;
  view.partial = look.partial;
  view.confirmed = look.confirmed;
  view.slot_xmin = look.slot_xmin;
  view.reader = look.reader;
  const double seconds = absl::ToDoubleSeconds(now - before.looked_at);
  if (before.wal_end.valid() && seconds > 0 && view.retained_bytes > before.retained_bytes) {
    view.growth_per_second = static_cast<uint64_t>(
        static_cast<double>(view.retained_bytes - before.retained_bytes) / seconds);
  }
  return view;
}

void ShowSlot(const ServerView& view, Clock& clock, metrics::ConnectorMetrics* metrics,
              bool rests) {
  if (!view.wal_end.valid()) return;
  const std::optional<metrics::SlotView> shown = metrics->slot.Read();
  if (shown && view.looked_at <= shown->looked_at && shown->looked_at > absl::ZeroDuration())
    return;
  metrics->retained_wal_bytes.Set(view.retained_bytes);
  metrics->slot.Show({.slot = view.slot,
                      .wal_status = view.wal_status,
                      .wal_end = view.wal_end,
                      .retained_bytes = view.retained_bytes,
                      .growth_per_second = view.growth_per_second,
                      .safe_wal_bytes = view.safe_wal_bytes,
                      .oldest_transaction = view.oldest_transaction,
                      .other_reader = rests ? view.reader : "",
                      .looked_at = view.looked_at});
  const bool begins = view.wal_status == "missing" && metrics->slot.Read()->wal_status == "none";
  if (begins && rests) {
    metrics->lag.Forget();
    return;
  }
  metrics->lag.OnLook({.at = clock.Now() - (clock.Monotonic() - view.looked_at),
                       .wal_end = view.wal_end,
                       .next_xid = view.next_xid,
                       .confirmed = view.confirmed,
                       .slot_xmin = view.slot_xmin,
                       .partial = view.partial});
}

void SlotShower::Show(const replication::WatchedSlot& look, absl::Duration now, Clock& clock,
                      const engine::ConnectorNames& names, const engine::ConnectorStatus& status,
                      metrics::ConnectorMetrics* metrics) {
  const std::optional<metrics::SlotView> shown = metrics->slot.Read();
  if (shown && shown->looked_at > last_.looked_at) {
    last_.wal_end = shown->wal_end;
    last_.retained_bytes = shown->retained_bytes;
    last_.looked_at = shown->looked_at;
  }
  last_ = ViewOf(look, last_, now);
  ShowSlot(last_, clock, metrics, /*rests=*/status.activity == engine::Activity::kNone);
  if (look.wal_status != "lost" || (shown && shown->wal_status == "lost")) return;
  log::SetConnector(names.connector);
  log::Error("the replication slot is lost: the server has removed WAL that was not read",
             {{"slot", look.slot},
              {"reason", "slot_lost"},
              {"hint", engine::SlotHint("slot_lost", names, status.state)}});
  log::SetConnector("");
}

}  // namespace walduct::slot
