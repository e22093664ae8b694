#include "registry/compatibility.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/json.h"
#include "base/percent.h"
#include "rapidjson/document.h"

namespace walduct::registry {
namespace {

constexpr size_t kMostMessages = 5;

bool IsFine(const HttpResponse& response) {
  return response.status >= 200 && response.status < 300;
}

std::string ArtifactUrl(absl::string_view url, const SchemaQuestion& question) {
  return absl::StrCat(url, "/groups/default/artifacts/", EncodePercent(question.subject));
}

std::string VersionsUrl(absl::string_view url, const SchemaQuestion& question) {
  return absl::StrCat(url, "/subjects/", EncodePercent(question.subject), "/versions");
}

// Why it would not be taken; empty: it would, or that cannot be told.
std::string ObjectionIn(const HttpResponse& response, RegistryApi api) {
  if (api == RegistryApi::kApicurio)
    return response.status == kHttpConflict ? MessageOf(response) : std::string();
  const rapidjson::Document json = json::Parse(response.body);
  const rapidjson::Value* const compatible = json::Find(json, "is_compatible");
  if (!IsFine(response) || compatible == nullptr || !compatible->IsFalse()) return "";
  std::vector<std::string> messages;
  if (const rapidjson::Value* const all = json::FindArray(json, "messages")) {
    for (const auto& message : all->GetArray()) {
      if (!message.IsString() || messages.size() == kMostMessages) continue;
      messages.emplace_back(json::TextOf(message));
    }
  }
  return messages.empty() ? "it is not compatible with the latest version"
                          : absl::StrJoin(messages, "; ");
}

// The text of the latest version and its number.
std::pair<std::string, std::string> LatestIn(const HttpResponse& response, RegistryApi api) {
  if (!IsFine(response)) return {};
  if (api == RegistryApi::kApicurio) return {response.body, "the latest"};
  const rapidjson::Document json = json::Parse(response.body);
  if (json::FindString(json, "schema") == nullptr) return {};
  const rapidjson::Value* const version = json::Find(json, "version");
  const bool numbered = version != nullptr && version->IsInt();
  return {json::TextIn(json, "schema"), numbered ? absl::StrCat(version->GetInt()) : "the latest"};
}

}  // namespace

HttpRequest AskWhetherTaken(absl::string_view url, const SchemaQuestion& question,
                            const RegistryOptions& options) {
  HttpRequest request;
  if (options.api == RegistryApi::kApicurio) {
    request.method = "PUT";
    request.url = absl::StrCat(ArtifactUrl(url, question), "/test");
    request.headers = {"Content-Type: application/json", "Accept: application/json",
                       absl::StrCat("X-Registry-ArtifactType: ", options.schema_type)};
    request.body = question.schema;
    return request;
  }
  request.method = "POST";
  request.url =
      absl::StrCat(VersionsUrl(absl::StrCat(url, "/compatibility"), question), "?verbose=true");
  request.headers = {"Content-Type: application/vnd.schemaregistry.v1+json"};
  request.body = SchemaBody(question, options);
  return request;
}

absl::Status WouldTake(const HttpResponse& response, const SchemaQuestion& question,
                       const RegistryOptions& options) {
  const long status = response.status;
  if (IsPassing(status) || status == kHttpUnauthorized || status == kHttpForbidden) {
    return Error(absl::StatusCode::kUnavailable, "registry_unavailable", MessageOf(response));
  }
  const std::string objection = ObjectionIn(response, options.api);
  return objection.empty() ? absl::OkStatus() : Incompatible(question, objection, options);
}

HttpRequest AskForLatest(absl::string_view url, const SchemaQuestion& question,
                         const RegistryOptions& options) {
  HttpRequest request;
  request.headers = {"Accept: application/vnd.schemaregistry.v1+json, application/json, */*"};
  request.url = options.api == RegistryApi::kApicurio
                    ? ArtifactUrl(url, question)
                    : absl::StrCat(VersionsUrl(url, question), "/latest");
  return request;
}

std::string DifferenceFromLatest(const HttpResponse& response, const SchemaQuestion& question,
                                 RegistryOptions options) {
  auto [schema, version] = LatestIn(response, options.api);
  if (schema.empty()) return "";
  options.strict = true;
  StandIn latest{std::move(schema), nullptr, {}};
  const absl::Status fits = Fit(question.schema, options, &latest);
  if (fits.ok() && latest.left_out.empty()) return "";
  const std::string what = fits.ok()
                               ? absl::StrCat(absl::StrJoin(latest.left_out, ", "), " is not there")
                               : std::string(fits.message());
  return absl::StrCat("beside version ", version, ", ", what);
}

absl::Status WithDifference(const absl::Status& refusal, absl::string_view difference) {
  if (difference.empty()) return refusal;
  return Error(refusal.code(), ErrorReason(refusal),
               absl::StrCat(refusal.message(), "; ", difference), ErrorHint(refusal));
}

}  // namespace walduct::registry
