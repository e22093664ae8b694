// DdlWatch: the transactions of one segment, a record at a time: before which commits replay is to
// stop so that whoever reads a catalog for the rows before them does not see what they change.
//
// Not thread-safe.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "base/lsn.h"
#include "recover/commit_record.h"
#include "recover/wal_record.h"

namespace walduct::recover {

// A commit that changes what a catalog says of a row's table.
struct DdlCommit {
  Lsn begin;  // where the record before it ends
  Lsn stop;   // where replay stops before it: there, or at the begin of the segment it ends in
  uint32_t database = 0;
  Lsn rows_to;  // what was committed from there on, and before it, has no rows
  Lsn enough;   // who has confirmed that much has read all rows before it
};

class DdlWatch {
 public:
  // begun_from: transactions from that number on have begun in this segment; absent: not known.
  // lock_catalogs: those that have one locked where it begins.
  DdlWatch(int major, Lsn segment_begin, std::optional<Xid> begun_from,
           const std::vector<Xid>& lock_catalogs)
      : major_(major),
        segment_begin_(segment_begin),
        begun_from_(begun_from),
        next_(begun_from),
        lock_catalogs_(lock_catalogs.begin(), lock_catalogs.end()),
        rows_to_(segment_begin) {}

  void OnRecord(const WalRecord& record);
  // Of the record that the segment ends in.
  void OnBegun(Xid xid);

  std::vector<DdlCommit> TakeCommits() { return std::move(commits_); }
  // As begun_from for the segment that follows.
  std::optional<Xid> next() const { return next_; }
  // As lock_catalogs for it.
  std::vector<Xid> lock_catalogs() const { return {lock_catalogs_.begin(), lock_catalogs_.end()}; }

 private:
  void OnTransaction(const WalRecord& record);
  void OnStandby(const WalRecord& record);
  bool HoldsCatalogs(const CommitRecord& commit) const;
  void Unlock(Xid xid, const CommitRecord& commit);
  bool MayHaveRows(Xid xid, const CommitRecord& commit) const;

  const int major_;
  const Lsn segment_begin_;
  std::optional<Xid> begun_from_, next_;
  absl::flat_hash_set<Xid> wrote_;  // transactions with rows here
  Xid wrote_last_{};
  // Transactions that have a catalog locked, as VACUUM FULL has: replay that stops has the lock,
  // too, and nobody gets a session.
  absl::flat_hash_set<Xid> lock_catalogs_;
  Lsn rows_to_;
  std::vector<DdlCommit> commits_;
};

}  // namespace walduct::recover
