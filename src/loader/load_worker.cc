#include "loader/load_worker.h"

#include <unistd.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "config/properties/findings.h"
#include "config/properties/masking.h"
#include "config/property_checks.h"
#include "java/text/text_lists.h"
#include "kafka/client_properties.h"
#include "kafka/options.h"
#include "loader/all_properties.h"

namespace walduct::loader {
namespace {

constexpr absl::string_view kDefaultListener = "http://:8083";

// What a worker of Connect takes and this one does not: refused rather than not done.
struct Refused {
  absl::string_view name;
  absl::string_view harmless;  // this value asks for nothing
  absl::string_view instead;
};
constexpr Refused kRefused[] = {
    {"admin.listeners", "", "remove it: /admin/loggers is served on 'listeners'"},
    {"rest.extension.classes", "", "remove it, and let a proxy ask for passwords"},
    {"response.http.headers.config", "", "remove it, and let a proxy add headers"},
    {"access.control.allow.origin", "", "remove it, and let a proxy answer for other origins"},
    {"access.control.allow.methods", "", "remove it, and let a proxy answer for other origins"},
    {"topic.tracking.enable", "true", "remove it: topics are always tracked"},
    {"topic.tracking.allow.reset", "true", "remove it: topics can always be reset"},
    {"walduct.listen", "", "use 'listeners'"},
    {"offset.storage.file.filename", "", "remove it: positions are kept in 'offset.storage.topic'"},
};

std::string TextOf(const config::PropertySet& properties, absl::string_view name) {
  return properties.IsSet(name) ? properties.Find(name)->value : "";
}

void CheckRefused(const config::PropertySet& properties, config::Findings* findings) {
  for (const Refused& one : kRefused) {
    const std::string value = TextOf(properties, one.name);
    if (value.empty() || value == one.harmless) continue;
    findings->Error(*properties.Find(one.name), "is not supported by `walduct serve`", one.instead);
  }
}

void RequireAll(const config::PropertySet& properties, config::Findings* findings) {
  for (const absl::string_view name :
       {"group.id", "config.storage.topic", "offset.storage.topic", "status.storage.topic"}) {
    if (!properties.IsSet(name))
      findings->Error(name, "is required by `walduct serve`",
                      "take it over from the file of connect-distributed");
  }
}

int NumberOf(const config::PropertySet& properties, absl::string_view name, int otherwise,
             config::Findings* findings) {
  if (!properties.IsSet(name)) return otherwise;
  int number = 0;
  if (absl::SimpleAtoi(TextOf(properties, name), &number) && (number > 0 || number == -1))
    return number;
  findings->Error(*properties.Find(name), "is no positive number", "use a number, or remove it");
  return otherwise;
}

rest::InternalTopicOptions TopicOf(const config::PropertySet& properties, absl::string_view role,
                                   int partitions, config::Findings* findings) {
  const std::string prefix = absl::StrCat(role, ".storage.");
  rest::InternalTopicOptions topic;
  topic.name = TextOf(properties, prefix + "topic");
  // Configurations have one order: one partition.
  topic.partitions =
      role == "config" ? 1 : NumberOf(properties, prefix + "partitions", partitions, findings);
  topic.replication_factor = NumberOf(properties, prefix + "replication.factor", -1, findings);
  return topic;
}

http::Address ListenerOf(const config::PropertySet& properties, config::Findings* findings) {
  std::string text = TextOf(properties, "listeners");
  if (text.empty()) text = std::string(kDefaultListener);
  const std::vector<std::string> all = java::SplitCommaList(text);
  absl::string_view one = all.empty() ? absl::string_view() : absl::string_view(all[0]);
  if (all.size() > 1) {
    findings->Error("listeners", "names several listeners", "name one, such as http://:8083");
  } else if (!absl::ConsumePrefix(&one, "http://") && !absl::ConsumePrefix(&one, "HTTP://")) {
    findings->Error("listeners", "is no http:// listener",
                    "use http://HOST:PORT; for TLS listen on 127.0.0.1 behind a proxy");
  } else if (absl::StatusOr<http::Address> address =
                 http::ParseAddress(absl::StripSuffix(one, "/"));
             address.ok()) {
    return *std::move(address);
  } else {
    findings->Error("listeners", address.status().message(), "use http://HOST:PORT");
  }
  return {};
}

std::string HostName() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

std::string WorkerId(const config::PropertySet& properties, const http::Address& listen,
                     config::Findings* findings) {
  std::string host = TextOf(properties, "rest.advertised.host.name");
  if (host.empty()) host = listen.host == "0.0.0.0" ? HostName() : listen.host;
  return absl::StrCat(host, ":",
                      NumberOf(properties, "rest.advertised.port", listen.port, findings));
}

rest::WorkerOptions Build(const config::PropertySet& properties, config::Findings* findings) {
  CheckRefused(properties, findings);
  RequireAll(properties, findings);
  rest::WorkerOptions options;
  options.group_id = TextOf(properties, "group.id");
  options.configs = TopicOf(properties, "config", 1, findings);
  options.offsets = TopicOf(properties, "offset", 25, findings);
  options.status = TopicOf(properties, "status", 5, findings);
  options.clients =
      std::make_shared<const kafka::KafkaOptions>(kafka::BuildWorkerKafka(properties));
  options.listen = ListenerOf(properties, findings);
  options.worker_id = WorkerId(properties, options.listen, findings);
  return options;
}

}  // namespace

WorkerResult LoadWorker(config::LoadRequest request) {
  WorkerResult result;
  request.connector_values.emplace();
  const std::optional<config::PropertySet> properties =
      config::ReadProperties(request, AllProperties(), &result);
  if (!properties) return result;
  const config::Masking masking(*properties);
  config::Findings findings(*properties, masking);
  result.properties = config::CheckProperties(*properties, masking, &findings);
  result.options = Build(*properties, &findings);
  config::CloseReport(*properties, &findings, &result);
  return result;
}

}  // namespace walduct::loader
