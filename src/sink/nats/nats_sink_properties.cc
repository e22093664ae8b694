#include "sink/nats/nats_sink_properties.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "config/properties/address.h"
#include "nats/subject.h"
#include "sink/message_id.h"

namespace walduct::sink {
namespace {

using enum config::PropertyType;
using enum config::Support;

std::vector<std::string> ListOf(absl::string_view value) {
  std::vector<std::string> list;
  for (absl::string_view one : absl::StrSplit(value, ',', absl::SkipWhitespace()))
    list.emplace_back(absl::StripAsciiWhitespace(one));
  return list;
}

std::string CheckUrls(absl::string_view value) {
  const std::vector<std::string> urls = ListOf(value);
  if (urls.empty()) return "names no server";
  for (absl::string_view url : urls) {
    if (const size_t scheme = url.find("://"); scheme != absl::string_view::npos) {
      const absl::string_view name = url.substr(0, scheme);
      if (name == "ws" || name == "wss") return "asks for WebSocket, which libnats does not speak";
      if (name != "nats" && name != "tls")
        return absl::StrCat("has the scheme '", name, "', which is not nats or tls");
      url.remove_prefix(scheme + 3);
    }
    if (const size_t login = url.rfind('@'); login != absl::string_view::npos)
      url.remove_prefix(login + 1);
    absl::ConsumeSuffix(&url, "/");
    if (url.empty()) return "names no host";
    if (std::string why = config::CheckHostAndPort(url); !why.empty()) return why;
  }
  return "";
}

std::string CheckSubjects(absl::string_view value) {
  const std::vector<std::string> subjects = ListOf(value);
  if (subjects.empty()) return "names no subject";
  for (const std::string& subject : subjects) {
    if (const std::string why = nats::CheckPattern(subject); !why.empty())
      return absl::StrCat("has the subject '", subject, "', which ", why);
  }
  return "";
}

std::string CheckStream(absl::string_view value) {
  if (value.empty() || value.find_first_of(" \t.*>/\\") != absl::string_view::npos)
    return "is no name of a stream: it may have no spaces, dots, wildcards and slashes";
  return "";
}

constexpr config::PropertyDefinition kRows[] = {
    {.name = "sink.nats-jetstream.url",
     .doc = "NATS servers of one cluster for sink=nats-jetstream: nats://host:port, or tls://…, "
            "with commas between them. In Debezium Server's file this and the following are "
            "debezium.sink.nats-jetstream.….",
     .fix = "use nats://host:port, as in nats://nats:4222",
     .validator = CheckUrls},
    {.name = "sink.nats-jetstream.create-stream",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Create the stream at the start where it is missing."},
    {.name = "sink.nats-jetstream.stream-name",
     .default_value = "DebeziumStream",
     .doc = "Name of the stream to create.",
     .fix = "use letters, digits, _ and -",
     .validator = CheckStream},
    {.name = "sink.nats-jetstream.subjects",
     .default_value = "*.*.*",
     .doc = "Its subjects, with commas between them. A topic's name is its subject: *.*.* takes "
            "those of three parts.",
     .fix = "use subjects such as shop.>",
     .validator = CheckSubjects},
    {.name = "sink.nats-jetstream.storage",
     .default_value = "memory",
     .doc = "Where it keeps messages: file, or anything else for memory, which a restart of the "
            "server empties."},
    {.name = "sink.nats-jetstream.auth.user", .doc = "User."},
    {.name = "sink.nats-jetstream.auth.password",
     .type = kPassword,
     .doc = "Password of that user."},
    {.name = "sink.nats-jetstream.auth.jwt",
     .type = kPassword,
     .doc = "JWT of the user; goes before auth.user.",
     .secret = true},
    {.name = "sink.nats-jetstream.auth.seed",
     .type = kPassword,
     .doc = "Seed of its NKey (SU…).",
     .secret = true},
    {.name = "sink.nats-jetstream.auth.tls.keystore",
     .doc = "Our certificate and key: PEM, PKCS12 or JKS."},
    {.name = "sink.nats-jetstream.auth.tls.keystore.password",
     .type = kPassword,
     .doc = "Password of that store."},
    {.name = "sink.nats-jetstream.auth.tls.password",
     .type = kPassword,
     .doc = "Password of its key, where that has another one."},
    {.name = "sink.nats-jetstream.async.enabled",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Send on while acknowledgements are awaited. false: one message at a time."},
    {.name = "sink.nats-jetstream.async.timeout.ms",
     .type = kPositiveInt,
     .default_value = "5000",
     .doc = "How long an acknowledgement may take; then the connection is made anew, and what was "
            "not acknowledged is sent again."},
    {.name = "sink.nats-jetstream.sync.retries",
     .type = kPositiveInt,
     .default_value = "5",
     .support = kNoEffect,
     .doc = "Attempts of Debezium Server without async.enabled.",
     .note = "a server that is away, or takes nothing, is waited for"},
    {.name = "sink.nats-jetstream.sync.retry.interval.ms",
     .type = kPositiveInt,
     .default_value = "1000",
     .support = kNoEffect,
     .doc = "Pause between them.",
     .note = "as sink.nats-jetstream.sync.retries"},
    {.name = "sink.nats-jetstream.sync.retry.max.interval.ms",
     .type = kPositiveInt,
     .default_value = "60000",
     .support = kNoEffect,
     .doc = "Longest pause between them.",
     .note = "as sink.nats-jetstream.sync.retries"},
    {.name = "sink.nats-jetstream.sync.retry.backoff.multiplier",
     .default_value = "2.0",
     .support = kNoEffect,
     .doc = "How the pause grows.",
     .note = "as sink.nats-jetstream.sync.retries"},
    {.name = "walduct.sink.nats.credentials.path",
     .doc = "Credentials file (.creds), with JWT and seed."},
    {.name = "walduct.sink.nats.nkey.path",
     .doc = "File with the seed of an NKey, as nk -gen user prints it."},
    {.name = "walduct.sink.nats.token", .type = kPassword, .doc = "Token."},
    {.name = "walduct.sink.nats.tls.truststore.path",
     .doc = "Authorities to trust: PEM, PKCS12 or JKS. Not set: the system's."},
    {.name = "walduct.sink.nats.tls.truststore.password",
     .type = kPassword,
     .doc = "Password of that store."},
};

void CheckPair(const config::PropertySet& properties, absl::string_view one,
               absl::string_view other, config::Findings* findings) {
  if (properties.IsSet(one) && !properties.IsSet(other))
    findings->Error(one, absl::StrCat("has no effect without ", other),
                    absl::StrCat("set ", other));
}

}  // namespace

absl::Span<const config::PropertyDefinition> NatsSinkProperties() { return kRows; }

void CheckNatsSink(const config::PropertySet& properties, config::Findings* findings) {
  if (properties.Text("sink") != "nats-jetstream") return;
  if (!properties.IsSet("sink.nats-jetstream.url"))
    findings->Error("sink.nats-jetstream.url", "A value is required when sink=nats-jetstream",
                    "add the server's URL, as in nats://nats:4222");
  CheckPair(properties, "sink.nats-jetstream.auth.jwt", "sink.nats-jetstream.auth.seed", findings);
  CheckPair(properties, "sink.nats-jetstream.auth.seed", "sink.nats-jetstream.auth.jwt", findings);
  CheckPair(properties, "sink.nats-jetstream.auth.user", "sink.nats-jetstream.auth.password",
            findings);
  CheckPair(properties, "sink.nats-jetstream.auth.password", "sink.nats-jetstream.auth.user",
            findings);
}

NatsSinkOptions BuildNatsSink(const config::PropertySet& properties) {
  const auto text = [&](absl::string_view name) {
    return properties.Text(absl::StrCat("sink.nats-jetstream.", name));
  };
  NatsSinkOptions options;
  nats::NatsOptions& server = options.server;
  server.urls = ListOf(text("url"));
  server.jwt = text("auth.jwt");
  server.seed = text("auth.seed");
  server.credentials = properties.Text("walduct.sink.nats.credentials.path");
  server.nkey_seed = properties.Text("walduct.sink.nats.nkey.path");
  server.user = text("auth.user");
  server.password = text("auth.password");
  server.token = properties.Text("walduct.sink.nats.token");
  server.trust_store = properties.Text("walduct.sink.nats.tls.truststore.path");
  server.trust_store_password = properties.Text("walduct.sink.nats.tls.truststore.password");
  server.key_store = text("auth.tls.keystore");
  server.key_store_password = text("auth.tls.keystore.password");
  server.key_password = text("auth.tls.password");
  server.tls = !server.trust_store.empty() || !server.key_store.empty();
  for (const std::string& url : server.urls) server.tls |= absl::StartsWith(url, "tls://");
  server.answer_timeout = properties.Milliseconds("sink.nats-jetstream.async.timeout.ms");
  options.create_stream = properties.Boolean("sink.nats-jetstream.create-stream");
  options.stream = text("stream-name");
  options.subjects = ListOf(text("subjects"));
  options.file = text("storage") == "file";
  options.one_by_one = !properties.Boolean("sink.nats-jetstream.async.enabled");
  options.identity = IdentityOf(properties);
  return options;
}

}  // namespace walduct::sink
