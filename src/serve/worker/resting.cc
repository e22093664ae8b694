#include "serve/worker/resting.h"

#include <optional>
#include <utility>

namespace walduct::serve {

// Whether it rests.
bool RestingConnectors::Rest(const std::string& name) {
  if (connectors_.StatusOf(name) || worker_.assignment().WhereIs(name)) return false;
  const std::optional<uint64_t> version = worker_.VersionOf(name);
  const std::optional<StatusView> status = worker_.StatusOf(name);
  if (!version || !status) return false;
  const bool paused = status->state == "PAUSED";
  if (!paused && status->state != "STOPPED") return false;
  const auto found = known_.find(name);
  if (found != known_.end() && found->second.state == status->state &&
      found->second.version == *version)
    return true;
  const std::optional<ConnectorView> view = worker_.Find(name);
  if (!view) return false;
  // Of a newer one the next look makes the same again.
  known_[name] = {.version = *version, .state = status->state};
  ConfigMap config = view->config;
  PutValue(&config, "name", name);
  const Loaded loaded = loader_.Load(config);
  if (loaded.options == nullptr) return true;  // the start says why
  connectors_.Rest(*loaded.options,
                   paused ? engine::ConnectorState::kPaused : engine::ConnectorState::kStopped);
  return true;
}

void RestingConnectors::Anew(const std::string& name) {
  const MutexLock lock(mutex_);
  anew_.insert(name);
}

void RestingConnectors::Look() {
  {
    const MutexLock lock(mutex_);
    for (const std::string& name : anew_) known_.erase(name);
    anew_.clear();
  }
  std::set<std::string> names;
  for (const std::string& name : worker_.Names())
    if (Rest(name)) names.insert(name);
  std::erase_if(known_, [&names](const auto& one) { return !names.contains(one.first); });
  connectors_.KeepResting(names);
}

}  // namespace walduct::serve
