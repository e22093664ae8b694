// Registries: the schema registries of a connector's converters.
#pragma once

#include <memory>

#include "event/schema_ids.h"

namespace walduct::slot {

// Null: the converter needs none. Both may be the same.
struct Registries {
  std::shared_ptr<event::SchemaIds> key, value;

  event::SchemaIdSources sources() const { return {key.get(), value.get()}; }
};

}  // namespace walduct::slot
