// The size of a record as Debezium's ApproximateStructSizeCalculator estimates it: what the record
// takes in a Java heap. Fixed parts are added up once per template, the others once per record.
// Immutable once made; thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "event/record_template.h"

namespace walduct::transform {

class RecordSize {
 public:
  explicit RecordSize(const event::RecordTemplate& record);

  // The leaves whose size only the record knows; they belong to the template.
  absl::Span<const event::Node* const> leaves() const { return leaves_; }
  // values: of those leaves, in their order.
  int64_t Of(absl::Span<const event::Scalar> values) const;

 private:
  void Add(const event::Node& node);

  int64_t fixed_ = 0;
  std::vector<const event::Node*> leaves_;  // invalid once the template is gone
  std::vector<event::ConnectSchemaPtr> schemas_;
};

// Of one value.
int64_t ValueSize(const event::ConnectSchema& schema, const event::Scalar& value);

}  // namespace walduct::transform
