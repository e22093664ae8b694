#include "slot/incremental/notifier.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/log.h"
#include "incremental/options/incremental_options.h"

namespace walduct::slot {
namespace {

std::string LogText(const event::Notification& notification) {
  const std::string details = absl::StrJoin(notification.details, ", ", absl::PairFormatter("="));
  return absl::StrCat("[Notification Service]  {id='", notification.id, "', aggregateType='",
                      notification.aggregate, "', type='", notification.type, "', additionalData={",
                      details, "}, timestamp=", notification.time_ms, "}");
}

}  // namespace

// Without the keys of rows: who may look at the state of a connector need not see its data.
void Notifier::Show(const event::Notification& notification) {
  metrics::NotificationBoard::Entry entry{.at = absl::FromUnixMillis(notification.time_ms),
                                          .id = notification.id,
                                          .type = notification.type,
                                          .aggregate = notification.aggregate,
                                          .details = {}};
  for (const auto& detail : notification.details) {
    if (detail.first != "maximum_key" && detail.first != "last_processed_key")
      entry.details.push_back(detail);
  }
  parts_.board->Show(std::move(entry));
}

void Notifier::TellRead(const event::Notification& notification) {
  if (parts_.on_read == nullptr || notification.type != "TABLE_SCAN_COMPLETED") return;
  const std::string* table = nullptr;
  bool was_read = false;
  for (const auto& [name, value] : notification.details) {
    if (name == "scanned_collection") table = &value;
    if (name == "status") was_read = value == "SUCCEEDED" || value == "EMPTY";
  }
  if (table != nullptr && was_read) parts_.on_read(*table);
}

absl::Status Notifier::Send(const event::Notification& notification) {
  Show(notification);
  TellRead(notification);
  if (notification.is_extra && !parts_.options->tells_refusals) return absl::OkStatus();
  if (parts_.options->notifies_log) log::Info(LogText(notification));
  if (!parts_.options->notifies_sink) return absl::OkStatus();
  return parts_.pipeline->PublishNotification(notification, parts_.options->notification_topic);
}

absl::Status Notifier::Initial(absl::string_view type, Details details) {
  details.emplace(details.begin(), "connector_name", parts_.connector_name);
  return Send({.id = parts_.options->notifies() ? parts_.new_id() : "",
               .type = std::string(type),
               .aggregate = "Initial Snapshot",
               .details = std::move(details),
               .time_ms = absl::ToUnixMillis(parts_.clock->Now())});
}

absl::Status Notifier::Initial(absl::string_view type) {
  if (type == "STARTED") left_out_before_ = parts_.pipeline->rows_left_out();
  if (type != "COMPLETED" || rows_left_out() == 0) return Initial(type, Details());
  return Initial(type, {{"rows_left_out", absl::StrCat(rows_left_out())}});
}

void Notifier::LogCompleted(Lsn consistent_point, uint64_t rows) const {
  const std::string lsn = consistent_point.ToString();
  if (rows_left_out() == 0) return log::Info("snapshot completed", {{"lsn", lsn}, {"rows", rows}});
  log::Warn("snapshot completed, without all rows",
            {{"lsn", lsn}, {"rows", rows}, {"rows_left_out", rows_left_out()}});
}

absl::Status Notifier::OnTableBegin(const std::vector<std::string>& names, size_t index) {
  Join(names);
  return Initial("IN_PROGRESS", {{"current_collection_in_progress", names[index]},
                                 {"data_collections", names_text_}});
}

absl::Status Notifier::OnPartBegin(const std::vector<std::string>& names,
                                   const snapshot::PartPlace& place) {
  return Initial("TABLE_CHUNK_IN_PROGRESS", {{"current_collection_in_progress", names[place.table]},
                                             {"chunk_index", absl::StrCat(place.part)},
                                             {"total_chunks", absl::StrCat(place.parts)},
                                             {"total_rows_scanned", "0"}});
}

absl::Status Notifier::OnPartEnd(const std::vector<std::string>& names,
                                 const snapshot::PartPlace& place) {
  return Initial("TABLE_CHUNK_COMPLETED", {{"scanned_collection", names[place.table]},
                                           {"chunk_index", absl::StrCat(place.part)},
                                           {"total_chunks", absl::StrCat(place.parts)},
                                           {"status", "SUCCEEDED"},
                                           {"data_collections", AllTables(names)}});
}

absl::Status Notifier::OnTableFailed(const std::string& table) {
  return Initial("TABLE_SCAN_COMPLETED",
                 {{"scanned_collection", table}, {"status", "SQL_EXCEPTION"}});
}

// Each of thousands of tables is told of with the names of all.
void Notifier::Join(const std::vector<std::string>& names) {
  if (names == names_ && names_blocking_ == blocking_) return;
  names_ = names;
  names_blocking_ = blocking_;
  names_text_ = absl::StrJoin(names, ",");
  std::vector<std::string> all = names;
  if (!parts_.signal_table.empty() && !blocking_) all.push_back(parts_.signal_table);
  std::sort(all.begin(), all.end());
  sorted_text_ = absl::StrJoin(all, ",");
}

// At an end Debezium names the signaling table, too.
const std::string& Notifier::AllTables(const std::vector<std::string>& names) {
  Join(names);
  return sorted_text_;
}

absl::Status Notifier::OnTableEnd(const std::vector<std::string>& names, size_t index,
                                  uint64_t rows) {
  return Initial("TABLE_SCAN_COMPLETED", {{"scanned_collection", names[index]},
                                          {"total_rows_scanned", absl::StrCat(rows)},
                                          {"status", "SUCCEEDED"},
                                          {"data_collections", AllTables(names)}});
}

}  // namespace walduct::slot
