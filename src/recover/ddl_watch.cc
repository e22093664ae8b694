#include "recover/ddl_watch.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace walduct::recover {
namespace {

// Of transactions.
constexpr uint8_t kOperation = 0x70, kHasInfo = 0x80;
constexpr uint8_t kCommit = 0x00, kPrepare = 0x10, kAbort = 0x20, kCommitPrepared = 0x30,
                  kAbortPrepared = 0x40;
// Of rows.
constexpr uint8_t kInsert = 0x00, kDelete = 0x10, kUpdate = 0x20, kTruncate = 0x30,
                  kUpdateInPage = 0x40, kInsertMany = 0x50;
// Of the resource manager Standby.
constexpr uint8_t kLocks = 0x00, kListsTransactions = 0x10;
constexpr size_t kLockBytes = 12, kNextXidAt = 12, kOldestAt = 16;

// Rows of catalogs are not decoded. One that has got another file is taken for a table.
bool WritesRows(const WalRecord& record) {
  const auto operation = static_cast<uint8_t>(record.kind() & kOperation);
  if (record.manager() == kManagerHeap2)
    return operation == kInsertMany && record.relation >= kFirstOidOfUsers;
  switch (operation) {
    case kInsert:
    case kDelete:
    case kUpdate:
    case kUpdateInPage:
      return record.relation >= kFirstOidOfUsers;
    default:
      return operation == kTruncate;
  }
}

}  // namespace

void DdlWatch::OnBegun(Xid xid) {
  if (next_ && xid != Xid(0) && IsAtLeast(xid, *next_)) next_ = Xid(ToInteger(xid) + 1);
}

void DdlWatch::OnRecord(const WalRecord& record) {
  OnBegun(record.xid());
  switch (record.manager()) {
    case kManagerXact:
      return OnTransaction(record);
    case kManagerStandby:
      return OnStandby(record);
    case kManagerHeap:
    case kManagerHeap2:
      if (record.xid() == wrote_last_ || !WritesRows(record)) return;
      wrote_last_ = record.xid();
      wrote_.insert(wrote_last_);
      return;
    default:
      return;
  }
}

void DdlWatch::OnStandby(const WalRecord& record) {
  const absl::string_view data = record.data();
  if (record.kind() == kListsTransactions && data.size() >= kNextXidAt + sizeof(Xid)) {
    const auto next = Xid(At<uint32_t>(data, kNextXidAt));
    if (!begun_from_) begun_from_ = next;
    if (!next_ || IsAtLeast(next, *next_)) next_ = next;
    // Those that a crash has ended have no record of it.
    if (data.size() >= kOldestAt + sizeof(Xid)) {
      const auto oldest = Xid(At<uint32_t>(data, kOldestAt));
      absl::erase_if(lock_catalogs_, [oldest](Xid xid) { return !IsAtLeast(xid, oldest); });
    }
  }
  if (record.kind() != kLocks) return;
  for (size_t at = sizeof(uint32_t); at + kLockBytes <= data.size(); at += kLockBytes) {
    if (At<uint32_t>(data, at + 8) < kFirstOidOfUsers)
      lock_catalogs_.insert(Xid(At<uint32_t>(data, at)));
  }
}

// Until there is a list of those that run, which follows on their locks, one may have one from
// before. A commit that speaks of a catalog is taken for one that has.
bool DdlWatch::HoldsCatalogs(const CommitRecord& commit) const {
  return !lock_catalogs_.empty() || (commit.of_catalogs && !begun_from_);
}

void DdlWatch::Unlock(Xid xid, const CommitRecord& commit) {
  if (lock_catalogs_.empty()) return;
  lock_catalogs_.erase(xid);
  lock_catalogs_.erase(commit.prepared);
  for (const Xid sub : commit.subtransactions) lock_catalogs_.erase(sub);
}

// Those of a transaction that was prepared may have come then, or come now.
bool DdlWatch::MayHaveRows(Xid xid, const CommitRecord& commit) const {
  if (commit.prepared != Xid(0) || !begun_from_ || !IsAtLeast(xid, *begun_from_)) return true;
  const auto wrote = [this](Xid one) { return wrote_.contains(one); };
  return wrote(xid) ||
         std::any_of(commit.subtransactions.begin(), commit.subtransactions.end(), wrote);
}

void DdlWatch::OnTransaction(const WalRecord& record) {
  const bool has_info = (record.kind() & kHasInfo) != 0;
  switch (record.kind() & kOperation) {
    case kPrepare:
      rows_to_ = record.end;
      return;
    case kAbort:
    case kAbortPrepared:
      return Unlock(record.xid(), ReadCommit(record.data(), has_info, major_));
    case kCommit:
    case kCommitPrepared: {
      const CommitRecord commit = ReadCommit(record.data(), has_info, major_);
      if (commit.alters && !HoldsCatalogs(commit)) {
        commits_.push_back({.begin = record.before,
                            .stop = std::max(record.before, segment_begin_),
                            .database = commit.database,
                            .rows_to = rows_to_,
                            .enough = rows_to_ > segment_begin_ ? rows_to_ : record.before});
      }
      Unlock(record.xid(), commit);
      if (MayHaveRows(record.xid(), commit)) rows_to_ = record.end;
      return;
    }
    default:
      return;
  }
}

}  // namespace walduct::recover
