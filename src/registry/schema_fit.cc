#include "registry/schema_fit.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "registry/avro_rewriter.h"
#include "registry/json_shape.h"
#include "registry/protobuf_fit.h"

namespace walduct::registry {
namespace {

absl::Status FitAvro(absl::string_view own, bool strict, StandIn* known) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const AvroRewriter> rewriter,
                   AvroRewriter::Make(own, known->schema, strict));
  if (rewriter->keeps_bytes()) return absl::OkStatus();
  known->left_out = rewriter->left_out();
  known->rewriter = rewriter;
  return absl::OkStatus();
}

// Where two texts begin to differ.
std::string DifferenceOf(absl::string_view known, absl::string_view own) {
  constexpr size_t kBefore = 24, kBehind = 60;
  size_t at = 0;
  while (at < known.size() && at < own.size() && known[at] == own[at]) ++at;
  const size_t begin = at > kBefore ? at - kBefore : 0;
  const size_t size = at - begin + kBehind;
  return absl::StrCat("there '…", known.substr(begin, size), "…', of the table '…",
                      own.substr(begin, size), "…'");
}

absl::Status FitJson(absl::string_view own_schema, absl::string_view known_schema) {
  const std::string known = JsonShape(known_schema), own = JsonShape(own_schema);
  return known == own ? absl::OkStatus() : absl::InvalidArgumentError(DifferenceOf(known, own));
}

}  // namespace

absl::Status Fit(absl::string_view own, const RegistryOptions& options, StandIn* known) {
  if (options.schema_type == "AVRO") return FitAvro(own, options.strict, known);
  if (options.schema_type == "JSON") return FitJson(own, known->schema);
  ASSIGN_OR_RETURN(known->left_out, FitProtobuf(own, known->schema));
  return absl::OkStatus();
}

}  // namespace walduct::registry
