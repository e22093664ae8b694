#include "sink/http/http_sink_properties.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "sink/http/webhook.h"

namespace walduct::sink {
namespace {

using enum config::PropertyType;
using enum config::Support;

constexpr absl::string_view kUrl = "sink.http.url";
constexpr absl::string_view kType = "sink.http.authentication.type";
constexpr absl::string_view kSecret = "sink.http.authentication.webhook.secret";
constexpr absl::string_view kLetterUrl = "walduct.sink.http.deadletter.url";
constexpr absl::string_view kLetterFile = "walduct.sink.http.deadletter.file";
constexpr absl::string_view kLetterTopic = "errors.deadletterqueue.topic.name";

std::string CheckUrl(absl::string_view value) {
  if (!absl::StartsWithIgnoreCase(value, "http://") &&
      !absl::StartsWithIgnoreCase(value, "https://"))
    return "is no URL that begins with http:// or https://";
  if (std::any_of(value.begin(), value.end(), [](unsigned char c) { return c <= 0x20; }))
    return "has a blank; write %20";
  return std::string(TextTemplate::Parse(value).status().message());
}

std::string CheckPlainUrl(absl::string_view value) {
  const std::string wrong = CheckUrl(value);
  if (!wrong.empty() || TextTemplate::Parse(value)->fixed()) return wrong;
  return "has a place for what a record brings, which has no meaning here";
}

std::string CheckSecret(absl::string_view value) {
  return std::string(WebhookKey(value).status().message());
}

using NamedTemplates = std::vector<std::pair<std::string, TextTemplate>>;

absl::StatusOr<NamedTemplates> ParseHeaders(absl::string_view value) {
  NamedTemplates headers;
  for (const absl::string_view line : absl::StrSplit(value, ';', absl::SkipWhitespace())) {
    const size_t colon = line.find(':');
    const absl::string_view name = absl::StripAsciiWhitespace(line.substr(0, colon));
    if (colon == absl::string_view::npos || name.empty() || absl::StrContains(name, '{'))
      return absl::InvalidArgumentError("is no list of Name: text, separated by ;");
    auto text = TextTemplate::Parse(absl::StripAsciiWhitespace(line.substr(colon + 1)));
    if (!text.ok()) return text.status();
    headers.emplace_back(name, *std::move(text));
  }
  return headers;
}

std::string CheckHeaders(absl::string_view value) {
  return std::string(ParseHeaders(value).status().message());
}

constexpr config::PropertyDefinition kRows[] = {
    {.name = kUrl,
     .doc = "Where sink=http sends records: http:// or https://. {topic}, {key}, {id} and "
            "{header:NAME} (also as ${…}) stand for what a record brings, percent-encoded. In "
            "Debezium Server's file this and the following are debezium.sink.http.….",
     .fix = "write it as in http://receiver:8080/events, or http://receiver/{topic}",
     .validator = CheckUrl},
    {.name = "sink.http.timeout.ms",
     .type = kPositiveInt,
     .default_value = "60000",
     .doc = "Time limit of a request; then it is sent again."},
    {.name = "sink.http.retries",
     .type = kPositiveInt,
     .default_value = "5",
     .doc = "Attempts for a record, the first among them, before it is given up "
            "(walduct.errors.exhausted). Not set: a receiver that is away is waited for without "
            "end; after five attempts the pauses grow."},
    {.name = "sink.http.retry.interval.ms",
     .type = kPositiveInt,
     .default_value = "1000",
     .doc = "Pause between the first attempts. A Retry-After of the receiver goes before it."},
    {.name = "sink.http.headers.prefix",
     .default_value = "X-DEBEZIUM-",
     .doc = "Stands before the name of each header of a record, which is in upper case."},
    {.name = "sink.http.headers.encode.base64",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Encode values of headers in base64."},
    {.name = "sink.http.batch.enabled",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Send several records at once, as a JSON array; with the headers of the first."},
    {.name = "sink.http.batch.max-size",
     .type = kPositiveInt,
     .default_value = "200",
     .doc = "Records of such a batch, at most.",
     .aliases = "sink.http.batch.max.size"},
    {.name = kType,
     .type = kEnum,
     .doc = "How the receiver is told who sends: a token (jwt, oauth2), or signatures "
            "(standard-webhooks).",
     .allowed = "jwt, oauth2, standard-webhooks"},
    {.name = "sink.http.authentication.jwt.username", .doc = "User who logs in for a token."},
    {.name = "sink.http.authentication.jwt.password",
     .type = kPassword,
     .doc = "Password of that user."},
    {.name = "sink.http.authentication.jwt.url",
     .doc = "Where tokens are given out; auth/authenticate is appended to it.",
     .fix = "write it as in http://login:8080/, with / at its end",
     .validator = CheckPlainUrl},
    {.name = "sink.http.authentication.jwt.token_expiration",
     .type = kPositiveInt,
     .default_value = "60",
     .doc = "Minutes for which a token is asked for.",
     .aliases = "sink.http.authentication.jwt.token.expiration"},
    {.name = "sink.http.authentication.jwt.refresh_token_expiration",
     .type = kPositiveInt,
     .default_value = "1440",
     .doc = "Minutes for which the token that renews it is asked for.",
     .aliases = "sink.http.authentication.jwt.refresh.token.expiration"},
    {.name = "sink.http.authentication.oauth2.client-id",
     .doc = "Client that asks for a token (client credentials).",
     .aliases = "sink.http.authentication.oauth2.client.id"},
    {.name = "sink.http.authentication.oauth2.client-secret",
     .type = kPassword,
     .doc = "Secret of that client.",
     .aliases = "sink.http.authentication.oauth2.client.secret"},
    {.name = "sink.http.authentication.oauth2.token-url",
     .doc = "Where tokens are given out.",
     .aliases = "sink.http.authentication.oauth2.token.url",
     .validator = CheckPlainUrl},
    {.name = "sink.http.authentication.oauth2.scope", .doc = "Scope that is asked for."},
    {.name = kSecret,
     .type = kPassword,
     .doc = "Secret of the signatures (standard-webhooks): base64 of 24 to 64 bytes, with whsec_ "
            "in front or without.",
     .fix = "printf whsec_; openssl rand -base64 32",
     .validator = CheckSecret},
    {.name = "walduct.sink.http.max.in.flight",
     .type = kPositiveInt,
     .default_value = "1",
     .doc = "Requests at once. Records of one key stay in order; with 1 all are."},
    {.name = "walduct.sink.http.retry.max.ms",
     .type = kPositiveInt,
     .default_value = "60000",
     .doc = "Longest pause between two attempts, to which pauses grow; not that of a Retry-After."},
    {.name = "walduct.sink.http.refused.attempts",
     .type = kPositiveInt,
     .doc = "Attempts before a status 400 to 499 is believed (not 408, 410, 413, 425, 429, 401). "
            "Not set: as many as sink.http.retries."},
    {.name = "walduct.sink.http.headers",
     .doc = "More headers, Name: text, separated by ;. The text may have {topic}, {key}, {id} (the "
            "same whenever a change is sent) and {header:NAME}: Idempotency-Key: {id}.",
     .fix = "write it as in Idempotency-Key: {id}; X-Topic: {topic}",
     .validator = CheckHeaders},
    {.name = "walduct.sink.http.id.header",
     .doc =
         "Header of a record that is its {id} and webhook-id, as an outbox row's id. Not set, or "
         "missing: the id is made of the change's position."},
    {.name = "walduct.sink.http.tombstones",
     .type = kEnum,
     .default_value = "skip",
     .doc = "Records without a value: not sent, as Debezium Server has it (a line in the log says "
            "so once), or sent with the body null.",
     .allowed = "skip, send"},
    {.name = "walduct.sink.http.ssl.ca",
     .doc = "File with the authorities to trust, PEM. Not set: the system's."},
    {.name = "walduct.sink.http.ssl.certificate",
     .doc = "File with our certificate, PEM, for a receiver that asks for one."},
    {.name = "walduct.sink.http.ssl.key", .doc = "File with its key, PEM."},
    {.name = "walduct.sink.http.ssl.key.password",
     .type = kPassword,
     .doc = "Password of that key."},
    {.name = "walduct.sink.http.proxy",
     .doc = "Proxy, host:port. Not set: none, whatever the environment says."},
    {.name = "walduct.sink.http.version",
     .type = kEnum,
     .default_value = "1.1",
     .doc = "Of HTTP. 2: where an https receiver offers it, else 1.1.",
     .allowed = "1.1, 2"},
    {.name = kLetterUrl,
     .doc = "Where dead letters are sent, once errors.deadletterqueue.topic.name is set.",
     .validator = CheckUrl},
    {.name = kLetterFile,
     .doc = "File for dead letters, a JSON object a line, in the place of a URL."},
};

bool Has(const config::PropertySet& properties, absl::string_view name) {
  const config::Property* const found = properties.Find(name);
  return found != nullptr && !absl::StripAsciiWhitespace(found->value).empty();
}

void RequireFor(absl::string_view type, std::initializer_list<absl::string_view> names,
                const config::PropertySet& properties, config::Findings* findings) {
  for (const absl::string_view name : names) {
    const std::string full = absl::StrCat("sink.http.authentication.", name);
    if (!properties.IsSet(full))
      findings->Error(full,
                      absl::StrCat("A value is required when sink.http.authentication.type=", type),
                      "add it, or remove sink.http.authentication.type");
  }
}

void CheckLetters(const config::PropertySet& properties, config::Findings* findings) {
  const bool apart = properties.IsSet(kLetterUrl) || properties.IsSet(kLetterFile);
  if (properties.IsSet(kLetterUrl) && properties.IsSet(kLetterFile))
    findings->Error(kLetterFile, absl::StrCat("has no effect beside ", kLetterUrl), "remove one");
  if (apart && !Has(properties, kLetterTopic))
    findings->Warn(properties.IsSet(kLetterUrl) ? kLetterUrl : kLetterFile,
                   absl::StrCat("has no effect without ", kLetterTopic));
  if (apart || !Has(properties, kLetterTopic)) return;
  const auto url = TextTemplate::Parse(properties.Text(kUrl));
  if (url.ok() && !url->uses_topic())
    findings->Error(kLetterTopic,
                    "dead letters would go where records go: sink.http.url has no {topic}",
                    absl::StrCat("name their place in ", kLetterUrl, " or ", kLetterFile));
}

http::ClientTls TlsOf(const config::PropertySet& properties) {
  http::ClientTls tls;
  tls.ca_file = properties.Text("walduct.sink.http.ssl.ca");
  tls.certificate_file = properties.Text("walduct.sink.http.ssl.certificate");
  tls.key_file = properties.Text("walduct.sink.http.ssl.key");
  tls.key_password = properties.Text("walduct.sink.http.ssl.key.password");
  return tls;
}

HttpLogin LoginOf(const config::PropertySet& properties) {
  constexpr absl::string_view kPrefix = "sink.http.authentication.";
  const auto text = [&](absl::string_view name) {
    return properties.Text(absl::StrCat(kPrefix, name));
  };
  const std::string type = properties.Text(kType);
  HttpLogin login;
  if (type == "jwt") {
    login.kind = HttpLogin::Kind::kJwt;
    login.url = text("jwt.url");
    login.user = text("jwt.username");
    login.password = text("jwt.password");
    login.token_minutes =
        static_cast<int>(properties.Integer("sink.http.authentication.jwt.token_expiration"));
    login.refresh_token_minutes = static_cast<int>(
        properties.Integer("sink.http.authentication.jwt.refresh_token_expiration"));
  } else if (type == "oauth2") {
    login.kind = HttpLogin::Kind::kOAuth2;
    login.url = text("oauth2.token-url");
    login.user = text("oauth2.client-id");
    login.password = text("oauth2.client-secret");
    login.scope = text("oauth2.scope");
  } else if (type == "standard-webhooks") {
    login.kind = HttpLogin::Kind::kStandardWebhooks;
    login.key = WebhookKey(properties.Text(kSecret)).value_or("");
  }
  return login;
}

// As Debezium Server has it.
std::string ContentTypeOf(const config::PropertySet& properties) {
  const config::Property* const converter = properties.Find("value.converter");
  const std::string name = converter == nullptr ? "" : converter->value;
  if (absl::EndsWith(name, "CloudEventsConverter")) return "application/cloudevents+json";
  if (absl::EndsWith(name, "AvroConverter")) return "avro/bytes";
  return "application/json";
}

}  // namespace

absl::Span<const config::PropertyDefinition> HttpSinkProperties() { return kRows; }

std::vector<FixedPlace> HttpPlaces(const PropertyText&) {
  return {{kUrl}, {kLetterUrl}, {kLetterFile}};
}

void CheckHttpSink(const config::PropertySet& properties, config::Findings* findings) {
  if (properties.Text("sink") != "http") return;
  if (!properties.IsSet(kUrl))
    findings->Error(kUrl, "A value is required when sink=http",
                    "add the receiver's URL, as in http://receiver:8080/events");
  const std::string type = properties.Text(kType);
  if (type == "jwt")
    RequireFor(type, {"jwt.url", "jwt.username", "jwt.password"}, properties, findings);
  if (type == "oauth2")
    RequireFor(type, {"oauth2.token-url", "oauth2.client-id", "oauth2.client-secret"}, properties,
               findings);
  if (type == "standard-webhooks") RequireFor(type, {"webhook.secret"}, properties, findings);
  if (properties.IsSet("walduct.sink.http.ssl.key") !=
      properties.IsSet("walduct.sink.http.ssl.certificate"))
    findings->Error("walduct.sink.http.ssl.key",
                    "goes with walduct.sink.http.ssl.certificate, and neither without the other",
                    "set both, or remove it");
  if (properties.Integer("walduct.sink.http.max.in.flight") > 256)
    findings->Error("walduct.sink.http.max.in.flight", "is more than 256, the most at once",
                    "16 is as fast as most receivers are");
  CheckLetters(properties, findings);
}

HttpSinkOptions BuildHttpSink(const config::PropertySet& properties) {
  HttpSinkOptions options;
  options.url = TextTemplate::Parse(properties.Text(kUrl)).value_or(TextTemplate());
  options.content_type = ContentTypeOf(properties);
  options.header_prefix = properties.Text("sink.http.headers.prefix");
  options.base64 = properties.Boolean("sink.http.headers.encode.base64");
  options.headers =
      ParseHeaders(properties.Text("walduct.sink.http.headers")).value_or(NamedTemplates());
  options.id_header = properties.Text("walduct.sink.http.id.header");
  options.tombstones = properties.Text("walduct.sink.http.tombstones") == "send";
  options.batch = properties.Boolean("sink.http.batch.enabled");
  options.batch_most = static_cast<size_t>(properties.Integer("sink.http.batch.max-size"));
  options.in_flight = static_cast<size_t>(properties.Integer("walduct.sink.http.max.in.flight"));
  options.steady_attempts = static_cast<int>(properties.Integer("sink.http.retries"));
  if (properties.IsSet("sink.http.retries")) options.attempts = options.steady_attempts;
  options.refused_attempts =
      properties.IsSet("walduct.sink.http.refused.attempts")
          ? static_cast<int>(properties.Integer("walduct.sink.http.refused.attempts"))
          : options.steady_attempts;
  options.retry_pause = properties.Milliseconds("sink.http.retry.interval.ms");
  options.longest_pause = properties.Milliseconds("walduct.sink.http.retry.max.ms");
  options.timeout = properties.Milliseconds("sink.http.timeout.ms");
  options.login = LoginOf(properties);
  options.tls = TlsOf(properties);
  options.proxy = properties.Text("walduct.sink.http.proxy");
  options.http_2 = properties.Text("walduct.sink.http.version") == "2";
  options.letter_url = properties.Text(kLetterUrl);
  options.letter_file = properties.Text(kLetterFile);
  return options;
}

}  // namespace walduct::sink
