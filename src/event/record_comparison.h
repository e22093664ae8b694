// RecordComparison: are two rows the same once they are published? The text of a column can differ
// where its published value does not: 1.0 and 1.00 as a decimal, a masked column. Known to the
// encoder, asked by the router.
#pragma once

#include "event/emission.h"

namespace walduct::event {

class RecordComparison {
 public:
  virtual ~RecordComparison() = default;
  // Of an update that carries both rows. Emissions as the router would publish them; values that
  // cannot be written count as different, so that writing them tells the error. In an old row that
  // is not sure to be whole, a value that was not sent is not like NULL.
  virtual bool SameKey(const Emission& emission) = 0;
  virtual bool SameValue(const Emission& emission) = 0;
};

}  // namespace walduct::event
