// What a value that cannot be written leads to.
#pragma once

namespace walduct::encode {

// event.converting.failure.handling.mode.
enum class FailureMode {
  // not set: null for what no schema can express, a stop for what only walduct cannot read
  kDefault,
  kNull,  // warn or skip: null where that is possible
  kStop,  // fail
};

}  // namespace walduct::encode
