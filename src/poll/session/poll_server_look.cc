// PollSession: what the server says of itself, once a minute.
#include <optional>
#include <string>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "poll/rows/dead_rows.h"
#include "poll/session/poll_session.h"

namespace walduct::poll {
namespace {

constexpr absl::Duration kServerLook = absl::Minutes(1);
constexpr absl::Duration kSeldomServerLook = absl::Minutes(10);
constexpr double kFullQueue = 0.1;

void TellQueue(double used) {
  if (used < kFullQueue) return;
  log::Warn(
      "the server's queue of notifications fills: once full, every commit that notifies fails",
      {{"used", absl::StrCat(used)},
       {"hint", "end sessions that listen and are idle in a transaction"}});
}

}  // namespace

// A queue of notifications that was full once stays full, until somebody asks for its usage.
absl::Status PollSession::LookAtServer() {
  const absl::Duration now = parts_.attempt.world->clock().Monotonic();
  if (looks_ || asked_ != Asked::kNothing || now < server_looks_.next) return absl::OkStatus();
  looks_ = true;
  const absl::Cleanup looked = [this] { looks_ = false; };
  server_looks_.next = now + kServerLook;
  metrics::OutboxServerView view{.looked_at = now};
  absl::Status why;
  ASSIGN_OR_RETURN(
      const std::optional<postgres::Result> usage,
      AskBriefly({"SELECT pg_notification_queue_usage()", {}, postgres::OneRow(1)}, &why));
  double used = 0;
  if (usage && absl::SimpleAtod(usage->Get(0, 0), &used)) {
    view.queue_used = used;
    TellQueue(used);
  }
  ASSIGN_OR_RETURN(
      const std::optional<postgres::Result> answer,
      AskBriefly({DeadRowsSql(tables_), {}, postgres::OneRow(kDeadRowsColumns)}, &why));
  if (answer) {
    const DeadRows dead = ReadDeadRows(*answer);
    view.dead_rows = dead.rows;
    view.holder = dead.holder;
    view.release = dead.release;
    view.held = server_looks_.held_since.Of(dead, now);
  } else if (!why.ok()) {
    server_looks_.next = now + kSeldomServerLook;
    log::Warn("dead rows of outbox tables cannot be asked for: metrics lack them",
              {{"error", why.message()}, {"hint", ErrorHint(why)}});
  }
  if (metrics::HoldsDeadRows(view) && now >= server_looks_.next_word) {
    server_looks_.next_word = now + kSeldomServerLook;
    log::Warn(
        "dead rows of outbox tables are not vacuumed away: an old snapshot keeps them, and "
        "each claim walks over them",
        {{"rows", *view.dead_rows},
         {"by", view.holder},
         {"held_s", absl::ToInt64Seconds(view.held)},
         {"hint", view.release}});
  }
  parts_.attempt.metrics->outbox_server.Show(view);
  return absl::OkStatus();
}

}  // namespace walduct::poll
