// Ledger: what is stored beside positions. Its authors write members, each replacing what it wrote
// before; a mark says which positions they go with. What is stored with a position is, of each
// author, the newest up to the position's mark. Data thread only.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "event/offset_members.h"

namespace walduct::slot {

class Ledger {
 public:
  enum class Author : uint8_t { kReadRecord, kIncremental, kNewTables, kTypes, kMasks };
  // Asked for when a position is stored; null: there are none.
  using Members = std::function<event::OffsetMembers()>;

  // One of that name; empty: it is not there.
  static Members One(const char* name, std::function<std::string()> json);

  // Goes with positions from here on: a new mark, which they are to have.
  uint64_t Append(Author author, Members members) {
    ++mark_;
    Add(author, std::move(members));
    return mark_;
  }
  // A new mark with nothing of its own: a position that gets it is stored again with what was added
  // since, though it has not moved.
  uint64_t Renew() { return ++mark_; }
  // Goes with those of the newest mark, those among them that are not stored yet.
  void Add(Author author, Members members) {
    entries_.push_back({mark_, author, std::move(members)});
  }

  // What goes with a position of that mark. Marks of later calls are not smaller: what was replaced
  // is dropped.
  event::OffsetMembers At(uint64_t mark);

 private:
  struct Entry {
    uint64_t mark;
    Author author;
    Members members;
  };
  uint64_t mark_ = 0;
  std::deque<Entry> entries_;  // by mark, ascending; not asked for yet
  std::array<Members, static_cast<size_t>(Author::kMasks) + 1> newest_;
};

}  // namespace walduct::slot
