#include "poll/position/server_now.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "offset/shared_name.h"

namespace walduct::poll {
namespace {

constexpr absl::string_view kResetWays =
    "walduct offsets reset, then all rows that the tables have are published again, or, with "
    "snapshot.mode=no_data, only those from now on";

absl::Status Lost(absl::string_view why, absl::string_view first = "") {
  return Error(absl::StatusCode::kFailedPrecondition, "outbox_position_lost",
               absl::StrCat("the stored position of the outbox tables is not of this server: ", why,
                            "; rows could be left out in silence"),
               absl::StrCat(first, kResetWays));
}

}  // namespace

void ServerNow::Put(offset::StoredOffset* stored) const {
  stored->timeline = timeline;
  stored->position.commit_end = flushed;
  stored->position.change_lsn = flushed;
  stored->system_identifier = system_identifier;
}

absl::StatusOr<ServerNow> ReadNow(const postgres::Result& answer) {
  ServerNow now{.snapshot = ReadableSnapshot(answer.Get(0, 0)),
                .system_identifier = std::string(answer.Get(0, 3))};
  const auto flushed = Lsn::Parse(answer.Get(0, 2)), written = Lsn::Parse(answer.Get(0, 4));
  if (!absl::SimpleHexAtoi(answer.Get(0, 1), &now.timeline) || !flushed.ok() || !written.ok())
    return Error(absl::StatusCode::kDataLoss, "malformed_answer",
                 "PostgreSQL does not say where its WAL ends", "");
  now.flushed = *flushed;
  now.written = *written;
  return now;
}

absl::Status CheckServer(const offset::StoredOffset& stored, const TablePositions& positions,
                         const ServerNow& now) {
  if (!stored.system_identifier.empty() && stored.system_identifier != now.system_identifier)
    return Lost(absl::StrCat("it is of server ", stored.system_identifier, ", this one is ",
                             now.system_identifier),
                absl::StrCat(offset::kSharedNameHint, "; else "));
  if (stored.timeline && *stored.timeline != now.timeline)
    return Lost(absl::StrCat("it is of timeline ", *stored.timeline, ", the server is on ",
                             now.timeline,
                             ": after a promotion transactions and ids are given "
                             "the numbers of those that were lost"));
  // A restored copy of its files has the same identifier and timeline.
  if (stored.position.commit_end > now.written)
    return Lost(absl::StrCat("it lies at ", stored.position.commit_end.ToString(),
                             " in the WAL, which ends at ", now.written.ToString()));
  for (const auto& [table, position] : positions) {
    const uint64_t end = std::max(EndOf(position.seen), EndOf(position.window));
    if (end > EndOf(now.snapshot))
      return Lost(
          absl::StrCat("it lies at transaction ", end, ", the server is at ", EndOf(now.snapshot)));
  }
  return absl::OkStatus();
}

}  // namespace walduct::poll
