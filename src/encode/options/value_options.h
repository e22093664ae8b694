// How values of PostgreSQL types are written.
#pragma once

#include <cstdint>

#include "encode/options/failure_mode.h"

namespace walduct::encode {

enum class DecimalMode { kPrecise, kDouble, kString };

enum class TimeMode {
  kAdaptive,
  kAdaptiveTimeMicroseconds,
  kConnect,
  kIsoString,
  kMicroseconds,
  kNanoseconds
};

enum class BinaryMode { kBytes, kBase64, kBase64UrlSafe, kHex };

struct ValueOptions {
  DecimalMode decimal = DecimalMode::kPrecise;
  TimeMode time = TimeMode::kAdaptive;
  BinaryMode binary = BinaryMode::kBytes;
  bool hstore_map = false;       // hstore.handling.mode=map
  bool interval_string = false;  // interval.handling.mode=string
  int32_t money_fraction_digits = 2;
  bool include_unknown = false;  // include.unknown.datatypes
  bool keep_lost = false;        // walduct.lost.values=keep
  FailureMode on_failure = FailureMode::kDefault;
};

}  // namespace walduct::encode
