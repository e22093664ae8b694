#include "registry/registry_properties.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "config/properties/address.h"

namespace walduct::registry {
namespace {

using enum config::PropertyType;
using enum config::Support;

constexpr absl::string_view kUserInfo = "user_info";
constexpr absl::string_view kInUrl = "url";

std::vector<std::string> Urls(absl::string_view list) {
  std::vector<std::string> urls;
  for (absl::string_view url : absl::StrSplit(list, ',', absl::SkipWhitespace())) {
    url = absl::StripAsciiWhitespace(url);
    while (absl::ConsumeSuffix(&url, "/")) continue;
    urls.emplace_back(url);
  }
  return urls;
}

std::string CheckUrls(absl::string_view value) {
  for (const std::string& url : Urls(value)) {
    if (!absl::StartsWith(url, "http://") && !absl::StartsWith(url, "https://"))
      return "is not a list of http:// or https:// addresses";
    absl::string_view address = absl::string_view(url).substr(url.find("://") + 3);
    address = address.substr(0, address.find_first_of("/?"));
    if (const size_t user = address.rfind('@'); user != absl::string_view::npos)
      address.remove_prefix(user + 1);
    if (std::string why = config::CheckHostAndPort(address); !why.empty())
      return absl::StrCat("names no server: ", why);
  }
  return "";
}

// Takes "user:password@" out of an address.
std::string TakeUserInfo(std::string* url) {
  const size_t begin = url->find("://") + 3;
  const size_t end = url->find('@', begin);
  if (end == std::string::npos || end > url->find('/', begin)) return "";
  const std::string user = url->substr(begin, end - begin);
  url->erase(begin, end + 1 - begin);
  return user;
}

constexpr config::PropertyDefinition kRows[] = {
    {.name = "<part>.converter.schema.registry.url",
     .type = kList,
     .doc = "Addresses of the schema registry (Confluent's converters); one that fails is left for "
            "the next.",
     .validator = CheckUrls},
    {.name = "<part>.converter.auto.register.schemas",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Register schemas that the registry does not have."},
    {.name = "<part>.converter.normalize.schemas",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Have the registry normalize schemas before it compares them."},
    {.name = "<part>.converter.use.latest.version",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Write by the subject's latest schema, which has to describe the table's values: the "
            "same fields from the first one on. Fields that it lacks behind its last one are not "
            "written; a warning names them. Without effect while schemas are registered."},
    {.name = "<part>.converter.latest.compatibility.strict",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Refuse a latest schema that has no null where a column may be NULL; else the first "
            "NULL is refused (Avro)."},
    {.name = "<part>.converter.use.schema.id",
     .type = kInt,
     .default_value = "-1",
     .doc = "Write by the schema of this id, as by use.latest.version, which it goes before. "
            "Without effect while schemas are registered."},
    {.name = "<part>.converter.id.compatibility.strict",
     .type = kBoolean,
     .default_value = "true",
     .doc = "As latest.compatibility.strict, for use.schema.id."},
    {.name = "<part>.converter.context.name.strategy",
     .type = kClass,
     .default_value = "io.confluent.kafka.serializers.context.NullContextNameStrategy",
     .support = kNotYetRefused,
     .doc = "Class that names the context of subjects.",
     .note = "subjects have no context"},
    {.name = "<part>.converter.reference.subject.name.strategy",
     .type = kClass,
     .support = kNoEffect,
     .doc = "Class that names the subjects of referenced schemas.",
     .note = "schemas are written without references"},
    {.name = "<part>.converter.reference.lookup.only",
     .type = kBoolean,
     .support = kNoEffect,
     .doc = "Look referenced schemas up instead of registering them.",
     .note = "schemas are written without references"},
    {.name = "<part>.converter.basic.auth.credentials.source",
     .type = kEnum,
     .doc = "Where user and password for the registry come from.",
     .allowed = "url, user_info"},
    {.name = "<part>.converter.basic.auth.user.info",
     .type = kPassword,
     .doc = "user:password for the registry, with basic.auth.credentials.source=USER_INFO.",
     .secret = true},
    {.name = "<part>.converter.schema.registry.basic.auth.user.info",
     .type = kPassword,
     .doc = "Older name of basic.auth.user.info.",
     .secret = true},
    {.name = "<part>.converter.schema.registry.basic.auth.credentials.source",
     .type = kEnum,
     .doc = "The same as basic.auth.credentials.source.",
     .allowed = "url, user_info"},
    {.name = "<part>.converter.bearer.auth.credentials.source",
     .type = kEnum,
     .doc = "Where the token for the registry comes from.",
     .allowed = "static_token"},
    {.name = "<part>.converter.bearer.auth.token",
     .type = kPassword,
     .doc = "Token for the registry, with bearer.auth.credentials.source=STATIC_TOKEN.",
     .secret = true},
    {.name = "<part>.converter.request.header.*",
     .doc = "Header of every request to the registry."},
    {.name = "<part>.converter.schema.registry.ssl.*",
     .doc = "TLS property of a Java client, for https:// addresses of the registry."},
    {.name = "<part>.converter.proxy.host", .doc = "Proxy on the way to the registry."},
    {.name = "<part>.converter.proxy.port", .type = kPositiveInt, .doc = "Port of the proxy."},
    {.name = "<part>.converter.http.connect.timeout.ms",
     .type = kPositiveInt,
     .default_value = "60000",
     .doc = "How long a connection to the registry may take to open."},
    {.name = "<part>.converter.http.read.timeout.ms",
     .type = kPositiveInt,
     .default_value = "60000",
     .doc = "How long an answer of the registry may take."},
    {.name = "<part>.converter.max.retries",
     .type = kNonNegativeInt,
     .support = kNoEffect,
     .doc = "How often the registry is asked again.",
     .note = "a registry that is away is waited for"},
    {.name = "<part>.converter.retries.wait.ms",
     .type = kPositiveInt,
     .default_value = "1000",
     .doc = "How long to wait before the registry is asked again; doubles each time."},
    {.name = "<part>.converter.retries.max.wait.ms",
     .type = kPositiveInt,
     .default_value = "20000",
     .doc = "The longest wait before the registry is asked again."},
    {.name = "<part>.converter.max.schemas.per.subject",
     .type = kPositiveInt,
     .support = kNoEffect,
     .doc = "Ids of schemas kept in memory.",
     .note = "the memory for ids is bounded"},
    {.name = "<part>.converter.missing.<what>",
     .support = kNoEffect,
     .doc = "Memory for what the registry does not have.",
     .note = "a refusal is asked about again after 10 seconds"},
    {.name = "<part>.converter.apicurio.registry.url",
     .type = kList,
     .doc = "Addresses of Apicurio Registry (Apicurio's AvroConverter).",
     .validator = CheckUrls},
    {.name = "<part>.converter.apicurio.registry.auto-register",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Register schemas that Apicurio Registry does not have."},
    {.name = "<part>.converter.apicurio.registry.find-latest",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Write with the latest schema of the artifact instead of the table's: not yet. Without "
            "effect while schemas are registered."},
    {.name = "<part>.converter.apicurio.registry.artifact.group-id",
     .default_value = "default",
     .support = kNotYetRefused,
     .doc = "Group of the artifacts.",
     .note = "artifacts are of the group default"},
    {.name = "<part>.converter.apicurio.registry.check-period-ms",
     .type = kNonNegativeLong,
     .support = kNoEffect,
     .doc = "How long ids are kept in memory.",
     .note = "the id of a schema never changes"},
    {.name = "<part>.converter.apicurio.registry.retry-count",
     .type = kNonNegativeInt,
     .support = kNoEffect,
     .doc = "How often Apicurio Registry is asked again.",
     .note = "a registry that is away is waited for"},
    {.name = "<part>.converter.apicurio.registry.retry-backoff-ms",
     .type = kNonNegativeLong,
     .support = kNoEffect,
     .doc = "How long to wait before it is asked again.",
     .note = "1 s, 2 s, … 20 s"},
    {.name = "<part>.converter.apicurio.auth.username",
     .doc = "User for Apicurio Registry, with apicurio.auth.password."},
    {.name = "<part>.converter.apicurio.auth.password",
     .type = kPassword,
     .doc = "Password of that user.",
     .secret = true},
    {.name = "<part>.converter.apicurio.auth.service.token.endpoint",
     .support = kNotYetRefused,
     .doc = "Where tokens for Apicurio Registry are fetched (OpenID Connect).",
     .note = "tokens are not fetched; use a user and a password"},
    {.name = "<part>.converter.apicurio.auth.service.url",
     .support = kNotYetRefused,
     .doc = "Server that gives tokens for Apicurio Registry (OpenID Connect).",
     .note = "tokens are not fetched; use a user and a password"},
    {.name = "<part>.converter.apicurio.registry.request.ssl.*",
     .doc = "TLS property of a Java client, for https:// addresses of Apicurio Registry."},
    {.name = "<part>.converter.delegate.converter.type.*",
     .doc = "Any other option of the delegate, as behind <part>.converter."},
};

std::string First(const config::PluginOptions& properties, absl::string_view option,
                  absl::string_view other) {
  const std::string first = properties.Text(option);
  return first.empty() ? properties.Text(other) : first;
}

std::string Source(const config::PluginOptions& properties) {
  return First(properties, "basic.auth.credentials.source",
               "schema.registry.basic.auth.credentials.source");
}

std::string UserInfo(const config::PluginOptions& properties) {
  return First(properties, "basic.auth.user.info", "schema.registry.basic.auth.user.info");
}

// Values are written by the table's own schema, which another's id would not describe.
void RefuseLatest(const config::PluginOptions& properties, absl::string_view registers,
                  absl::string_view latest, config::Findings* findings) {
  if (properties.Boolean(registers) || !properties.Boolean(latest)) return;
  findings->Error(absl::StrCat(properties.name(), ".", latest),
                  absl::StrCat("is not supported yet without ", registers),
                  absl::StrCat("set ", latest, "=false, or ", registers, "=true"));
}

void CheckApicurio(const config::PluginOptions& properties, config::Findings* findings) {
  RefuseLatest(properties, "apicurio.registry.auto-register", "apicurio.registry.find-latest",
               findings);
  if (!Urls(properties.Text("apicurio.registry.url")).empty()) return;
  findings->Error(absl::StrCat(properties.name(), ".apicurio.registry.url"), "is not set",
                  "set it to the address of Apicurio Registry, such as "
                  "http://apicurio:8080/apis/registry/v2");
}

RegistryOptions BuildApicurio(const config::PluginOptions& properties) {
  RegistryOptions options;
  options.api = RegistryApi::kApicurio;
  options.property = properties.name();
  options.urls = Urls(properties.Text("apicurio.registry.url"));
  // As its client does by itself.
  for (std::string& url : options.urls) {
    if (!absl::StrContains(url, "/apis/")) absl::StrAppend(&url, "/apis/registry/v2");
  }
  if (properties.IsSet("apicurio.auth.username")) {
    options.http.basic = absl::StrCat(properties.Text("apicurio.auth.username"), ":",
                                      properties.Text("apicurio.auth.password"));
  }
  for (auto& [name, value] : properties.Behind("apicurio.registry.request.ssl."))
    options.http.tls[absl::StrCat("ssl.", name)] = std::move(value);
  options.register_schemas = properties.Boolean("apicurio.registry.auto-register");
  options.content_id = properties.Text("apicurio.registry.use-id") == "contentid";
  return options;
}

absl::Duration Millis(const config::PluginOptions& properties, absl::string_view option) {
  int64_t millis = 0;
  return absl::SimpleAtoi(properties.Text(option), &millis) ? absl::Milliseconds(millis)
                                                            : absl::ZeroDuration();
}

}  // namespace

absl::Span<const config::PropertyDefinition> RegistryProperties() { return kRows; }

void CheckRegistry(const config::PluginOptions& properties, RegistryApi api,
                   config::Findings* findings) {
  const auto option = [&](absl::string_view name) {
    return absl::StrCat(properties.name(), ".", name);
  };
  if (api == RegistryApi::kApicurio) return CheckApicurio(properties, findings);
  if (Urls(properties.Text("schema.registry.url")).empty()) {
    findings->Error(option("schema.registry.url"),
                    "Missing required configuration \"schema.registry.url\" which has no default "
                    "value",
                    "set it to the address of the schema registry, such as http://registry:8081");
  }
  const std::string source = Source(properties);
  if (!source.empty() && properties.IsSet("bearer.auth.credentials.source")) {
    findings->Error(option("bearer.auth.credentials.source"),
                    "cannot be combined with basic.auth.credentials.source", "keep one of the two");
  }
  if (source == kUserInfo && UserInfo(properties).empty()) {
    findings->Error(option("basic.auth.user.info"),
                    "is missing, which basic.auth.credentials.source=USER_INFO asks for",
                    "set it to user:password, or better to ${env:NAME} or ${file:/path:key}");
  }
  if (source.empty() && !UserInfo(properties).empty()) {
    findings->Warn(option("basic.auth.user.info"),
                   "is not sent, as Confluent's client does not send it: set "
                   "basic.auth.credentials.source=USER_INFO");
  }
  if (properties.IsSet("bearer.auth.token") &&
      !properties.IsSet("bearer.auth.credentials.source")) {
    findings->Warn(option("bearer.auth.token"),
                   "is not sent, as Confluent's client does not send it: set "
                   "bearer.auth.credentials.source=STATIC_TOKEN");
  }
}

RegistryOptions BuildRegistry(const config::PluginOptions& properties, RegistryApi api) {
  if (api == RegistryApi::kApicurio) return BuildApicurio(properties);
  RegistryOptions options;
  options.property = properties.name();
  options.urls = Urls(properties.Text("schema.registry.url"));
  std::string in_url;
  for (std::string& url : options.urls) {
    std::string user = TakeUserInfo(&url);
    if (in_url.empty()) in_url = std::move(user);
  }
  const std::string source = Source(properties);
  if (source == kInUrl) options.http.basic = in_url;
  if (source == kUserInfo) options.http.basic = UserInfo(properties);
  if (properties.IsSet("bearer.auth.credentials.source"))
    options.http.bearer = properties.Text("bearer.auth.token");
  options.http.headers = properties.Behind("request.header.");
  for (auto& [name, value] : properties.Behind("schema.registry.ssl."))
    options.http.tls[absl::StrCat("ssl.", name)] = std::move(value);
  if (properties.IsSet("proxy.host")) {
    options.http.proxy =
        absl::StrCat("http://", properties.Text("proxy.host"),
                     properties.IsSet("proxy.port") ? ":" : "", properties.Text("proxy.port"));
  }
  options.http.connect_timeout = Millis(properties, "http.connect.timeout.ms");
  options.http.read_timeout = Millis(properties, "http.read.timeout.ms");
  options.register_schemas = properties.Boolean("auto.register.schemas");
  options.latest = properties.Boolean("use.latest.version");
  if (!absl::SimpleAtoi(properties.Text("use.schema.id"), &options.schema_id))
    options.schema_id = -1;
  options.strict = properties.Boolean(options.schema_id < 0 ? "latest.compatibility.strict"
                                                            : "id.compatibility.strict");
  options.normalize = properties.Boolean("normalize.schemas");
  options.retry_wait = Millis(properties, "retries.wait.ms");
  options.retry_wait_max = Millis(properties, "retries.max.wait.ms");
  return options;
}

}  // namespace walduct::registry
