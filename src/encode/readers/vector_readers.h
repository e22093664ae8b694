// pgvector: vector and halfvec `[x,y,…]`, sparsevec `{index:x,…}/dimensions`.
#pragma once

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "encode/formats/value_writer.h"
#include "encode/readers/read_value.h"
#include "encode/readers/scalar_readers.h"
#include "encode/values/read_context.h"
#include "encode/values/sparse_vector_text.h"
#include "encode/values/value_plan.h"

namespace walduct::encode {

template <typename Writer>
Outcome ReadItems(absl::string_view text, Reader<Writer> read_item, const ValuePlan& plan,
                  ReadContext* context, Writer* out) {
  if (!absl::ConsumePrefix(&text, "[") || !absl::ConsumeSuffix(&text, "]"))
    return Outcome::kMalformed;
  out->BeginArray();
  bool more = !text.empty();
  for (size_t i = 0; more; ++i) {
    out->Item(i, Need::kRequired);
    const Outcome outcome = read_item(TakeItem(&text), plan, context, out);
    if (outcome != Outcome::kOk) return outcome;
    more = absl::ConsumePrefix(&text, ",");
  }
  out->EndArray();
  return Outcome::kOk;
}

template <typename Writer>
Outcome ReadVector(absl::string_view text, const ValuePlan& plan, ReadContext* context,
                   Writer* out) {
  return ReadItems(text, ReadDouble<Writer>, plan, context, out);
}

template <typename Writer>
Outcome ReadHalfVector(absl::string_view text, const ValuePlan& plan, ReadContext* context,
                       Writer* out) {
  return ReadItems(text, ReadFloat<Writer>, plan, context, out);
}

// A struct of the dimensions and a map from index to value.
template <typename Writer>
Outcome ReadSparseVector(absl::string_view text, const ValuePlan& plan, ReadContext* context,
                         Writer* out) {
  uint32_t dimensions = 0;
  std::vector<Scratch::Entry>* entries = &context->scratch->entries;
  if (!ParseSparseVector(text, &dimensions, entries)) return Outcome::kMalformed;
  if (!FitsSparseSchema(dimensions, *entries)) return Outcome::kNoRoom;
  SortAsSizedHashMap(entries);
  out->BeginStruct();
  out->Field(0, "dimensions", Need::kRequired);
  out->Integer(dimensions);
  out->Field(1, "vector", Need::kRequired);
  out->BeginMap(MapKeys::kIntegers);
  for (size_t i = 0; i < entries->size(); ++i) {
    const Scratch::Entry& entry = (*entries)[i];
    out->Key(i, MapKeys::kIntegers);
    out->Integer(entry.hash);
    out->MapValue(MapKeys::kIntegers, Need::kRequired);
    const absl::string_view value = text.substr(entry.value_begin, entry.value_size);
    const Outcome outcome = ReadDouble(value, plan, context, out);
    if (outcome != Outcome::kOk) return outcome;
    out->EndEntry(MapKeys::kIntegers);
  }
  out->EndMap(MapKeys::kIntegers);
  out->EndStruct();
  return Outcome::kOk;
}

}  // namespace walduct::encode
