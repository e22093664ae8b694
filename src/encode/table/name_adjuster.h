// Names made fit for Avro under the names this room uses; see config/options/name_adjuster.h.
#pragma once

#include "config/options/name_adjuster.h"

namespace walduct::encode {

using config::AdjustFieldName;
using config::AdjustSchemaName;

}  // namespace walduct::encode
