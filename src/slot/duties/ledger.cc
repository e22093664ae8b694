#include "slot/duties/ledger.h"

namespace walduct::slot {

Ledger::Members Ledger::One(const char* name, std::function<std::string()> json) {
  return [name, json = std::move(json)] {
    event::OffsetMembers members;
    if (std::string text = json(); !text.empty()) members.emplace(name, std::move(text));
    return members;
  };
}

event::OffsetMembers Ledger::At(uint64_t mark) {
  for (; !entries_.empty() && entries_.front().mark <= mark; entries_.pop_front())
    newest_[static_cast<size_t>(entries_.front().author)] = std::move(entries_.front().members);
  event::OffsetMembers all;
  for (const Members& members : newest_) {
    if (members) all.merge(members());
  }
  return all;
}

}  // namespace walduct::slot
