// Bodies of Kafka Connect's REST interface about one connector, as Connect 4.3 writes them; for
// those who only read (connect_pages) and for a worker (room rest). Pure.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "engine/control/status_board.h"

namespace walduct::admin {

struct TaskView {
  std::string state;
  std::string trace = {};  // empty: none
};

struct StatusView {
  std::string name, state, trace, worker_id, version;
  std::optional<TaskView> task;
};

struct InfoView {
  std::string name;
  std::string config;  // JSON
  bool has_task = true;
  absl::string_view type = "source";
};

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
