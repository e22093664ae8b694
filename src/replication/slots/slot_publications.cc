#include "replication/slots/slot_publications.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "postgres/oid_text.h"
#include "postgres/server_check.h"
#include "replication/publication/publication.h"
#include "replication/publication/publication_advice.h"
#include "replication/publication/publication_catalog.h"
#include "replication/publication/publication_errors.h"
#include "replication/publication/publication_sql.h"
#include "replication/slots/distribution.h"
#include "replication/slots/slot_catalog.h"

namespace walduct::replication {
namespace {

absl::StatusOr<std::vector<int>> DistributeCaptured(
    postgres::Connection& connection, const SlotShare& share,
    const std::vector<SlotPublication>& all, const std::vector<postgres::TableName>& captured) {
  ASSIGN_OR_RETURN(const std::vector<TableOfSlots> tables, WithParents(connection, captured));
  return Distribute(tables, NamesOf(all), share);
}

// One for each slot.
absl::StatusOr<std::vector<PublicationWish>> MakeWishes(
    postgres::Connection& connection, const SlotShare& share, const PublicationForm& form,
    const std::vector<SlotPublication>& all, const std::vector<postgres::TableName>& captured) {
  ASSIGN_OR_RETURN(const std::vector<int> slots,
                   DistributeCaptured(connection, share, all, captured));
  std::map<Oid, size_t> wanted;
  for (size_t i = 0; i < captured.size(); ++i)
    wanted.emplace(captured[i].relation, static_cast<size_t>(slots[i]) - 1);
  PublicationWish wish{.mode = PublicationAutocreate::kFiltered,
                       .tables = {},
                       .operations = {},
                       .via_partition_root = form.via_partition_root};
  if (form.operations)
    wish.operations = SplitOperations(*form.operations, connection.server_version());
  std::vector<PublicationWish> wishes(all.size(), wish);
  ASSIGN_OR_RETURN(const std::vector<PublishedTable> publishable,
                   PublishableTables(connection, captured));
  for (const PublishedTable& table : publishable)
    wishes[wanted.at(table.relation)].tables.push_back(table);
  return wishes;
}

std::vector<std::string> Statements(const std::vector<SlotPublication>& all,
                                    const std::vector<PublicationWish>& wishes) {
  std::vector<std::string> statements;
  for (size_t i = 0; i < all.size(); ++i) {
    std::string sql = all[i].state ? AlterPublicationSql(*all[i].state, wishes[i])
                                   : CreatePublicationSql(all[i].name, wishes[i]);
    if (!sql.empty()) statements.push_back(std::move(sql));
  }
  return statements;
}

void LogChanges(const std::vector<SlotPublication>& all,
                const std::vector<PublicationWish>& wishes) {
  for (size_t i = 0; i < all.size(); ++i) {
    const bool created = !all[i].state;
    if (!created && AlterPublicationSql(*all[i].state, wishes[i]).empty()) continue;
    log::Info(created ? "publication created" : "publication altered",
              {{"publication", all[i].name}, {"tables", wishes[i].tables.size()}});
  }
}

// One attempt. One simple query is one transaction: all of it or nothing.
absl::StatusOr<std::vector<PublishedTable>> Ensure(postgres::Connection& connection,
                                                   const SlotShare& share,
                                                   const PublicationForm& form,
                                                   const std::vector<postgres::TableName>& captured,
                                                   bool in_recovery) {
  ASSIGN_OR_RETURN(const std::vector<SlotPublication> all, ReadSlotPublications(connection, share));
  ASSIGN_OR_RETURN(const std::vector<PublicationWish> wishes,
                   MakeWishes(connection, share, form, all, captured));
  const std::string sql = absl::StrJoin(Statements(all, wishes), "; ");
  const size_t own = static_cast<size_t>(share.number) - 1;
  if (!sql.empty()) {
    if (in_recovery) {
      return Error(
          absl::StatusCode::kFailedPrecondition, "publication_outdated",
          "the publications of the connector's slots do not match the configuration, and a "
          "standby cannot alter them",
          absl::StrCat("on the primary: ", sql));
    }
    if (!all[own].state) AdviseBeforePublication(connection, wishes[own].tables);
    const absl::Status status = connection.Run(absl::StrCat(kLockTimeout, sql));
    if (LostRace(status) || ErrorReason(status) == "publication_missing") return status;
    if (!status.ok()) return ExplainSlotsPublicationError(status, all[own].name, sql);
    LogChanges(all, wishes);
  }
  AdviseOnPublication(connection, all[own].name, wishes[own].tables);
  return AddedTables(all[own].state.value_or(PublicationState()), wishes[own]);
}

}  // namespace

absl::StatusOr<std::vector<int>> SlotsOfTables(postgres::Connection& connection,
                                               const SlotShare& share,
                                               const std::vector<postgres::TableName>& captured) {
  RETURN_IF_ERROR(CheckServerKnowsSlots(connection));
  ASSIGN_OR_RETURN(const std::vector<SlotPublication> all, ReadSlotPublications(connection, share));
  return DistributeCaptured(connection, share, all, captured);
}

absl::StatusOr<std::vector<PublishedTable>> EnsureSlotPublications(
    postgres::Connection& connection, const SlotShare& share, const PublicationForm& form,
    const std::vector<postgres::TableName>& captured) {
  RETURN_IF_ERROR(CheckServerKnowsSlots(connection));
  ASSIGN_OR_RETURN(const bool in_recovery, postgres::IsInRecovery(connection));
  absl::StatusOr<std::vector<PublishedTable>> added;
  for (int attempt = 0; attempt < kPublicationAttempts; ++attempt) {
    added = Ensure(connection, share, form, captured, in_recovery);
    if (!LostRace(added.status()) && ErrorReason(added.status()) != "publication_missing") break;
  }
  return added;
}

}  // namespace walduct::replication
