// SchemaId: the id of one schema, asked for once. Subjects by the options of a converter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "encode/options/converter_kinds.h"
#include "event/schema_ids.h"

namespace walduct::encode {

// Of an id behind the zero byte of Confluent's frame.
inline constexpr size_t kIdSize = 4;

struct SubjectParts {
  absl::string_view topic;
  bool is_key = false;
  SubjectStrategy strategy = SubjectStrategy::kTopic;
  absl::string_view record_name;  // empty: not the schema of a record
};
// InvalidArgument: the strategy needs a record's name.
absl::StatusOr<std::string> SubjectOf(const SubjectParts& parts);

class SchemaId {
 public:
  // ids: borrowed for life.
  SchemaId(event::SchemaIds* ids, std::string subject, std::string schema)
      : ids_(ids), subject_(std::move(subject)), schema_(std::move(schema)) {}

  bool known() const { return known_; }
  int64_t value() const { return value_; }  // once it is known
  // Once it is known; null: values are written as the schema says. See SchemaIds::RewriterOf.
  const event::ValueRewriter* rewriter() const { return rewriter_.get(); }
  // See SchemaIds::Find. The text of the schema is forgotten once the id is known.
  absl::Status Find();

 private:
  event::SchemaIds* const ids_;
  const std::string subject_;
  std::string schema_;
  int64_t value_ = 0;
  std::shared_ptr<const event::ValueRewriter> rewriter_;
  bool known_ = false;
};

}  // namespace walduct::encode
