// What Kafka Connect's REST interface answers to those who only read: bodies as Connect 4.3 writes
// them. A process that runs files has one worker, and connectors that nobody creates. Secrets in
// configurations are masked.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "admin/connect_bodies.h"
#include "admin/process_view.h"
#include "http/message.h"

namespace walduct::admin {

// A configuration as it may be shown.
using ShownConfig = std::vector<std::pair<std::string, std::string>>;

class ConnectPages {
 public:
  // configs: by connector. worker: the address that is listened on.
  ConnectPages(std::map<std::string, ShownConfig> configs, std::string worker)
      : configs_(std::move(configs)), worker_(std::move(worker)) {}

  // path: decoded, without the first slash and empty ends.
  http::Response Get(const std::vector<std::string>& path, const http::Request& request,
                     const ProcessView& process) const;

 private:
  http::Response List(const http::Request& request, const ProcessView& process) const;
  http::Response OfConnector(const std::vector<std::string>& path,
                             const ProcessView& process) const;
  std::string InfoOf(const std::string& name) const;
  std::string ConfigJson(const std::string& name, bool of_task) const;
  StatusView ViewOf(const ShownConnector& one) const;

  const std::map<std::string, ShownConfig> configs_;
  const std::string worker_;
};

// {"error_code":404,"message":"…"}
http::Response ConnectError(int status, const std::string& message);

}  // namespace walduct::admin
