// SchemaIds: the ids of schemas that formats leave to a registry. A seam: formats ask, who talks to
// the registry answers. What is not known yet is asked for meanwhile, never waited for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::event {

// Values as another schema that stands for theirs writes them. Immutable.
class ValueRewriter {
 public:
  virtual ~ValueRewriter() = default;

  // Appends to *out. InvalidArgument: that schema has no form for the value.
  virtual absl::Status Rewrite(absl::string_view value, std::string* out) const = 0;
};

class SchemaIds {
 public:
  virtual ~SchemaIds() = default;

  // The id of a schema under a subject, which is registered when the registry does not have it and
  // the configuration allows that. Answers are remembered.
  //   ResourceExhausted  not known yet: ask again when ready_fd is readable
  //   InvalidArgument    the registry refuses the schema; its own words
  //   others             the registry refuses us, as error.h says
  virtual absl::StatusOr<int64_t> Find(absl::string_view subject, absl::string_view schema) = 0;

  // How values are to be written for an id that Find has answered; null: as their own schema says.
  virtual std::shared_ptr<const ValueRewriter> RewriterOf(absl::string_view /*subject*/,
                                                          absl::string_view /*schema*/) {
    return nullptr;
  }

  // Find may be called for it later: whether the answer will be a refusal is found out meanwhile
  // and told in the log. Registers nothing.
  virtual void Foresee(absl::string_view, absl::string_view) {}

  // Readable once an answer has come since the last Find; −1: answers come at once.
  virtual int ready_fd() const = 0;

  // What is waited for, for messages: "the schema registry at …: connection refused". Empty:
  // nothing.
  virtual std::string WaitingFor() const = 0;
};

// Those of a connector's converters; null: no schema is asked for. Borrowed.
struct SchemaIdSources {
  SchemaIds* key = nullptr;
  SchemaIds* value = nullptr;
};

}  // namespace walduct::event
