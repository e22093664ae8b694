#include "registry/registry_api.h"

#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/json.h"
#include "base/json_text.h"
#include "base/percent.h"
#include "base/status_macros.h"
#include "rapidjson/document.h"

namespace walduct::registry {
namespace {

using Code = absl::StatusCode;

constexpr long kNotFound = 404, kTimeout = 408, kTooMany = 429;
constexpr int kNoSuchSubject = 40401;
// What a schema is of when nothing is said.
constexpr absl::string_view kAvro = "AVRO";

std::string Refusal(const SchemaQuestion& question, absl::string_view words) {
  return absl::StrCat("the schema registry refuses the schema of subject ", question.subject, ": ",
                      words);
}

std::optional<int> ErrorCodeIn(const rapidjson::Value& json) {
  const rapidjson::Value* const code = json::Find(json, "error_code");
  return code != nullptr && code->IsInt() ? std::optional(code->GetInt()) : std::nullopt;
}

// A schema is registered whether its subject is known or not: 404 is not about the schema.
absl::Status NotFoundForUs(const HttpResponse& response, const SchemaQuestion& question,
                           const RegistryOptions& options) {
  const std::string what = absl::StrCat("the schema registry takes no schema for subject ",
                                        question.subject, ": ", MessageOf(response));
  if (ErrorCodeIn(json::Parse(response.body)) == kNoSuchSubject) {
    return Error(Code::kPermissionDenied, "registry_forbidden", what,
                 absl::StrCat("the registry answers so to a user who may not write the subject "
                              "(Karapace: its authorization file): give the user of ",
                              options.property,
                              ".basic.auth.user.info or .bearer.auth.token the permission Write "
                              "on Subject:",
                              question.subject));
  }
  return Error(Code::kInvalidArgument, "schema_refused", what,
               absl::StrCat("check that the addresses of ", options.property,
                            "'s registry lead to a schema registry's interface, and that its user "
                            "may write the subject"));
}

absl::Status Refused(const HttpResponse& response, const SchemaQuestion& question,
                     const RegistryOptions& options) {
  if (response.status == kHttpConflict) return Incompatible(question, MessageOf(response), options);
  if (response.status == kNotFound && !options.register_schemas) {
    return Error(
        Code::kInvalidArgument, "schema_not_registered",
        absl::StrCat("subject ", question.subject, " has no such schema: ", MessageOf(response)),
        absl::StrCat("register it, or set ", options.property,
                     options.api == RegistryApi::kConfluent
                         ? ".auto.register.schemas=true"
                         : ".apicurio.registry.auto-register=true",
                     "; if it is there, the registry's user needs the permission to read it"));
  }
  if (response.status == kNotFound) return NotFoundForUs(response, question, options);
  return Error(Code::kInvalidArgument, "schema_refused", Refusal(question, MessageOf(response)),
               "where names are refused, set schema.name.adjustment.mode=avro and "
               "field.name.adjustment.mode=avro");
}

}  // namespace

std::string MessageOf(const HttpResponse& response) {
  constexpr size_t kLongest = 4000;
  const rapidjson::Document json = json::Parse(response.body);
  if (json::FindString(json, "message") != nullptr) {
    std::string message = json::TextIn(json, "message");
    if (message.size() > kLongest) message.resize(kLongest);
    const std::optional<int> code = ErrorCodeIn(json);
    return code ? absl::StrCat(message, " (error code ", *code, ")") : message;
  }
  return absl::StrCat("HTTP ", response.status, " ",
                      absl::StripAsciiWhitespace(response.body.substr(0, 200)));
}

absl::Status Incompatible(const SchemaQuestion& question, absl::string_view words,
                          const RegistryOptions& options) {
  std::string hint = absl::StrCat(
      "change the table so that the new schema is compatible, or set the compatibility of the "
      "subject: PUT /config/",
      EncodePercent(question.subject), " {\"compatibility\":\"NONE\"}");
  // An open object may have had any field of that name already.
  if (options.schema_type == "JSON") {
    absl::StrAppend(&hint,
                    "; of JSON Schema BACKWARD lets a column be added to closed objects only: ",
                    options.property,
                    ".object.additional.properties=false closes them, from the first schema of a "
                    "subject on, or once with NONE");
  }
  return Error(Code::kInvalidArgument, "schema_incompatible", Refusal(question, words), hint);
}

namespace {

HttpRequest AskApicurio(absl::string_view url, const SchemaQuestion& question,
                        const RegistryOptions& options) {
  HttpRequest request;
  const std::string artifacts = absl::StrCat(url, "/groups/default/artifacts");
  const std::string id = EncodePercent(question.subject);
  request.headers = {"Content-Type: application/json", "Accept: application/json"};
  if (!options.register_schemas && options.latest) {
    request.url = absl::StrCat(artifacts, "/", id, "/meta");
    return request;
  }
  request.method = "POST";
  request.body = question.schema;
  if (!options.register_schemas) {
    request.url = absl::StrCat(artifacts, "/", id, "/meta?canonical=true");
    return request;
  }
  request.url = absl::StrCat(artifacts, "?ifExists=RETURN_OR_UPDATE&canonical=false");
  request.headers.push_back(absl::StrCat("X-Registry-ArtifactId: ", question.subject));
  request.headers.push_back(absl::StrCat("X-Registry-ArtifactType: ", options.schema_type));
  return request;
}

absl::string_view IdMember(const RegistryOptions& options) {
  if (options.api == RegistryApi::kConfluent) return "id";
  return options.content_id ? "contentId" : "globalId";
}

}  // namespace

std::string SchemaBody(const SchemaQuestion& question, const RegistryOptions& options) {
  std::string body = "{";
  if (options.schema_type != kAvro)
    absl::StrAppend(&body, "\"schemaType\":\"", options.schema_type, "\",");
  body.append("\"schema\":");
  AppendJsonString(question.schema, &body);
  body.push_back('}');
  return body;
}

HttpRequest AskForId(absl::string_view url, const SchemaQuestion& question,
                     const RegistryOptions& options) {
  if (options.api == RegistryApi::kApicurio) return AskApicurio(url, question, options);
  HttpRequest request;
  request.method = "POST";
  request.headers = {"Content-Type: application/vnd.schemaregistry.v1+json"};
  request.url = absl::StrCat(url, "/subjects/", EncodePercent(question.subject),
                             options.register_schemas ? "/versions" : "",
                             "?normalize=", options.normalize ? "true" : "false",
                             options.register_schemas ? "" : "&deleted=false");
  request.body = SchemaBody(question, options);
  return request;
}

bool HasStandIn(const RegistryOptions& options) {
  return options.api == RegistryApi::kConfluent && !options.register_schemas &&
         (options.latest || options.schema_id >= 0);
}

HttpRequest AskForStandIn(absl::string_view url, const SchemaQuestion& question,
                          const RegistryOptions& options) {
  HttpRequest request;
  request.headers = {"Content-Type: application/vnd.schemaregistry.v1+json"};
  const std::string subject = EncodePercent(question.subject);
  request.url = options.schema_id >= 0
                    ? absl::StrCat(url, "/schemas/ids/", options.schema_id,
                                   "?fetchMaxId=false&subject=", subject)
                    : absl::StrCat(url, "/subjects/", subject, "/versions/latest");
  return request;
}

bool IsPassing(long http_status) {
  return http_status == kTimeout || http_status == kTooMany ||
         (http_status >= 500 && http_status < 600);
}

namespace {

// Another client registers the first schema of the subject at the same moment.
bool IsRace(const HttpResponse& response) {
  return response.status == kHttpConflict && absl::StrContains(response.body, "already exists");
}

// What is wrong with an answer, whatever was asked.
absl::Status CheckAnswer(const HttpResponse& response, const SchemaQuestion& question,
                         const RegistryOptions& options) {
  if (response.status == kHttpUnauthorized || response.status == kHttpForbidden) {
    const bool known = response.status == kHttpForbidden;
    return Error(
        known ? Code::kPermissionDenied : Code::kUnauthenticated,
        known ? "registry_forbidden" : "registry_unauthenticated",
        absl::StrCat("the schema registry refuses access to subject ", question.subject, ": ",
                     MessageOf(response)),
        absl::StrCat("see ", options.property, ".basic.auth.user.info and ", options.property,
                     ".bearer.auth.token",
                     known ? "; the user needs the permission to read and write the subject" : ""));
  }
  if (IsPassing(response.status) || IsRace(response))
    return Error(Code::kUnavailable, "registry_unavailable", MessageOf(response));
  if (response.status < 200 || response.status > 299) return Refused(response, question, options);
  return absl::OkStatus();
}

absl::Status NoRegistrysAnswer(const HttpResponse& response, const RegistryOptions& options) {
  return Error(Code::kUnavailable, "registry_unavailable",
               absl::StrCat("the answer is not a schema registry's: ", MessageOf(response)),
               absl::StrCat("see the addresses of ", options.property, "'s registry"));
}

}  // namespace

absl::StatusOr<StandIn> StandInOf(const HttpResponse& response, const SchemaQuestion& question,
                                  const RegistryOptions& options) {
  RETURN_IF_ERROR(CheckAnswer(response, question, options));
  const rapidjson::Document json = json::Parse(response.body);
  if (json::FindString(json, "schema") == nullptr) return NoRegistrysAnswer(response, options);
  StandIn known{json::TextIn(json, "schema"), nullptr, {}};
  const absl::Status fits = Fit(question.schema, options, &known);
  if (fits.ok()) return known;
  const bool latest = options.schema_id < 0;
  return Error(
      Code::kInvalidArgument, "schema_differs",
      absl::StrCat(latest ? "the latest schema" : "the schema of use.schema.id", " of subject ",
                   question.subject, " does not describe the table's values: ", fits.message()),
      absl::StrCat("change the table or the schema of the subject, or set ", options.property,
                   latest ? ".use.latest.version=false" : ".use.schema.id=-1",
                   " and register the table's schema"));
}

absl::StatusOr<int64_t> IdOf(const HttpResponse& response, const SchemaQuestion& question,
                             const RegistryOptions& options) {
  RETURN_IF_ERROR(CheckAnswer(response, question, options));
  const rapidjson::Document json = json::Parse(response.body);
  const rapidjson::Value* const id = json::Find(json, std::string(IdMember(options)).c_str());
  if (id == nullptr || !id->IsInt64()) return NoRegistrysAnswer(response, options);
  return id->GetInt64();
}

}  // namespace walduct::registry
