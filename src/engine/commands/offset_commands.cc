#include "engine/commands/offset_commands.h"

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "engine/configuration/connector_options.h"
#include "kafka/options.h"
#include "offset/offset_store_factory.h"
#include "offset/options.h"
#include "postgres/connection.h"
#include "postgres/connection_options.h"
#include "postgres/options.h"
#include "replication/options.h"
#include "replication/slot.h"
#include "route/options.h"

namespace walduct::engine {
namespace {

absl::Status RefuseWhileRunning(const ConnectorOptions& options, const Environment& environment) {
  auto connection = postgres::Connection::Open({.database = *options.database,
                                                .kind = postgres::SessionKind::kSql,
                                                .application_name = "walduct offsets",
                                                .environment = environment});
  if (!connection.ok()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto slot,
                   replication::InspectSlot(**connection, options.replication->slot_name));
  if (!slot || !slot->active) return absl::OkStatus();
  return Error(
      absl::StatusCode::kFailedPrecondition, "connector_running",
      absl::StrCat("replication slot ", options.replication->slot_name, " is in use by process ",
                   slot->active_pid, ": a running connector would overwrite what is stored now"),
      "stop the connector first");
}

absl::Status SaveAndWait(offset::OffsetStore& store, const offset::StoredOffset& offset,
                         absl::Duration timeout, const Environment& environment) {
  const auto [clock, poller] = environment;
  const absl::Duration deadline = clock->Monotonic() + timeout;
  RETURN_IF_ERROR(store.StartSave(offset));
  while (clock->Monotonic() < deadline) {
    if (const std::optional<absl::Status> answer = store.PollSave()) return *answer;
    poller->WaitReadable({store.ready_fd()}, absl::Milliseconds(20));
  }
  return Error(absl::StatusCode::kDeadlineExceeded, "offset_store_slow",
               "the offset could not be stored in time");
}

}  // namespace

absl::StatusOr<std::string> ReadOffsets(const ConnectorOptions& options,
                                        const Environment& environment) {
  ASSIGN_OR_RETURN(const auto store, offset::CreateOffsetStore(
                                         *options.offset, *options.kafka,
                                         {options.name, options.route->topic_prefix}, environment));
  ASSIGN_OR_RETURN(const auto stored, store->Load());
  return offset::EncodeRestBody(options.route->topic_prefix, stored);
}

absl::Status WriteOffsets(const ConnectorOptions& options, absl::string_view rest_body,
                          const Environment& environment) {
  ASSIGN_OR_RETURN(const auto wanted,
                   offset::DecodeRestBody(rest_body, options.route->topic_prefix));
  RETURN_IF_ERROR(RefuseWhileRunning(options, environment));
  ASSIGN_OR_RETURN(const auto store, offset::CreateOffsetStore(
                                         *options.offset, *options.kafka,
                                         {options.name, options.route->topic_prefix}, environment));
  // Loading first reads what else is in the store, and finds out whether it can be written to.
  RETURN_IF_ERROR(store->Load().status());
  if (!wanted) return store->Erase();
  return SaveAndWait(*store, *wanted, options.offset->flush_timeout, environment);
}

}  // namespace walduct::engine
