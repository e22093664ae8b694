// ValueMask: what a mask of a column does to its values; see readers/mask_readers.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "encode/values/value_plan.h"

namespace walduct::encode {

class TextHash;

struct ValueMask {
  ValuePlan inner;                 // reads the value before the mask
  std::string stars;               // kStars
  uint32_t length = 0;             // cut: at most; hash: digits at most
  std::shared_ptr<TextHash> hash;  // belongs to the thread that writes values
};

}  // namespace walduct::encode
