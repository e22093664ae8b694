#include "slot/world/capture/start_coverage.h"

#include "base/log.h"
#include "replication/capture/capture_catalog.h"

namespace walduct::slot {

void StartCoverage::Added(const std::vector<replication::PublishedTable>& tables,
                          const std::string& seen, Oid publication) {
  seen_ = seen;
  read_by_.before = publication;
  for (const replication::PublishedTable& table : tables) added_.insert(table.relation);
}

std::optional<replication::Coverage> StartCoverage::Look(
    postgres::Connection& sql, const std::string& publication,
    const std::vector<postgres::TableName>& captured) {
  auto coverage = replication::ReadCoverage(sql, publication, captured, seen_);
  if (!coverage.ok()) {
    log::Debug("how tables are published is not known",
               {{"error", std::string(coverage.status().message())}});
    return std::nullopt;
  }
  read_by_.now = coverage->publication;
  // Who was attached since then is found by the first look beside the stream.
  coverage->since.clear();
  coverage->attached.clear();
  for (auto& [relation, table] : coverage->tables) {
    if (!added_.contains(relation) && table.named_at == 0) continue;
    const auto writers = replication::ReadWriters(sql, {relation});
    if (writers.ok() && writers->empty()) continue;
    table.HoldBack();
    held_back_.insert(relation);
  }
  return *std::move(coverage);
}

}  // namespace walduct::slot
