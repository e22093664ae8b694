// Hashes that Debezium's PartitionRouting takes of values. Pure.
#pragma once

#include <cstdint>

#include "event/connect_schema.h"
#include "event/scalar.h"

namespace walduct::transform {

// Object.hashCode of the value as Kafka Connect holds it. False: arrays, structs and maps.
bool JavaHash(const event::Scalar& value, const event::ConnectSchema& schema, int32_t* hash);

// The early MurmurHash3 for 64 bits with seed 9001: of a text its UTF-8, of anything else its
// hashCode.
bool MurmurHash(const event::Scalar& value, const event::ConnectSchema& schema, int32_t* hash);

}  // namespace walduct::transform
