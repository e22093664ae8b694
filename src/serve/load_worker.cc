#include "serve/load_worker.h"

#include <unistd.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "config/properties/findings.h"
#include "config/properties/masking.h"
#include "config/property_checks.h"
#include "console/console_properties.h"
#include "http/address.h"
#include "kafka/client_properties.h"
#include "kafka/options.h"
#include "loader/all_properties.h"
#include "loader/session_properties.h"
#include "loader/worker_listeners.h"
#include "postgres/host_checks.h"

namespace walduct::serve {
namespace {

constexpr absl::string_view kInstance = "walduct.group.instance.id";

// What a worker of Connect takes and this one does not: refused rather than not done.
struct Refused {
  absl::string_view name;
  absl::string_view harmless;  // this value asks for nothing
  absl::string_view instead;
};
constexpr Refused kRefused[] = {
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

// Each is read as a whole, and compacted by keys of its own.
void KeepApart(const config::PropertySet& properties, config::Findings* findings) {
  constexpr std::array<absl::string_view, 3> kTopics = {
      "offset.storage.topic", "config.storage.topic", "status.storage.topic"};
  for (size_t i = 0; i < kTopics.size(); ++i) {
    for (size_t other = 0; other < i; ++other) {
      const std::string topic = TextOf(properties, kTopics[i]);
      if (topic.empty() || topic != TextOf(properties, kTopics[other])) continue;
      findings->Error(*properties.Find(kTopics[i]),
                      absl::StrCat("is the topic of ", kTopics[other], " too"),
                      "give each of the three its own, as the file of connect-distributed has it");
    }
  }
}

int NumberOf(const config::PropertySet& properties, absl::string_view name, int otherwise,
             config::Findings* findings) {
  if (!properties.IsSet(name)) return otherwise;
  int number = 0;
  if (absl::SimpleAtoi(TextOf(properties, name), &number) && (number > 0 || number == -1))
    return number;
  findings->Error(*properties.Find(name), "must be a positive number or -1",
                  "use one, or remove it");
  return otherwise;
}

InternalTopicOptions TopicOf(const config::PropertySet& properties, absl::string_view role,
                             int partitions, config::Findings* findings) {
  const std::string prefix = absl::StrCat(role, ".storage.");
  InternalTopicOptions topic;
  topic.name = TextOf(properties, prefix + "topic");
  // Configurations have one order: one partition.
  topic.partitions =
      role == "config" ? 1 : NumberOf(properties, prefix + "partitions", partitions, findings);
  topic.replication_factor = NumberOf(properties, prefix + "replication.factor", -1, findings);
  return topic;
}

std::string HostName() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

// The listener that others are told of: the one asked for, else the first http one.
const access::ListenerOptions* Advertised(const config::PropertySet& properties,
                                          const std::vector<access::ListenerOptions>& listeners) {
  const std::string asked = TextOf(properties, "rest.advertised.listener");
  const access::ListenerOptions* found = nullptr;
  for (const access::ListenerOptions& one : listeners) {
    if (one.listens == access::Listens::kAdminOnly) continue;
    const bool https = one.tls != nullptr;
    if (found == nullptr) found = &one;
    if (https == absl::EqualsIgnoreCase(asked, "https")) return &one;
  }
  return found;
}

std::string WorkerId(const config::PropertySet& properties,
                     const std::vector<access::ListenerOptions>& listeners,
                     config::Findings* findings) {
  const access::ListenerOptions* const one = Advertised(properties, listeners);
  if (one == nullptr) return "";
  std::string host = TextOf(properties, "rest.advertised.host.name");
  const std::string& bound = one->address.host;
  if (host.empty()) host = bound == "0.0.0.0" || bound == "::" ? HostName() : bound;
  const int port = NumberOf(properties, "rest.advertised.port", one->address.port, findings);
  return http::Address{.host = std::string(postgres::WithoutBrackets(host)), .port = port}
      .ToString();
}

constexpr absl::string_view kSession = "session.timeout.ms", kHeartbeat = "heartbeat.interval.ms";

// Of connectors it is another property, which is theirs.
const config::Property* OfWorker(const config::PropertySet& properties, absl::string_view name) {
  const config::Property* const found = properties.IsSet(name) ? properties.Find(name) : nullptr;
  return found != nullptr && found->layer == config::Layer::kWorker ? found : nullptr;
}

kafka::GroupTiming TimingOf(const config::PropertySet& properties, config::Findings* findings) {
  kafka::GroupTiming timing;
  const config::Property* const session = OfWorker(properties, kSession);
  const config::Property* const heartbeat = OfWorker(properties, kHeartbeat);
  for (const auto& [property, value] :
       {std::pair{session, &timing.session}, std::pair{heartbeat, &timing.heartbeat}}) {
    if (property == nullptr) continue;
    int milliseconds = 0;
    if (!absl::SimpleAtoi(property->value, &milliseconds) || milliseconds <= 0) {
      findings->Error(*property, "must be a number of milliseconds", "use one, or remove it");
      return {};
    }
    *value = absl::Milliseconds(milliseconds);
  }
  const kafka::TimingVerdict verdict = kafka::JudgeTiming(timing);
  if (verdict.what.empty()) return timing;
  const config::Property* const named = session != nullptr ? session : heartbeat;
  findings->Error(*named,
                  session != nullptr ? verdict.what
                                     : absl::StrCat("does not go with walduct.group.share=true: "
                                                    "the session of ",
                                                    absl::ToInt64Milliseconds(timing.session),
                                                    " ms ", verdict.what),
                  verdict.instead);
  return timing;
}

WorkerOptions Build(const config::PropertySet& properties, const std::string& login_file,
                    config::Findings* findings) {
  CheckRefused(properties, findings);
  RequireAll(properties, findings);
  KeepApart(properties, findings);
  WorkerOptions options;
  options.group_id = TextOf(properties, "group.id");
  options.configs = TopicOf(properties, "config", 1, findings);
  options.offsets = TopicOf(properties, "offset", 25, findings);
  options.status = TopicOf(properties, "status", 5, findings);
  options.clients =
      std::make_shared<const kafka::KafkaOptions>(kafka::BuildWorkerKafka(properties));
  options.listeners = loader::BuildListeners(properties, findings);
  options.access = loader::BuildAccess(properties, login_file, findings);
  options.session = loader::BuildSession(properties, findings);
  options.between = loader::BuildBetween(properties, options.listeners);
  options.worker_id = WorkerId(properties, options.listeners, findings);
  options.shares = TextOf(properties, "walduct.group.share") == "true";
  if (options.shares) options.timing = TimingOf(properties, findings);
  options.instance = TextOf(properties, kInstance);
  if (!options.instance.empty() && !options.shares)
    findings->Error(*properties.Find(kInstance), "needs walduct.group.share=true",
                    "set that, or remove it");
  if (const access::ListenerOptions* const told = Advertised(properties, options.listeners))
    options.url = absl::StrCat(told->tls == nullptr ? "http://" : "https://", options.worker_id);
  return options;
}

}  // namespace

WorkerResult LoadWorker(config::LoadRequest request, const std::string& login_file) {
  WorkerResult result;
  request.connector_values.emplace();
  const std::optional<config::PropertySet> properties =
      config::ReadProperties(request, loader::AllProperties(), &result);
  if (!properties) return result;
  const config::Masking masking(*properties);
  config::Findings findings(*properties, masking);
  result.properties = config::CheckProperties(*properties, masking, &findings);
  result.console = console::BuildConsole(*properties);
  result.options = Build(*properties, login_file, &findings);
  config::CloseReport(*properties, &findings, &result);
  return result;
}

std::string WorkerUrl(const WorkerOptions& options) {
  for (const access::ListenerOptions& one : options.listeners) {
    absl::string_view host = options.worker_id;
    if (one.address.port == 0 || !absl::ConsumeSuffix(&host, absl::StrCat(":", one.address.port)))
      continue;
    return absl::StrCat(one.tls == nullptr ? "http://" : "https://", options.worker_id);
  }
  return "";
}

}  // namespace walduct::serve
