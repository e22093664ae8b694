// StreamedHistory: what a server would send of a random history of transactions, once with protocol
// 1 and once with protocol 2 and streaming, with its memory of the relations it has announced
// (RelationSyncEntry of pgoutput.c).
#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/pgoutput_builder.h"

namespace walduct::test {

struct SentMessage {
  uint64_t lsn = 0;
  std::string payload;
};

class StreamedHistory {
 public:
  StreamedHistory(uint32_t seed, int steps) : random_(seed) {
    for (int i = 0; i < steps; ++i) Step();
    while (!open_.empty()) Commit(open_.begin()->first);
  }
  const std::vector<SentMessage>& plain() const { return plain_.sent; }
  const std::vector<SentMessage>& streamed() const { return streaming_.sent; }
  int blocks() const { return blocks_; }

 private:
  static constexpr uint32_t kTables = 3;
  static constexpr int64_t kTimeUs = 1'795'224'383'000'000;

  struct Change {
    uint64_t lsn = 0;
    uint32_t xid = 0;  // of the sub-transaction
    char kind = 'I';
    uint32_t table = 0;
    size_t columns = 1;  // of the table as it was
  };
  struct Transaction {
    std::vector<uint32_t> stack;  // the present sub-transaction and those around it
    std::map<uint32_t, std::vector<uint32_t>> children;
    std::vector<Change> changes;   // not rolled back
    std::vector<Change> unsent;    // of these, not streamed
    std::set<uint32_t> sent_xids;  // with changes in blocks
    bool is_streamed = false, has_origin = false;
  };
  struct Announced {
    size_t columns = 0;  // as of the description that the entry stands for
    bool sent = false;
    std::set<uint32_t> streamed;
  };
  // One walsender.
  struct Sender {
    std::vector<SentMessage> sent;
    std::map<uint32_t, Announced> relations;

    void Forget(uint32_t xid, bool committed) {
      for (auto& [table, relation] : relations) {
        if (relation.streamed.erase(xid) > 0 && committed) relation.sent = true;
      }
    }
  };

  uint32_t Dice(uint32_t sides) { return static_cast<uint32_t>(random_() % sides); }
  uint64_t NextLsn() { return lsn_ += 8 + Dice(100); }

  void Step() {
    const uint32_t roll = Dice(30);
    if (open_.empty() || (roll < 3 && open_.size() < 4)) return Begin();
    auto chosen = open_.begin();
    std::advance(chosen, Dice(static_cast<uint32_t>(open_.size())));
    auto& [top, transaction] = *chosen;
    if (roll < 15) return Write(transaction);
    if (roll < 18) return Savepoint(transaction);
    if (roll < 20) return Release(transaction);
    if (roll < 22) return RollBackTo(top, transaction);
    if (roll < 25) return Stream(top, transaction);
    if (roll == 25) return Redefine();
    if (roll == 26) return Talk();
    if (roll == 27) return RollBack(top, transaction);
    if (roll > 27) Commit(top);
  }
  void Begin() {
    const uint32_t xid = ++xid_;
    open_[xid].stack = {xid};
    open_[xid].has_origin = Dice(5) == 0;
  }
  void Write(Transaction& transaction) {
    const uint32_t kind = Dice(12);
    Change change = {.lsn = NextLsn(), .xid = transaction.stack.back(), .table = Dice(kTables)};
    change.columns = columns_[change.table];
    if (kind == 0) change.kind = 'T';
    for (uint32_t i = 0; i <= Dice(3); ++i) {
      transaction.changes.push_back(change);
      transaction.unsent.push_back(change);
      if (Dice(2) == 0) change.lsn = NextLsn();  // rows of one COPY share it
    }
  }
  void Savepoint(Transaction& transaction) {
    if (transaction.stack.size() > 3) return;
    transaction.children[transaction.stack.back()].push_back(++xid_);
    transaction.stack.push_back(xid_);
  }
  static void Release(Transaction& transaction) {
    if (transaction.stack.size() > 1) transaction.stack.pop_back();
  }
  void RollBackTo(uint32_t top, Transaction& transaction) {
    if (transaction.stack.size() == 1) return;
    const uint32_t lost = transaction.stack.back();
    transaction.stack.pop_back();
    DropAll(top, transaction, lost);
  }
  // As DecodeAbort: the children first, a message for each that was streamed.
  void DropAll(uint32_t top, Transaction& transaction, uint32_t xid) {
    for (const uint32_t child : transaction.children[xid]) DropAll(top, transaction, child);
    const auto is_lost = [xid](const Change& change) { return change.xid == xid; };
    for (auto* changes : {&transaction.changes, &transaction.unsent})
      changes->erase(std::remove_if(changes->begin(), changes->end(), is_lost), changes->end());
    if (transaction.sent_xids.erase(xid) == 0) return;
    streaming_.sent.push_back({NextLsn(), StreamAbortBytes(top, xid)});
    streaming_.Forget(top, false);
  }
  void RollBack(uint32_t top, Transaction& transaction) {
    if (transaction.is_streamed) {
      for (const uint32_t child : transaction.children[top]) DropAll(top, transaction, child);
      streaming_.sent.push_back({NextLsn(), StreamAbortBytes(top, top)});
      streaming_.Forget(top, false);
    }
    open_.erase(top);
  }
  // A change that takes no lock on the table.
  void Redefine() { columns_[Dice(kTables)] = 1 + Dice(4); }
  // Outside of transactions.
  void Talk() {
    const uint64_t lsn = NextLsn();
    for (Sender* sender : {&plain_, &streaming_})
      sender->sent.push_back({lsn, MessageBytes({false, lsn, "out", absl::StrCat(lsn)})});
  }

  void Stream(uint32_t top, Transaction& transaction) {
    if (transaction.unsent.empty()) return;
    ++blocks_;
    auto& sent = streaming_.sent;
    const bool first = !transaction.is_streamed;
    const uint64_t lsn = transaction.unsent.front().lsn;
    const bool tells_origin = first && transaction.has_origin;
    sent.push_back({tells_origin ? 0 : lsn, StreamStartBytes(top, first)});
    if (tells_origin) sent.push_back({lsn, OriginBytes(0, "elsewhere")});
    for (const Change& change : transaction.unsent) {
      Send(streaming_, change, change.xid, top);
      transaction.sent_xids.insert(change.xid);
    }
    sent.push_back({transaction.unsent.back().lsn, StreamStopBytes()});
    transaction.is_streamed = true;
    transaction.unsent.clear();
  }
  void Commit(uint32_t top) {
    Transaction& transaction = open_[top];
    const uint64_t commit = NextLsn();
    const uint64_t end = NextLsn();
    SendWhole(plain_, top, transaction, commit, end);
    if (transaction.is_streamed) {
      Stream(top, transaction);
      streaming_.sent.push_back({end, StreamCommitBytes(top, commit, end, kTimeUs + top)});
      streaming_.Forget(top, true);
    } else {
      SendWhole(streaming_, top, transaction, commit, end);
    }
    open_.erase(top);
  }
  // Nothing of an empty transaction, as PostgreSQL 15 and later.
  static void SendWhole(Sender& sender, uint32_t top, const Transaction& transaction,
                        uint64_t commit, uint64_t end) {
    if (transaction.changes.empty()) return;
    const uint64_t lsn = transaction.changes.front().lsn;
    sender.sent.push_back(
        {transaction.has_origin ? 0 : lsn, BeginBytes(commit, kTimeUs + top, top)});
    if (transaction.has_origin) sender.sent.push_back({lsn, OriginBytes(0, "elsewhere")});
    for (const Change& change : transaction.changes) Send(sender, change, {}, {});
    sender.sent.push_back({end, CommitBytes(commit, end, kTimeUs + top)});
  }
  static void Send(Sender& sender, const Change& change, OptionalXid xid, OptionalXid top) {
    const uint32_t oid = 16384 + change.table;
    Announced& relation = sender.relations[change.table];
    if (relation.columns != change.columns)
      relation = {.columns = change.columns, .sent = false, .streamed = {}};
    const bool known = top ? relation.streamed.count(*top) > 0 : relation.sent;
    if (!known) {
      RelationSpec spec = {.oid = oid, .table = absl::StrCat("t", change.table), .columns = {}};
      for (size_t i = 0; i < change.columns; ++i)
        spec.columns.push_back({.name = absl::StrCat("c", change.columns, i), .key = i == 0});
      if (!spec.columns.empty()) sender.sent.push_back({0, TypeBytes(1, "public", "x", xid)});
      sender.sent.push_back({0, RelationBytes(spec, xid)});
      if (top) {
        relation.streamed.insert(*top);
      } else {
        relation.sent = true;
      }
    }
    Cells row;
    for (size_t i = 0; i < change.columns; ++i) row.push_back(Text(absl::StrCat(change.lsn, i)));
    sender.sent.push_back({change.lsn, change.kind == 'T' ? TruncateBytes({oid}, 0, xid)
                                                          : InsertBytes(oid, row, xid)});
  }

  std::mt19937 random_;
  uint64_t lsn_ = 0x1000;
  uint32_t xid_ = 700;
  int blocks_ = 0;
  std::map<uint32_t, size_t> columns_ = {{0, 1}, {1, 2}, {2, 3}};
  std::map<uint32_t, Transaction> open_;
  Sender plain_, streaming_;
};

}  // namespace walduct::test
