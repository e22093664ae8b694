#include "engine/world/capture/start_coverage.h"

#include "base/log.h"
#include "base/status_macros.h"
#include "replication/capture/capture_catalog.h"
#include "replication/publication/publication.h"
#include "replication/publication/publication_catalog.h"
#include "replication/publication_name.h"

namespace walduct::engine {
namespace {

absl::StatusOr<std::set<Oid>> Named(postgres::Connection& sql, const std::string& publication) {
  std::set<Oid> named;
  ASSIGN_OR_RETURN(const std::string name, replication::ResolvePublicationName(sql, publication));
  ASSIGN_OR_RETURN(const auto state, replication::ReadPublication(sql, name));
  if (!state) return named;
  for (const replication::PublishedTable& table : state->tables) named.insert(table.relation);
  return named;
}

}  // namespace

absl::Status StartCoverage::Before(postgres::Connection& sql, const std::string& publication) {
  ASSIGN_OR_RETURN(before_, Named(sql, publication));
  return absl::OkStatus();
}

absl::Status StartCoverage::After(postgres::Connection& sql, const std::string& publication) {
  ASSIGN_OR_RETURN(added_, Named(sql, publication));
  for (const Oid relation : before_) added_.erase(relation);
  return absl::OkStatus();
}

std::optional<replication::Coverage> StartCoverage::Look(
    postgres::Connection& sql, const std::string& publication,
    const std::vector<postgres::TableName>& captured) {
  auto coverage = replication::ReadCoverage(sql, publication, captured);
  if (!coverage.ok()) {
    log::Debug("how tables are published is not known",
               {{"error", std::string(coverage.status().message())}});
    return std::nullopt;
  }
  for (const Oid relation : added_) {
    const auto table = coverage->tables.find(relation);
    if (table == coverage->tables.end()) continue;
    const auto writers = replication::ReadWriters(sql, {relation});
    if (writers.ok() && writers->empty()) continue;
    table->second.sent = false;
    held_back_.insert(relation);
  }
  return *std::move(coverage);
}

}  // namespace walduct::engine
