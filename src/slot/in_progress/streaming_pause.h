// StreamingPause: up to where transactions must not be received while they are in progress. One for
// a connector, over all its attempts. Data thread only.
//
// A server does not say which sub-transaction of a transaction in progress wrote a logical message.
// So it is open whether a message was rolled back, and where it stands beside a row of another
// sub-transaction at the same LSN, which is not the same each time the server decodes them. A
// transaction with logical messages is therefore received again after its commit.
#pragma once

#include <algorithm>

#include "base/lsn.h"

namespace walduct::slot {

class StreamingPause {
 public:
  // The transaction that ends there.
  void Until(Lsn commit_end) { until_ = std::max(until_, commit_end); }
  // Whether a stream that begins at position meets it.
  bool Covers(Lsn position) const { return position < until_; }
  Lsn until() const { return until_; }

 private:
  Lsn until_;
};

}  // namespace walduct::slot
