// Java's numbers under the names this room uses; see base/java_number.h.
#pragma once

#include "base/java_number.h"

namespace walduct::encode {

using walduct::AppendJavaDecimal;
using walduct::AppendJavaDouble;
using walduct::AppendJavaFloat;
using walduct::UnscaledDecimal;

}  // namespace walduct::encode
