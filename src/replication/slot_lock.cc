#include "replication/slot_lock.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "postgres/oid_text.h"
#include "replication/session_names.h"
#include "replication/slot.h"

namespace walduct::replication {
namespace {

// A client's machine that vanished is noticed within a minute, also while its session is idle.
constexpr absl::string_view kTake = R"(
SELECT pg_catalog.set_config('tcp_keepalives_idle', '15', false),
  pg_catalog.set_config('tcp_keepalives_interval', '5', false),
  pg_catalog.set_config('tcp_keepalives_count', '4', false),
  pg_catalog.pg_try_advisory_lock()";
enum { kTaken = 3 };
// A session just closed may have it for a moment.
constexpr absl::string_view kPause = "SELECT pg_catalog.pg_sleep(0.1)";
constexpr int kAttempts = 5;

constexpr absl::string_view kHolder = R"(
SELECT l.pid, coalesce(a.application_name, ''),
  coalesce(pg_catalog.host(a.client_addr), 'not known')
FROM pg_catalog.pg_locks l LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
WHERE l.granted AND l.locktype = 'advisory' AND l.objsubid = 1
  AND l.database = (SELECT oid FROM pg_catalog.pg_database
                    WHERE datname = pg_catalog.current_database())
  AND (l.classid::pg_catalog.int8 << 32 | l.objid::pg_catalog.int8) = )";

struct Holder {
  int pid = 0;  // 0: nobody has the lock
  std::string application = {};
  std::string text;
};

absl::StatusOr<Holder> FindHolder(postgres::Connection& sql, absl::string_view slot_name) {
  constexpr absl::Duration kTimeout = absl::Seconds(1);
  ASSIGN_OR_RETURN(const postgres::Result result,
                   sql.QueryWithin(kTimeout, postgres::Rows(3),
                                   absl::StrCat(kHolder, "(", SlotLockKey(slot_name), ")")));
  if (result.rows() == 0) return Holder();
  return Holder{.pid = postgres::ParseInt(result.Get(0, 0), 0),
                .application = std::string(result.Get(0, 1)),
                .text = absl::StrCat("pid ", result.Get(0, 0), ", application ",
                                     postgres::QuoteIdentifier(result.Get(0, 1)), ", client ",
                                     result.Get(0, 2))};
}

absl::Status HeldBy(const Holder& holder, absl::string_view slot_name) {
  return Error(
      absl::StatusCode::kUnavailable, "slot_held",
      absl::StrCat("another instance works on replication slot ",
                   postgres::QuoteIdentifier(slot_name), " (",
                   holder.pid == 0 ? "it has just ended" : holder.text,
                   "): it takes a snapshot, or is about to stream"),
      "nothing to do if this one is to take over when the other ends; else stop one of the "
      "two, or give each connector its own slot.name. To end a session that nobody owns any "
      "more: SELECT pg_terminate_backend(PID)");
}

absl::Status Held(postgres::Connection& sql, absl::string_view slot_name) {
  ASSIGN_OR_RETURN(const auto slot, InspectSlot(sql, slot_name));
  if (slot && slot->active) RETURN_IF_ERROR(CheckSlotUsable(sql, slot_name, *slot));
  ASSIGN_OR_RETURN(const Holder holder, FindHolder(sql, slot_name));
  return HeldBy(holder, slot_name);
}

}  // namespace

// FNV-1a: the same everywhere, for ever.
int64_t SlotLockKey(absl::string_view slot_name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : absl::StrCat("walduct slot ", slot_name)) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return static_cast<int64_t>(hash);
}

absl::StatusOr<bool> TakeSlotLock(postgres::Connection& replication, postgres::Connection& sql,
                                  absl::string_view slot_name) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (attempt > 0) RETURN_IF_ERROR(sql.Run(kPause));
    const auto taken = replication.Query(postgres::OneRow(kTaken + 1),
                                         absl::StrCat(kTake, SlotLockKey(slot_name), ")"));
    if (absl::IsPermissionDenied(taken.status()) || absl::IsUnimplemented(taken.status())) {
      log::Warn(
          "the slot cannot be locked: two instances that are started at once may both take the "
          "snapshot",
          {{"error", std::string(taken.status().message())},
           {"hint", "GRANT EXECUTE ON FUNCTION pg_catalog.pg_try_advisory_lock(bigint)"}});
      return false;
    }
    RETURN_IF_ERROR(taken.status());
    if (taken->Get(0, kTaken) == "t") return true;
  }
  return Held(sql, slot_name);
}

absl::StatusOr<bool> WorksOnSlot(postgres::Connection& sql, absl::string_view slot_name,
                                 absl::string_view own_application) {
  ASSIGN_OR_RETURN(const auto slot, InspectSlot(sql, slot_name));
  if (slot && slot->active) return false;
  ASSIGN_OR_RETURN(const Holder holder, FindHolder(sql, slot_name));
  if (holder.pid == 0) return false;
  if (!SameSession(own_application, holder.application)) return HeldBy(holder, slot_name);
  return true;
}

absl::Status CheckSlotLock(postgres::Connection& sql, absl::string_view slot_name, int own_pid) {
  ASSIGN_OR_RETURN(const Holder holder, FindHolder(sql, slot_name));
  if (holder.pid == own_pid) return absl::OkStatus();
  const std::string slot = absl::StrCat("replication slot ", postgres::QuoteIdentifier(slot_name));
  if (holder.pid == 0) {
    return Error(absl::StatusCode::kUnavailable, "slot_released",
                 absl::StrCat(slot, " was released"));
  }
  return Error(absl::StatusCode::kFailedPrecondition, "slot_taken_over",
               absl::StrCat(slot, " was taken over by another process (", holder.text, ")"),
               "the other process publishes the changes now; stop one of the two before this one "
               "is started again");
}

}  // namespace walduct::replication
