// AvroRewriter: values of a table's Avro schema as they are written by another that the registry
// has, as Confluent's serializer writes them by one: field by field in the order of that schema, so
// that what stands behind its last field is left out, and with its branches of unions. Fields whose
// names differ at a place are not taken for each other. Immutable.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "event/schema_ids.h"
#include "registry/avro_type.h"

namespace walduct::registry {

class AvroRewriter final : public event::ValueRewriter {
 public:
  // own: of the table. strict: a schema without a null for a column that may be NULL is refused;
  // else a NULL is. InvalidArgument: values of `own` cannot be written by `known`; which, and why.
  static absl::StatusOr<std::shared_ptr<const AvroRewriter>> Make(absl::string_view own,
                                                                  absl::string_view known,
                                                                  bool strict);

  // Whether every value keeps its bytes.
  bool keeps_bytes() const { return keeps_bytes_; }
  // "after.note": the fields that are not written.
  const std::vector<std::string>& left_out() const { return left_out_; }

  absl::Status Rewrite(absl::string_view value, std::string* out) const override;

 private:
  friend class AvroRewriterCompiler;

  struct Step {
    enum class Kind : uint8_t {
      kNothing,
      kNumber,  // a varint
      kReal,    // a number, or with `size` 4 a float, that becomes a float or a double
      kBytes,   // of `size`
      kText,    // a length, bytes
      kItems,   // of an array or a map
      kRecord,
      kUnion,
      kNoForm,  // NULL, where the other schema has none
    };
    Kind kind = Kind::kNothing;
    bool left_out = false;    // read, not written
    int branch = -1;          // the number of the union's branch that stands before it
    size_t size = 0;          // kBytes, kReal
    bool single = false;      // kReal: becomes a float
    bool keys = false;        // kItems: of a map
    std::string field = {};   // kNoForm
    std::vector<Step> parts;  // of kItems one
  };
  struct Reader;

  AvroRewriter() = default;
  static absl::Status Run(const Step& step, Reader* in, std::string* out);
  static absl::Status RunReal(const Step& step, Reader* in, std::string* out);
  static absl::Status RunItems(const Step& step, Reader* in, std::string* out);

  Step top_;
  bool keeps_bytes_ = true;
  std::vector<std::string> left_out_;
};

}  // namespace walduct::registry
