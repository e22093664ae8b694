// Bodies of Kafka Connect's REST interface about one connector, as Connect 4.3 writes them; for
// those who only read (connect_pages) and for a worker (room rest). Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "engine/control/status_board.h"
#include "http/message.h"

namespace walduct::admin {

// The release whose interface this is.
inline constexpr absl::string_view kConnectVersion = "4.3.0";

struct TaskView {
  std::string state;
  std::string trace = {};  // empty: none
  bool operator==(const TaskView&) const = default;
};

struct StatusView {
  std::string name, state, trace, worker_id, version;
  std::optional<TaskView> task;
  bool operator==(const StatusView&) const = default;
};

struct InfoView {
  std::string name;
  std::string config;  // JSON
  bool has_task = true;
  absl::string_view type = "source";
};

// Of "/".
std::string RootJson(absl::string_view cluster_id);

// What ?expand= asks for of each connector of a list; nothing: the names alone.
struct Expansion {
  bool info = false, status = false;
};
std::optional<Expansion> ExpansionOf(const http::Request& request);

// One connector of a list. The texts are JSON, and empty where they are not asked for.
struct ListedConnector {
  std::string name;
  std::string info = {}, status = {};
};
std::string ListJson(const std::vector<ListedConnector>& connectors, bool expanded);

std::string InfoJson(const InfoView& view);
std::string StatusJson(const StatusView& view);
// Of a view that has a task.
std::string TaskStatusJson(const StatusView& view);
// task_config: JSON.
std::string TasksJson(absl::string_view name, bool has_task, const std::string& task_config);

// {"error_code":404,"message":"…"}
std::string ErrorJson(int status, absl::string_view message);
// What a failed task shows in place of a Java trace: message, hint and reason.
std::string TraceOf(const engine::ConnectorError& error);

}  // namespace walduct::admin
