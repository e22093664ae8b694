// A key as notifications tell it. Pure.
#pragma once

#include <string>
#include <vector>

#include "event/type.h"
#include "incremental/stored/stored_key.h"

namespace walduct::incremental {

// The first `columns` values as Java prints them, joined by commas; NULL: <null>. types: of the
// key's columns; where there is none, a value is as PostgreSQL prints it.
std::string KeyText(const Key& key, size_t columns,
                    const std::vector<std::shared_ptr<const event::Type>>& types);

}  // namespace walduct::incremental
