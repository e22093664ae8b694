// What a session tells with its positions of the tables that a snapshot has read, or has to read,
// and what an earlier one has told.
#include <string>
#include <utility>

#include "base/json_text.h"
#include "base/log.h"
#include "slot/phases/session.h"

namespace walduct::slot {
namespace {

// Connect takes only primitives in an offset.
std::string AsText(absl::string_view json) {
  std::string text;
  AppendJsonString(json, &text);
  return text;
}

// What an earlier attempt has read of the tables of a snapshot that was cut short, where that is of
// use: the slot, which stands at `start`, still has all changes since, on this server. Else a
// warning says why it is not.
snapshot::ReadTables ReadBefore(const std::optional<offset::StoredOffset>& stored,
                                const replication::SystemIdentity& system, Lsn start) {
  if (!stored || stored->position.snapshot != event::SnapshotPhase::kRunning) return {};
  const std::string& member = event::FindMember(stored->members, event::kReadMember);
  if (member.empty()) return {};
  const bool of_this_server =
      stored->system_identifier == system.system_identifier && stored->timeline == system.timeline;
  absl::StatusOr<snapshot::ReadTables> tables = snapshot::DecodeReadTables(member);
  if (of_this_server && start.valid() && start <= stored->position.commit_end && tables.ok())
    return *std::move(tables);
  log::Warn("the snapshot that was cut short cannot be gone on from and begins anew",
            {{"why", tables.ok() ? "the replication slot or the server is another one"
                                 : std::string(tables.status().message())}});
  return {};
}

}  // namespace

void Session::BuildReadRecord() {
  read_record_ = std::make_unique<snapshot::ReadRecord>(
      ReadBefore(prepared_.stored, prepared_.system, prepared_.start.commit_end));
  prepared_.source->KeepReadRecord(read_record_.get());
  nothing_read_ = KeepRead();
}

// What is read of the tables goes with positions from here on. Its text is long where there are
// many tables, and is made for those that are stored.
uint64_t Session::KeepRead() {
  read_kept_ = read_record_->size();
  const uint64_t mark = ledger_.Append(
      Ledger::Author::kReadRecord,
      Ledger::One(event::kReadMember, [record = read_record_.get(), size = read_kept_] {
        return AsText(record->TextAt(size));
      }));
  duties_->tracker().SetMark(mark);
  return mark;
}

// Before anything is read: where nobody creates the topic, no position moves on any more, and the
// next process would know nothing of it.
void Session::KeepDeletedTopics() {
  const std::optional<event::Position> at = stored();
  if (prepared_.deleted_topics.empty() || new_tables_ == nullptr || !at) return;
  duties_->tracker().SetMark(ledger_.Renew());
  duties_->tracker().Advance(*at);
  duties_->checkpointer().MakeDue();
}

}  // namespace walduct::slot
