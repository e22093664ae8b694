// Attempt: what is said of the transforms, and what is created on the servers before anything is
// read.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "engine/environment/chain_preview.h"
#include "engine/lifecycle/attempt.h"
#include "replication/publication.h"
#include "replication/replica_identity.h"
#include "route/topic_naming.h"
#include "snapshot/transaction.h"

namespace walduct::engine {

using postgres::Connection;
using postgres::SessionKind;

absl::Status Attempt::PreviewTransforms() {
  ASSIGN_OR_RETURN(const ChainPreview preview, PreviewChain(config(), *sql_, *catalog_, captured_));
  event_tables_ = preview.event_tables;
  for (const std::string& notice : preview.notices) options_.warn_once->Warn(notice);
  for (const std::string& problem : preview.problems) options_.warn_once->Warn(problem);
  return absl::OkStatus();
}

absl::Status Attempt::WarnOfHistory(postgres::Connection& connection,
                                    const std::vector<snapshot::PlannedTable>& plan) {
  for (const snapshot::PlannedTable& planned : plan) {
    const std::string name = absl::StrCat(planned.name.schema, ".", planned.name.table);
    const bool event =
        std::find(event_tables_.begin(), event_tables_.end(), name) != event_tables_.end();
    // An override says which rows are wanted.
    if (!event || planned.select != snapshot::SelectStatement(*planned.schema)) continue;
    ASSIGN_OR_RETURN(const std::string warning, HistoryWarning(connection, planned.select, name));
    if (!warning.empty()) options_.warn_once->Warn(warning);
  }
  return absl::OkStatus();
}

absl::Status Attempt::PrepareServer() {
  if (decision_.snapshot) {
    const auto tables = snapshot::SelectTables(captured_, config().snapshot, config().tables);
    RETURN_IF_ERROR(postgres::CheckSnapshotPrivileges(*sql_, tables));
  }
  if (decision_.stream && !slot_) RETURN_IF_ERROR(postgres::CheckFreeSlot(*sql_));
  RETURN_IF_ERROR(PrepareTopics());
  if (!decision_.stream) return absl::OkStatus();
  // PostgreSQL reads publications as of the moment of a change: one created after the slot would
  // not be found for ever.
  if (options_.mode == RunMode::kTail) {
    ASSIGN_OR_RETURN(tail_publication_,
                     TailPublication::Ensure(*sql_, replication_options_, captured_));
    replication_options_.publication_name = tail_publication_->name();
  } else {
    RETURN_IF_ERROR(replication::SetReplicaIdentities(
        *sql_, replication_options_.replica_identities, captured_));
    RETURN_IF_ERROR(outbox_.BeforePublication(*sql_, replication_options_.publication_name));
    RETURN_IF_ERROR(replication::EnsurePublication(*sql_, replication_options_, captured_));
    RETURN_IF_ERROR(outbox_.AfterPublication(*sql_, !stored_, ReadsOutboxRows()));
  }
  return slot_ ? absl::OkStatus() : CreateMissingSlot();
}

absl::Status Attempt::PrepareTopics() {
  const absl::Status prepared = sink_->PrepareTopics(KnownTopics());
  // A topic's name that Kafka refuses is the error of each of its records.
  const bool of_records = absl::IsInvalidArgument(prepared) && config().record_errors.tolerate;
  if (of_records) log::Warn(std::string(prepared.message()), {{"hint", ErrorHint(prepared)}});
  return of_records ? absl::OkStatus() : prepared;
}

// What transforms make of the topics shows with the records.
std::vector<std::string> Attempt::KnownTopics() const {
  std::vector<std::string> topics;
  if (!config().chain.transforms.empty()) return topics;
  const route::TopicNaming naming(config().transform);
  for (const postgres::TableName& table : captured_)
    topics.push_back(naming.TableTopic(table.schema, table.table));
  if (config().transform.transaction_metadata && decision_.stream)
    topics.push_back(route::TransactionTopic(config().transform));
  if (config().heartbeat.interval > absl::ZeroDuration())
    topics.push_back(route::HeartbeatTopic(config().transform));
  return topics;
}

absl::Status Attempt::CreateMissingSlot() {
  log::Info("creating replication slot", {{"slot", replication_options_.slot_name}});
  ASSIGN_OR_RETURN(created_slot_,
                   replication::CreateSlot(*replication_, *sql_, replication_options_,
                                           [this] { return options_.stop->requested(); }));
  start_ = {};
  start_.commit_end = created_slot_->consistent_point;
  start_.change_lsn = created_slot_->consistent_point;
  log::Info("replication slot created", {{"slot", replication_options_.slot_name},
                                         {"consistent_point", start_.commit_end.ToString()}});
  return outbox_.enabled() && !ReadsOutboxRows() ? CheckNoOutboxHistory() : absl::OkStatus();
}

bool Attempt::ReadsOutboxRows() const {
  return decision_.snapshot && !config().snapshot.include_collections;
}

// What was written between the first check and the slot.
absl::Status Attempt::CheckNoOutboxHistory() {
  ASSIGN_OR_RETURN(const auto connection,
                   Connection::Open({.database = config().database,
                                     .kind = SessionKind::kSql,
                                     .application_name = "walduct " + config().name + " outbox",
                                     .environment = environment()}));
  RETURN_IF_ERROR(
      snapshot::BeginOnSnapshot(*connection, {.snapshot_name = created_slot_->snapshot_name,
                                              .lock_timeout = config().snapshot.lock_timeout})
          .status());
  return outbox_.CheckNoHistory(*connection);
}

}  // namespace walduct::engine
