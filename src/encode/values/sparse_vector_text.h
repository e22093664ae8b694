// pgvector's texts. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "encode/values/read_context.h"

namespace walduct::encode {

// The text up to the next comma or the end, taken off the front.
absl::string_view TakeItem(absl::string_view* text);

// `{index:value,…}/dimensions`: the index is Entry::hash, the value a place in the text.
bool ParseSparseVector(absl::string_view text, uint32_t* dimensions,
                       std::vector<Scratch::Entry>* entries);

// Dimensions and indexes are 16 bits in Debezium's schema.
bool FitsSparseSchema(uint32_t dimensions, const std::vector<Scratch::Entry>& entries);

// Debezium goes through a java.util.HashMap made for as many entries as there are: buckets in
// order, then order of insertion.
void SortAsSizedHashMap(std::vector<Scratch::Entry>* entries);

}  // namespace walduct::encode
