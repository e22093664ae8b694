// The REST interfaces of Confluent's schema registry, which others speak, too, and of Apicurio's:
// what is asked, and what answers mean. Pure.
// Confluent:
//   POST /subjects/{subject}/versions   registers a schema, or finds it   {"schema":…} → {"id":…}
//   POST /subjects/{subject}            finds a schema                    {"schema":…} → {"id":…}
//     of another kind than Avro: {"schemaType":…,"schema":…}
//   GET  /subjects/{subject}/versions/latest, /schemas/ids/{id}           → {"schema":…}
// Apicurio, version 2; the schema is the body:
//   POST /groups/default/artifacts             registers it, or finds it  → {"globalId":…,…}
//   POST /groups/default/artifacts/{id}/meta   finds it                   → the same
//   GET  /groups/default/artifacts/{id}/meta   of the latest one          → the same
// Both: {"error_code":…,"message":…} for errors
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "registry/http_client.h"
#include "registry/schema_fit.h"

namespace walduct::registry {

inline constexpr long kHttpUnauthorized = 401, kHttpForbidden = 403, kHttpConflict = 409;

struct SchemaQuestion {
  std::string subject;
  std::string schema;

  bool operator<(const SchemaQuestion& other) const {
    return subject != other.subject ? subject < other.subject : schema < other.schema;
  }
};

// url: of the registry, without a slash at the end.
HttpRequest AskForId(absl::string_view url, const SchemaQuestion& question,
                     const RegistryOptions& options);

// Whether a schema of the registry stands for those that are asked for; which one.
bool HasStandIn(const RegistryOptions& options);
HttpRequest AskForStandIn(absl::string_view url, const SchemaQuestion& question,
                          const RegistryOptions& options);
// InvalidArgument: it does not describe values of the schema in question; otherwise as IdOf.
absl::StatusOr<StandIn> StandInOf(const HttpResponse& response, const SchemaQuestion& question,
                                  const RegistryOptions& options);

// Worth another try: the server is busy, away or broken.
bool IsPassing(long http_status);

// The id, or why there is none, with the registry's own words:
//   Unavailable                       IsPassing, a conflict with another client, or no answer of
//                                     a registry
//   InvalidArgument                   the schema is refused, or not there and may not be registered
//   Unauthenticated, PermissionDenied
absl::StatusOr<int64_t> IdOf(const HttpResponse& response, const SchemaQuestion& question,
                             const RegistryOptions& options);

// InvalidArgument schema_incompatible, with the registry's words.
absl::Status Incompatible(const SchemaQuestion& question, absl::string_view words,
                          const RegistryOptions& options);

// The registry's own words; of another's page its beginning.
std::string MessageOf(const HttpResponse& response);

// {"schema":…}, as Confluent's interface wants it.
std::string SchemaBody(const SchemaQuestion& question, const RegistryOptions& options);

}  // namespace walduct::registry
