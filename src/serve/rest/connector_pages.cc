// Pages of ConnectHandler about connectors and their tasks.
#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/percent.h"
#include "java/hash/hash_code.h"
#include "serve/rest/answers.h"
#include "serve/rest/connect_handler.h"

namespace walduct::serve {
namespace {

http::Response NoStatus(const std::string& name) {
  return ErrorAnswer(404, absl::StrCat("No status found for connector ", name));
}

bool Flag(const http::Request& request, const std::string& name) {
  const auto found = request.query.find(name);
  return found != request.query.end() && absl::EqualsIgnoreCase(found->second, "true");
}

// The name of the path counts; "name" of the configuration has to be the same.
absl::Status SetName(const std::string& name, ConfigMap* config) {
  const std::string* given = FindValue(*config, "name");
  if (given != nullptr && *given != name) {
    return absl::InvalidArgumentError(absl::StrCat("Connector name configuration (", *given,
                                                   ") doesn't match connector name in the URL (",
                                                   name, ")"));
  }
  PutValue(config, "name", name);
  return absl::OkStatus();
}

ConfigMap Patched(ConfigMap config, const ConfigMap& patch) {
  for (const auto& [key, value] : patch) {
    if (value) {
      PutValue(&config, key, value);
    } else {
      EraseKey(&config, key);
    }
  }
  return config;
}

absl::StatusOr<TargetState> InitialState(const std::optional<std::string>& word) {
  if (!word || absl::EqualsIgnoreCase(*word, "RUNNING")) return TargetState::kStarted;
  if (absl::EqualsIgnoreCase(*word, "PAUSED")) return TargetState::kPaused;
  if (absl::EqualsIgnoreCase(*word, "STOPPED")) return TargetState::kStopped;
  return absl::InvalidArgumentError(
      absl::StrCat("'", *word, "' is not an initial_state; use RUNNING, PAUSED or STOPPED"));
}

// As Java prints a HashMap; passwords stay out of it.
std::string MapText(ConfigMap config) {
  const size_t buckets = java::HashMapBuckets(config.size());
  const auto bucket = [buckets](const auto& entry) {
    return java::SpreadHash(java::StringHash(entry.first)) & (buckets - 1);
  };
  std::stable_sort(config.begin(), config.end(),
                   [&](const auto& one, const auto& other) { return bucket(one) < bucket(other); });
  std::vector<std::string> entries;
  for (const auto& [key, value] : config) {
    const bool secret = absl::EndsWith(key, "password") || absl::StrContains(key, "secret");
    entries.push_back(absl::StrCat(key, "=", secret ? "[hidden]" : value.value_or("null")));
  }
  return absl::StrCat("{", absl::StrJoin(entries, ", "), "}");
}

absl::Status CheckClass(const ConfigMap& config) {
  const std::string* name = FindValue(config, "connector.class");
  if (name == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("Connector config ", MapText(config), " contains no connector type"));
  }
  const Plugin* plugin = FindPlugin(*name);
  if (plugin == &ConnectorPlugin()) return absl::OkStatus();
  const Plugin& known = ConnectorPlugin();
  const std::string version = known.version();
  return absl::InvalidArgumentError(absl::StrCat(
      "Failed to find any class that implements Connector and which name matches ", *name,
      ", available connectors are: PluginDesc{klass=class ", known.class_name, ", name='",
      known.class_name, "', version='", version, "', encodedVersion=", version,
      ", type=source, typeName='source', location='walduct'}"));
}

}  // namespace

absl::Status ConnectHandler::Check(const ConfigMap& config) const {
  if (absl::Status known = CheckClass(config); !known.ok()) return known;
  const std::vector<std::string> errors = Validate(config, parts_.loader->Questions()).errors();
  if (errors.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("Connector configuration is invalid and contains the following ", errors.size(),
                   " error(s):\n", absl::StrJoin(errors, "\n"),
                   "\nYou can also find the above list of errors at the endpoint "
                   "`/connector-plugins/{connectorType}/config/validate`"));
}

// JAX-RS leaves in a path what RFC 3986 allows there.
std::string ConnectHandler::PlaceOf(const std::string& name, const http::Request& request) {
  return absl::StrCat(request.encrypted ? "https://" : "http://", request.host, "/connectors/",
                      EncodePercent(name, "-._~!$&'()*+,;=:@/"));
}

http::Response ConnectHandler::List(const Path&, const http::Request& request) {
  const std::optional<admin::Expansion> expansion = admin::ExpansionOf(request);
  std::vector<admin::ListedConnector> listed;
  for (const std::string& name : parts_.worker->Names()) {
    admin::ListedConnector one{.name = name};
    if (expansion) {
      const std::optional<ConnectorView> view = parts_.worker->Find(name);
      const std::optional<StatusView> state = parts_.worker->StatusOf(name);
      if (!view || !state) continue;  // deleted meanwhile
      if (expansion->status) one.status = StatusJson(*state);
      if (expansion->info) one.info = InfoJson(*view);
    }
    listed.push_back(std::move(one));
  }
  return Json(admin::ListJson(listed, expansion.has_value()));
}

http::Response ConnectHandler::Create(const Path&, const http::Request& request) {
  absl::StatusOr<CreateRequest> body = ParseCreateRequest(request.body);
  if (!body.ok()) return ErrorAnswer(body.status());
  if (!body->config)
    return ErrorAnswer(400, "The request has no 'config': {\"name\":…,\"config\":{…}}");
  const std::string name(absl::StripAsciiWhitespace(body->name.value_or("")));
  const absl::StatusOr<TargetState> target = InitialState(body->initial_state);
  if (!target.ok()) return ErrorAnswer(target.status());
  ConfigMap config = *std::move(body->config);
  absl::Status status = SetName(name, &config);
  if (status.ok()) status = Check(config);
  if (status.ok()) status = parts_.worker->Create(name, config, *target);
  if (!status.ok()) return ErrorAnswer(status);
  http::Response response = Json(InfoJson({.name = name, .config = config}), 201);
  response.headers.emplace_back("Location", PlaceOf(name, request));
  return response;
}

http::Response ConnectHandler::Info(const Path& path, const http::Request&) {
  const std::optional<ConnectorView> view = parts_.worker->Find(path[1]);
  return view ? Json(InfoJson(*view)) : ConnectorNotFound(path[1]);
}

http::Response ConnectHandler::GetConfig(const Path& path, const http::Request&) {
  const std::optional<ConnectorView> view = parts_.worker->Find(path[1]);
  return view ? Json(ConfigJson(view->config)) : ConnectorNotFound(path[1]);
}

http::Response ConnectHandler::Delete(const Path& path, const http::Request&) {
  const absl::Status status = parts_.worker->Delete(path[1]);
  if (absl::IsNotFound(status)) return ConnectorNotFound(path[1]);
  return status.ok() ? Empty(204) : ErrorAnswer(status);
}

http::Response ConnectHandler::PutConfig(const Path& path, const http::Request& request) {
  absl::StatusOr<ConfigMap> config = ParseConfig(request.body);
  if (!config.ok()) return ErrorAnswer(config.status());
  if (absl::Status named = SetName(path[1], &*config); !named.ok()) return ErrorAnswer(named);
  return Configured(path[1], *config, request, false);
}

http::Response ConnectHandler::PatchConfig(const Path& path, const http::Request& request) {
  constexpr int kTries = 5;
  const absl::StatusOr<ConfigMap> patch = ParseConfig(request.body);
  if (!patch.ok()) return ErrorAnswer(patch.status());
  http::Response answer;
  // What came while this one was checked, or was not read yet by who leads since a moment ago, is
  // not undone by what was there before.
  for (int tries = 0; tries < kTries; ++tries) {
    const std::optional<uint64_t> version = parts_.worker->VersionOf(path[1]);
    const std::optional<ConnectorView> view = parts_.worker->Find(path[1]);
    if (!view) return ConnectorNotFound(path[1]);
    answer = Configured(path[1], Patched(view->config, *patch), request, true, version);
    if (answer.status != 409 || parts_.worker->VersionOf(path[1]) == version) break;
  }
  return answer;
}

http::Response ConnectHandler::Configured(const std::string& name, const ConfigMap& config,
                                          const http::Request& request, bool expects,
                                          std::optional<uint64_t> made_of) {
  if (absl::Status right = Check(config); !right.ok()) return ErrorAnswer(right);
  const absl::StatusOr<bool> created = parts_.worker->PutConfig(name, config, expects, made_of);
  if (absl::IsNotFound(created.status())) return ConnectorNotFound(name);
  if (!created.ok()) return ErrorAnswer(created.status());
  const std::optional<ConnectorView> view = parts_.worker->Find(name);
  const int tasks = view && !*created ? view->tasks : 0;
  http::Response response =
      Json(InfoJson({.name = name, .config = config, .tasks = tasks}), *created ? 201 : 200);
  if (*created) response.headers.emplace_back("Location", PlaceOf(name, request));
  return response;
}

http::Response ConnectHandler::Status(const Path& path, const http::Request&) {
  const std::optional<StatusView> view = parts_.worker->StatusOf(path[1]);
  return view ? Json(StatusJson(*view)) : NoStatus(path[1]);
}

http::Response ConnectHandler::Tasks(const Path& path, const http::Request&) {
  const std::optional<ConnectorView> view = parts_.worker->Find(path[1]);
  return view ? Json(TasksJson(*view)) : ConnectorNotFound(path[1]);
}

http::Response ConnectHandler::TaskStatus(const Path& path, const http::Request&) {
  int task = 0;
  if (!absl::SimpleAtoi(path[3], &task)) return ErrorAnswer(404, "HTTP 404 Not Found");
  const std::optional<StatusView> view = parts_.worker->StatusOf(path[1]);
  if (view && view->task && task == 0) return Json(TaskStatusJson(*view));
  return ErrorAnswer(404, absl::StrCat("No status found for task ", path[1], "-", task));
}

http::Response ConnectHandler::RestartTask(const Path& path, const http::Request&) {
  int task = 0;
  if (!absl::SimpleAtoi(path[3], &task)) return ErrorAnswer(404, "HTTP 404 Not Found");
  if (!parts_.worker->Find(path[1]))
    return ErrorAnswer(404, absl::StrCat("Unknown connector: ", path[1]));
  const absl::Status status = parts_.worker->RestartTask(path[1], absl::StrCat(task));
  return status.ok() ? Empty(204) : ErrorAnswer(status);
}

http::Response ConnectHandler::Restart(const Path& path, const http::Request& request) {
  const bool include_tasks = Flag(request, "includeTasks");
  const bool only_failed = Flag(request, "onlyFailed");
  const absl::StatusOr<StatusView> view =
      parts_.worker->Restart(path[1], include_tasks, only_failed);
  if (absl::IsNotFound(view.status()))
    return ErrorAnswer(404, absl::StrCat("Unknown connector: ", path[1]));
  if (!view.ok()) return ErrorAnswer(view.status());
  return include_tasks || only_failed ? Json(StatusJson(*view), 202) : Empty(204);
}

http::Response ConnectHandler::Changed(const std::string& name, TargetState target, int status) {
  const absl::Status changed = parts_.worker->SetTarget(name, target);
  return changed.ok() ? Empty(status) : ErrorAnswer(changed);
}

http::Response ConnectHandler::Pause(const Path& path, const http::Request&) {
  return Changed(path[1], TargetState::kPaused, 202);
}

http::Response ConnectHandler::Resume(const Path& path, const http::Request&) {
  return Changed(path[1], TargetState::kStarted, 202);
}

http::Response ConnectHandler::Stop(const Path& path, const http::Request&) {
  return Changed(path[1], TargetState::kStopped, 204);
}

http::Response ConnectHandler::Topics(const Path& path, const http::Request&) {
  JsonWriter json;
  json.Object().Key(path[1]).Object().Key("topics").Array();
  for (const std::string& topic : parts_.worker->TopicsOf(path[1])) json.Text(topic);
  return Json(json.EndArray().EndObject().EndObject().text());
}

http::Response ConnectHandler::ResetTopics(const Path& path, const http::Request&) {
  const absl::Status status = parts_.worker->ResetTopics(path[1]);
  return status.ok() ? Empty(202) : ErrorAnswer(status);
}

}  // namespace walduct::serve
