// Where an LSN lies: before a connector, on its way, or behind it. Pure text over facts.
#pragma once

#include <optional>
#include <string>

#include "base/lsn.h"

namespace walduct::operate {

struct LsnTransaction {
  Xid xid = {};
  std::string record;         // "Heap INSERT"
  std::optional<Lsn> commit;  // the end of its commit; absent: not found (yet), or rolled back
};

// What is not known is absent.
struct LsnFacts {
  Lsn lsn = {};
  std::optional<Lsn> wal_end = {};    // of the server
  std::optional<Lsn> received = {};   // by the running process
  std::optional<Lsn> stored = {};     // every transaction that ends there or before is published
  std::optional<Lsn> confirmed = {};  // by the slot
  std::optional<Lsn> kept_from = {};  // the oldest WAL that the slot keeps
  std::optional<LsnTransaction> transaction = {};
};

// Lines: the place in one word and what it means, then the figures.
std::string ExplainLsn(const LsnFacts& asked);

}  // namespace walduct::operate
