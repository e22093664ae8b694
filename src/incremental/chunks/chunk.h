// A chunk: rows of one table in the order of a key, read in one view of the database.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/lsn.h"
#include "event/row.h"
#include "event/table_schema.h"
#include "incremental/signals/table_name.h"
#include "incremental/stored/stored_key.h"

namespace walduct::incremental {

// One entry of the queue.
struct TableRequest {
  TableId table;
  std::optional<std::string> condition = {};      // SQL
  std::optional<std::string> surrogate_key = {};  // a column to walk by
  // As it stands in a position; EncodeState makes it once: the others are stored with each table.
  mutable std::string stored = {};
};

struct ChunkRequest {
  TableRequest table;
  std::optional<Key> after = {};    // absent: from the beginning
  std::optional<Key> maximum = {};  // absent: to be found out
  int most_rows = 0;
  // Of the chunk before: see there.
  std::string storage = {};
  bool by_place = false;
  // Of a chunk that ended at `end` these rows only, those that are still there; empty: all.
  std::vector<std::string> places = {};
  std::optional<Key> end = {};
};

// A row of its own: its texts one behind the other.
struct ChunkRow {
  static constexpr uint32_t kNull = UINT32_MAX;
  static constexpr uint32_t kNotRead = UINT32_MAX - 1;

  std::string bytes;
  std::vector<uint32_t> sizes;  // of each column

  void Add(bool null, absl::string_view text) {
    sizes.push_back(null ? kNull : static_cast<uint32_t>(text.size()));
    if (!null) bytes.append(text.data(), text.size());
  }
  // Of a column that no record has.
  void AddNotRead() { sizes.push_back(kNotRead); }
  void View(std::vector<event::Value>* values) const {
    values->clear();
    const char* at = bytes.data();
    for (const uint32_t size : sizes) {
      if (size >= kNotRead) {
        values->push_back(size == kNull ? event::Value::Null()
                                        : event::Value{nullptr, 0, event::ValueKind::kAbsent});
        continue;
      }
      values->push_back(event::Value::Text({at, size}));
      at += size;
    }
  }
};

// Transactions that may have been streamed before other sessions see them (HeldCommits).
struct HeldTransactions {
  std::vector<uint32_t> xids;
  bool unknown = false;  // of one of them our role may not know whether it is only open
};

// A transaction that the stream tells of.
struct Teller {
  uint32_t xid = 0;
  Lsn commit;  // where its commit record lies
};

// A view of the database: transactions that it does not show.
struct TransactionView {
  std::vector<uint64_t> running = {};
  uint64_t next_xid = 0;  // nor those that began here and later; 0: not known
  uint64_t oldest = 0;    // of those that run: what is before it is over; 0: not known
  // Nobody was open who had written to that table, before the view was taken; 0: to none is known.
  // quiet_oldest: of those that ran when it was begun to look for them.
  Oid quiet{};
  uint64_t quiet_oldest = 0;
  // It is over, and so is whoever may have written to the table before it was. False where that is
  // not certain.
  bool IsBehind(uint64_t xid, Oid table) const {
    return quiet == table && quiet != Oid{} && xid < quiet_oldest;
  }
  // Of a transaction whose commit was streamed; numbers wrap around.
  bool Hides(uint32_t xid) const;

  HeldTransactions held = {};  // when it was taken
  // The first of them that it does not show; 0: none.
  uint32_t HiddenHeld() const;
};

struct Chunk : TransactionView {
  enum class Outcome : uint8_t {
    kRead,     // also without rows: the table's end
    kEmpty,    // the table has no row that is asked for
    kNoKey,    // nothing to walk by
    kUnknown,  // there is no such table, or it is not captured
    kFailed,   // error
  };
  Outcome outcome = Outcome::kRead;
  absl::Status error;
  event::TableSchemaPtr schema;      // that the rows have
  std::vector<uint16_t> record_key;  // columns of the records' key; empty: none
  std::vector<uint16_t> shown;       // of the key that the table is walked by
  std::optional<Key> maximum;        // of `shown`
  std::optional<Key> end;            // of the last row, with what tells equal keys apart
  std::vector<ChunkRow> rows;
  // Of rows without a key, where each stands and who wrote it: "(12,3) 745". Empty: not known.
  std::vector<std::string> places;
  // Names the table's files while places are known: a rewrite gives the rows others.
  std::string storage;
  // The table has no key: it is walked by the blocks of its files, and the three keys are places,
  // "(12,3)". `shown` is empty.
  bool by_place = false;
  bool anew = false;  // it is the first one again: the request's bounds were of another walk
  std::optional<uint64_t> estimated_rows;  // of the whole table; absent: not known
  // Without watermarks only: what it shows was written before `seen`; before the view was taken the
  // WAL ended at `taken_at`.
  Lsn seen;
  Lsn taken_at;
  // It has what that transaction did: a row of it is as new as what the stream tells, or newer.
  bool Shows(const Teller& teller) const {
    return teller.commit.valid() && teller.commit < taken_at && !Hides(teller.xid);
  }
};

}  // namespace walduct::incremental
