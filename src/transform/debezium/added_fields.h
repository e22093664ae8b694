// add.fields and add.headers of ExtractNewRecordState: members of the envelope, the source or the
// transaction that go into the row or its headers. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "event/record_template.h"

namespace walduct::transform {

struct AddedField {
  std::string parent;  // member of the envelope; empty: it depends on the field
  std::string field;
  std::string name;  // of the new field
};

std::vector<AddedField> ParseAdded(const std::vector<std::string>& items,
                                   const std::string& prefix);

// The new field, optional and without a default; nullopt: skipped, as there is no such field.
// InvalidArgument: the envelope does not have the parent.
absl::StatusOr<std::optional<event::Node>> FindAdded(const event::Node& envelope,
                                                     const AddedField& added);

}  // namespace walduct::transform
