// What a read of the tables against their topics has found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/lsn.h"

namespace walduct::recover {

struct TopicReport {
  std::string topic;
  uint64_t equal = 0;
  uint64_t different = 0;
  uint64_t added = 0;      // rows that the topic does not have
  uint64_t gone = 0;       // keys of the topic without a row
  uint64_t later = 0;      // changed while it was read: not judged
  uint64_t unwritten = 0;  // of `gone`: no delete of it can be made
  uint64_t expired = 0;    // records that the topic had once
  std::string no_deletes;  // why keys without a row are not told; empty: they are
  std::vector<std::string> examples;

  uint64_t differs() const { return different + added + gone; }
};

struct ReadReport {
  struct LeftOut {
    std::string table, why;
  };
  std::vector<TopicReport> topics;
  std::vector<LeftOut> left_out;
  uint64_t rows = 0;
  uint64_t keyless = 0;  // records of topics, and rows, without a key
  uint64_t shared = 0;   // rows that have a key that another row has
  Lsn at;                // the view of the database
  Lsn missed_from;       // what nobody has streamed: from there to `at`; 0/0: nothing
  bool done = false;

  uint64_t differs() const {
    uint64_t sum = 0;
    for (const TopicReport& topic : topics) sum += topic.differs();
    return sum;
  }
};

}  // namespace walduct::recover
