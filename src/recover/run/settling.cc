#include "recover/run/settling.h"

namespace walduct::recover {
namespace {

// A slot that is going to follow has by then.
constexpr absl::Duration kSettled = absl::Seconds(2);

}  // namespace

// A transaction that is open holds the slot's catalog_xmin back, and would for ever hold up replay,
// which has its end. What the connector asks the catalog may wait for a lock that replay has, until
// the very commit that replay is stopped before.
bool Settling::LetsGo(const GateNotes& notes, const HowFar& how_far, uint64_t events,
                      absl::Duration now) {
  const bool passed = notes.cut && how_far.confirmed > notes.cut->over;
  const bool xmin = notes.waits_for == "catalog_xmin" && passed;
  const bool ddl = notes.waits_for == "confirmed" && notes.cut && notes.cut->ddl && !passed &&
                   notes.cut->end > how_far.settled_to;
  if (!xmin && !ddl) {
    wait_.reset();
    return false;
  }
  // Where only catalog_xmin is waited for the slot goes on.
  const Wait wait =
      xmin ? Wait{notes.cut->end, Lsn(), 0} : Wait{notes.cut->end, how_far.confirmed, events};
  if (wait_ != wait) {
    wait_ = wait;
    since_ = now;
  }
  if (now - since_ < (xmin ? kSettled : kSlotPatience)) return false;
  wait_.reset();
  return true;
}

}  // namespace walduct::recover
