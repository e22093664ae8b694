#include "encode/program/schema_id.h"

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"

namespace walduct::encode {

absl::StatusOr<std::string> SubjectOf(const SubjectParts& parts) {
  const absl::string_view role = parts.is_key ? "key" : "value";
  if (parts.strategy == SubjectStrategy::kTopicAlone) return std::string(parts.topic);
  if (parts.strategy == SubjectStrategy::kTopic) return absl::StrCat(parts.topic, "-", role);
  if (parts.record_name.empty()) {
    return Error(absl::StatusCode::kInvalidArgument, "subject_needs_record",
                 absl::StrCat("the ", role, " is not a struct, so ", role,
                              ".subject.name.strategy cannot name its schema"),
                 absl::StrCat("use io.confluent.kafka.serializers.subject.TopicNameStrategy for ",
                              role, "s, or another converter"));
  }
  return parts.strategy == SubjectStrategy::kRecord
             ? std::string(parts.record_name)
             : absl::StrCat(parts.topic, "-", parts.record_name);
}

absl::Status SchemaId::Find() {
  if (known_) return absl::OkStatus();
  ASSIGN_OR_RETURN(value_, ids_->Find(subject_, schema_));
  rewriter_ = ids_->RewriterOf(subject_, schema_);
  known_ = true;
  schema_ = std::string();
  return absl::OkStatus();
}

}  // namespace walduct::encode
