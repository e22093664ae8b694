// hstore, as a JSON text or as a map.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "encode/formats/value_writer.h"
#include "encode/values/hstore_text.h"
#include "encode/values/read_context.h"
#include "encode/values/value_plan.h"

namespace walduct::encode {

template <typename Writer>
Outcome ReadHstoreJson(absl::string_view text, const ValuePlan&, ReadContext* context,
                       Writer* out) {
  Scratch* scratch = context->scratch;
  if (!ParseHstore(text, scratch)) return Outcome::kMalformed;
  PrintHstoreJson(*scratch, &scratch->bytes);
  out->String(scratch->bytes);
  return Outcome::kOk;
}

template <typename Writer>
Outcome ReadHstoreMap(absl::string_view text, const ValuePlan&, ReadContext* context, Writer* out) {
  const Scratch& scratch = *context->scratch;
  if (!ParseHstore(text, context->scratch)) return Outcome::kMalformed;
  out->BeginMap(MapKeys::kStrings);
  for (size_t i = 0; i < scratch.entries.size(); ++i) {
    const Scratch::Entry& entry = scratch.entries[i];
    out->Key(i, MapKeys::kStrings);
    out->String(KeyOf(entry, scratch));
    out->MapValue(MapKeys::kStrings, Need::kOptional);
    if (entry.is_null) {
      out->Null();
    } else {
      out->String(ValueOf(entry, scratch));
    }
    out->EndEntry(MapKeys::kStrings);
  }
  out->EndMap(MapKeys::kStrings);
  return Outcome::kOk;
}

}  // namespace walduct::encode
