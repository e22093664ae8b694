// Kafka Connect's schemas under the names this room uses; see event/connect_schema.h.
#pragma once

#include "event/connect_schema.h"

namespace walduct::encode {

using event::ConnectDefault;
using event::ConnectField;
using event::ConnectSchema;
using event::ConnectSchemaPtr;
using event::ConnectType;
using event::Schema;
using event::Shared;

}  // namespace walduct::encode
