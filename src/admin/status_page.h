// /status: all that `walduct status` shows, as JSON. Members are added, never renamed.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "admin/process_view.h"
#include "base/json.h"

namespace walduct::admin {

// only: of this connector alone, with what was published of each of its tables; empty: of all.
std::string StatusJson(const ProcessView& process, absl::string_view only = "");

// As all pages write it.
std::string TimeText(absl::Time time);

// What the worker does and waits for, as its member "worker".
void WriteWorker(const WorkerView& worker, JsonWriter* json);

// /notifications: what connectors told last of their own doings, the oldest first.
std::string NotificationsJson(const ProcessView& process, absl::string_view only = "");

// What the console's live tail asks: records behind that number, as {"records": all since the
// start, "entries": […]}. Empty: no such connector runs. texts: with the beginnings of keys and
// values.
std::string TailJson(const ProcessView& process, absl::string_view connector, uint64_t after,
                     bool texts);

}  // namespace walduct::admin
