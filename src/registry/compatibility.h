// What a registry thinks of a schema beside those that it has: whether it would take it, and where
// a refused one begins to differ from the latest. Advice: what cannot be told is nothing. Pure.
// Confluent:
//   POST /compatibility/subjects/{subject}/versions?verbose=true {"schema":…}
//     → {"is_compatible":…,"messages":[…]}
//   GET  /subjects/{subject}/versions/latest                    → {"schema":…,"version":…}
// Apicurio, version 2; the schema is the body:
//   PUT  /groups/default/artifacts/{id}/test           → 204, or 409 {"message":…}
//   GET  /groups/default/artifacts/{id}                → the latest one
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "registry/registry_api.h"

namespace walduct::registry {

// Registers nothing. url: of the registry, without a slash at the end.
HttpRequest AskWhetherTaken(absl::string_view url, const SchemaQuestion& question,
                            const RegistryOptions& options);
// InvalidArgument schema_incompatible: the subject's next record of this schema would be refused.
// Unavailable: it does not answer us.
absl::Status WouldTake(const HttpResponse& response, const SchemaQuestion& question,
                       const RegistryOptions& options);

HttpRequest AskForLatest(absl::string_view url, const SchemaQuestion& question,
                         const RegistryOptions& options);
// "beside version 3, after.note is int there, and string in the table's"; empty: it cannot be told.
std::string DifferenceFromLatest(const HttpResponse& response, const SchemaQuestion& question,
                                 RegistryOptions options);

// The same error, with more to say.
absl::Status WithDifference(const absl::Status& refusal, absl::string_view difference);

}  // namespace walduct::registry
