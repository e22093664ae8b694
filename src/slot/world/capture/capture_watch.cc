#include "slot/world/capture/capture_watch.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "incremental/options/incremental_options.h"
#include "names/table_share.h"
#include "postgres/checks/read_rights.h"
#include "replication/capture/capture_catalog.h"
#include "replication/capture/capture_map.h"
#include "replication/capture/capture_words.h"
#include "replication/coverage.h"
#include "replication/gone_relations.h"
#include "replication/publication/publication.h"
#include "replication/publication_name.h"

namespace walduct::slot {
namespace {

using replication::CaptureFinding;
using replication::CaptureVerdict;

// Tables of a schema that is renamed while it streams.
constexpr int kFirstToAnnounceSchemas = 160000;
// The lists are asked about names; where the names are many and come and go, not for ever.
constexpr size_t kMostAnswers = 100'000;

std::string TimeText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone());
}

// With its partitions: who writes to one may have locked that alone.
std::vector<Oid> WrittenAs(const replication::CaptureMap& map, Oid relation) {
  std::vector<Oid> all = {relation};
  const replication::TableFacts* const table = map.Find(relation);
  if (table == nullptr || !table->partitioned) return all;
  for (const replication::TableFacts* const leaf : map.Leaves(*table))
    all.push_back(leaf->relation);
  return all;
}

names::TableFilterOptions OfAllSlots(names::TableFilterOptions tables) {
  tables.share = nullptr;
  return tables;
}

}  // namespace

void CaptureWatch::Options::Takes(const incremental::IncrementalOptions& incremental) {
  wish.deletes_signals = incremental.deletes_watermarks;
  keyless_left_out = keyless_left_out && !incremental.reads_by_place;
}

CaptureWatch::CaptureWatch(Options options)
    : options_(std::move(options)),
      filter_(OfAllSlots(options_.tables)),
      admits_([this](const replication::TableFacts& table) { return Admits(table); }) {
  options_.wish.admits = &admits_;
  options_.wish.share = &options_.share;
  options_.wish.lists = &options_.tables;
  options_.wish.called = options_.names.called;
  options_.wish.role = options_.names.role;
}

bool CaptureWatch::Admits(const replication::TableFacts& table) {
  const std::string name = replication::NameOf(table);
  if (const auto answered = admitted_.find(name); answered != admitted_.end())
    return answered->second;
  if (admitted_.size() >= kMostAnswers) admitted_.clear();
  return admitted_[name] = filter_.Includes(table.schema, table.table);
}

absl::Status CaptureWatch::Look(postgres::Connection& connection,
                                const postgres::StopCheck& stopping) {
  const absl::Duration now = options_.environment.clock->Monotonic();
  const bool due = !looked_at_ || now - *looked_at_ >= options_.interval;
  if (!hurry_.exchange(false) && !due) return absl::OkStatus();
  if (due) looked_at_ = now;
  const absl::Status looked = LookWell(connection, due, stopping);
  if (!stopping()) Tried(looked);
  return looked;
}

void CaptureWatch::Tried(const absl::Status& looked) {
  options_.record->trouble.Saw(looked, options_.names, *options_.environment.clock,
                               options_.metrics);
}

// Worth knowing, and no more: what it cannot find out is in nobody's way.
void CaptureWatch::AddMore(postgres::Connection& connection,
                           std::vector<CaptureFinding>* findings) {
  if (!options_.more) return;
  const absl::StatusOr<std::vector<CaptureFinding>> more = options_.more(connection);
  if (!more.ok()) {
    log::Debug("what is only worth knowing of what is captured is not known",
               {{"error", std::string(more.status().message())}});
    of_columns_ = true;  // asked again
    return;
  }
  // A column that is renamed leaves no mark.
  of_columns_ = of_columns_ || !more->empty();
  findings->insert(findings->end(), more->begin(), more->end());
}

absl::Status CaptureWatch::LookWell(postgres::Connection& connection, bool in_turn,
                                    const postgres::StopCheck& stopping) {
  RETURN_IF_ERROR(Resolve(connection));
  ASSIGN_OR_RETURN(const std::string mark, replication::ReadCaptureMark(connection));
  const absl::Duration now = options_.environment.clock->Monotonic();
  const bool moved = mark != mark_ || (follow_again_ && now >= follow_at_);
  // Asked before the news: what was found out until now is among them.
  const bool judged = options_.captured == nullptr || options_.captured->judged();
  if (judged && !hand_on_ && writers_.empty()) {
    options_.record->lines.Settle();
    keeps_ = false;
  }
  const bool heard = Hear();
  if (moved || heard || of_columns_) {
    ASSIGN_OR_RETURN(CaptureVerdict verdict, Judge(connection));
    if (!verdict.uncovered.empty() && Follow(verdict.uncovered, stopping)) {
      ASSIGN_OR_RETURN(verdict, Judge(connection));
    }
    elsewhere_ = verdict.elsewhere;
    Spread();
    replication::RememberCapture(facts_, options_.wish, verdict, &options_.record->memory);
    of_columns_ = std::any_of(verdict.findings.begin(), verdict.findings.end(),
                              [](const CaptureFinding& finding) {
                                return finding.reason == "publication_refuses_writes" ||
                                       finding.reason == "publication_column_list";
                              });
    RETURN_IF_ERROR(AddGrants(connection, options_.wanted, &verdict.findings));
    AddMore(connection, &verdict.findings);
    for (CaptureFinding& finding : verdict.findings) {
      const auto refused = refused_.find(finding.table);
      if (refused == refused_.end()) continue;
      finding.detail = absl::StrCat(finding.detail, finding.detail.empty() ? "" : "; ",
                                    "not added: ", refused->second.why);
      finding.statement = refused->second.hint;
    }
    const std::vector<CaptureFinding>& lacking = options_.record->lacking;
    verdict.findings.insert(verdict.findings.end(), lacking.begin(), lacking.end());
    if (options_.keyless_left_out)
      RETURN_IF_ERROR(replication::MarkKeyless(connection, facts_.tables, &verdict.findings));
    options_.record->lines.Saw(std::move(verdict.findings),
                               {.now = options_.environment.clock->Now(),
                                .at_start = !looked_,
                                .in_turn = in_turn,
                                .keeps = options_.captured != nullptr});
    keeps_ = options_.record->lines.keeps();
    looked_ = true;
    // What has changed meanwhile is seen by the next look.
    mark_ = mark;
    hand_on_ = hand_on_ || moved;
  } else if (in_turn) {
    options_.record->lines.SawTheSame();
  }
  Tell();
  if (!hand_on_) {
    ASSIGN_OR_RETURN(hand_on_, WritersHaveEnded(connection));
  }
  if (hand_on_) RETURN_IF_ERROR(HandOn(connection));
  hand_on_ = false;
  return absl::OkStatus();
}

// A table that is new lacks the rights that the one before it had, and a snapshot needs them.
absl::Status CaptureWatch::AddGrants(postgres::Connection& connection,
                                     const event::WantedColumns& wanted,
                                     std::vector<CaptureFinding>* findings) {
  size_t asked = 0;
  for (CaptureFinding& finding : *findings) {
    if (finding.relation == Oid{} || ++asked > replication::kMostNamed) continue;
    const absl::Status rights = postgres::CheckReadRights(
        connection, {{.relation = finding.relation, .schema = {}, .table = {}}}, wanted);
    if (absl::IsPermissionDenied(rights)) {
      absl::StrAppend(&finding.statement, finding.statement.empty() ? "" : "; ",
                      absl::StripSuffix(ErrorHint(rights), ";"));
    } else if (!rights.ok()) {
      return rights;
    }
  }
  return absl::OkStatus();
}

// What the data thread has found out since; true: there is some.
bool CaptureWatch::Hear() {
  if (options_.captured == nullptr) return false;
  hand_on_ = options_.captured->TakeAsks() || hand_on_;
  std::optional<CapturedBox::News> news = options_.captured->TakeNews();
  if (!news) return false;
  std::vector<CaptureFinding>& lacking = options_.record->lacking;
  for (const std::string& table : news->read) {
    std::erase_if(lacking, [&](const CaptureFinding& one) {
      if (one.read_with != table) return false;
      options_.record->lines.End(one);
      return true;
    });
  }
  for (CaptureFinding& finding : news->lacking) {
    const bool is_known =
        std::any_of(lacking.begin(), lacking.end(), [&finding](const CaptureFinding& one) {
          return one.reason == finding.reason && one.table == finding.table;
        });
    if (!is_known) lacking.push_back(std::move(finding));
  }
  return true;
}

// Tables that came into the publication just now are as they were before, for who asks, until the
// transactions have ended that may have written to them before: their rows are neither in the
// stream nor, while they are open, to be read.
absl::Status CaptureWatch::HandOn(postgres::Connection& connection) {
  if (options_.captured == nullptr) return absl::OkStatus();
  CapturedNow now;
  std::map<std::string, postgres::TableName> sorted;
  for (const replication::TableFacts& table : facts_.tables) {
    if (!Admits(table)) now.left_out.push_back(table.relation);
    if (!Admits(table) || elsewhere_.contains(table.relation)) continue;
    sorted.emplace(replication::NameOf(table),
                   postgres::TableName{.relation = table.relation,
                                       .schema = table.schema,
                                       .table = table.table,
                                       .partitioned = table.partitioned});
  }
  for (auto& [name, table] : sorted) now.tables.push_back(std::move(table));
  std::sort(now.left_out.begin(), now.left_out.end());
  ASSIGN_OR_RETURN(now.coverage,
                   replication::ReadCoverage(connection, publications_[OwnPublication()],
                                             now.tables, options_.captured->seen()));
  RETURN_IF_ERROR(HoldBack(connection, &now.coverage));
  now.schemas_are_kept = connection.server_version() < kFirstToAnnounceSchemas;
  if (now.schemas_are_kept ||
      std::any_of(now.tables.begin(), now.tables.end(),
                  [](const postgres::TableName& table) { return table.partitioned; })) {
    ASSIGN_OR_RETURN(now.end, replication::ReadWalEnd(connection));
  }
  options_.captured->Put(std::move(now));
  return absl::OkStatus();
}

absl::StatusOr<bool> CaptureWatch::WritersHaveEnded(postgres::Connection& connection) {
  bool some = false;
  if (writers_.empty()) return some;
  const replication::CaptureMap map(facts_);
  for (auto& [relation, writers] : writers_) {
    ASSIGN_OR_RETURN(writers,
                     replication::StillRunning(connection, writers, WrittenAs(map, relation)));
    some = some || writers.empty();
  }
  return some;
}

absl::Status CaptureWatch::HoldBack(postgres::Connection& connection,
                                    replication::Coverage* coverage) {
  const replication::CaptureMap map(facts_);
  std::map<Oid, std::vector<Oid>> named_by;
  for (const auto& [relation, table] : coverage->tables) {
    if (!table.sent) continue;
    named_by.emplace(relation, table.named_by);
    const auto before = named_by_.find(relation);
    const bool same = before != named_by_.end() && before->second == table.named_by;
    const bool may_lack_rows =
        handed_on_ || table.named_at != 0 || options_.held_back.contains(relation);
    if (same || table.named_by.empty() || !may_lack_rows) continue;
    ASSIGN_OR_RETURN(writers_[relation],
                     replication::ReadWriters(connection, WrittenAs(map, relation)));
  }
  named_by_ = std::move(named_by);
  handed_on_ = true;
  for (auto at = writers_.begin(); at != writers_.end();) {
    ASSIGN_OR_RETURN(at->second,
                     replication::StillRunning(connection, at->second, WrittenAs(map, at->first)));
    const auto table = coverage->tables.find(at->first);
    if (at->second.empty() || table == coverage->tables.end()) {
      at = writers_.erase(at);
      continue;
    }
    table->second.HoldBack();
    ++at;
  }
  return absl::OkStatus();
}

size_t CaptureWatch::OwnPublication() const {
  return options_.share.several() ? static_cast<size_t>(options_.share.number) - 1 : 0;
}

// A name may be there folded only.
absl::Status CaptureWatch::Resolve(postgres::Connection& connection) {
  if (!publications_.empty()) return absl::OkStatus();
  std::vector<std::string> resolved;
  for (const std::string& name : options_.publications) {
    ASSIGN_OR_RETURN(std::string found, replication::ResolvePublicationName(connection, name));
    resolved.push_back(std::move(found));
  }
  publications_ = std::move(resolved);
  return absl::OkStatus();
}

absl::Status CaptureWatch::Remember(postgres::Connection& connection) {
  replication::CaptureMemory& memory = options_.record->memory;
  if (memory.begun) return absl::OkStatus();
  RETURN_IF_ERROR(Resolve(connection));
  ASSIGN_OR_RETURN(const CaptureVerdict verdict, Judge(connection));
  replication::RememberCapture(facts_, options_.wish, verdict, &memory);
  return absl::OkStatus();
}

absl::StatusOr<CaptureVerdict> CaptureWatch::Judge(postgres::Connection& connection) {
  ASSIGN_OR_RETURN(facts_, replication::ReadCaptureFacts(connection, publications_));
  return replication::JudgeCapture(facts_, options_.wish, options_.record->memory);
}

bool CaptureWatch::Follow(const std::vector<replication::PublishedTable>& tables,
                          const postgres::StopCheck& stopping) {
  const absl::Duration now = options_.environment.clock->Monotonic();
  const std::string& own = publications_[OwnPublication()];
  refused_.clear();
  follow_again_ = true;
  follow_at_ = now;
  absl::StatusOr<std::unique_ptr<postgres::Connection>> connection = options_.open(stopping);
  absl::StatusOr<replication::FollowResult> result =
      connection.ok() ? replication::AddToPublication(**connection, own, tables, stopping)
                      : connection.status();
  if (!result.ok()) {
    log::Debug("the publication is not altered",
               {{"error", std::string(result.status().message())}});
    return false;
  }
  bool soon = false;
  for (const auto& refusal : result->refused) {
    refused_.emplace(refusal.table, refusal);
    soon = soon || !refusal.for_good;
  }
  follow_again_ = !result->refused.empty() || !result->whole;
  if (!soon && result->whole) follow_at_ = now + options_.repeat;
  if (result->added.empty()) return false;
  std::vector<std::string> names;
  for (const auto& table : result->added) {
    if (names.size() == 20) names.emplace_back("…");
    if (names.size() > 20) break;
    names.push_back(absl::StrCat(table.schema, ".", table.table));
  }
  log::Info(
      "publication altered: it has got tables that the lists admit; what was written to them "
      "before does not come with the stream",
      {{"publication", own},
       {"count", result->added.size()},
       {"tables", absl::StrJoin(names, ", ")},
       {"at", TimeText(options_.environment.clock->Now())}});
  return true;
}

// The others' tables are not this slot's to read rows of either.
void CaptureWatch::Spread() {
  if (options_.share.several() && options_.tables.share != nullptr)
    options_.tables.share->SetOthers(elsewhere_);
}

void CaptureWatch::Tell() {
  const absl::Duration now = options_.environment.clock->Monotonic();
  const CaptureLines::News news = options_.record->lines.Take(now, options_.repeat, options_.wish);
  for (const CaptureLines::Line& line : news.warnings) {
    log::Warn(line.problem.message, {{"tables", line.tables},
                                     {"count", line.problem.count},
                                     {"since", TimeText(line.problem.since)},
                                     {"reason", line.problem.reason},
                                     {"hint", line.problem.hint}});
  }
  for (const CaptureLines::Line& line : news.notices) {
    log::Info(line.problem.message, {{"tables", line.tables},
                                     {"count", line.problem.count},
                                     {"reason", line.problem.reason},
                                     {"hint", line.problem.hint}});
  }
  for (const auto& [reason, tables] : news.ended)
    log::Info(absl::StrCat("no longer so: ", replication::CaptureMessage(reason)),
              {{"tables", tables}, {"reason", reason}});
  std::vector<metrics::CaptureProblem> problems = options_.record->lines.Problems(options_.wish);
  if (options_.retell) options_.retell(&problems);
  options_.metrics->capture.Show({.problems = std::move(problems), .looked_at = now});
}

}  // namespace walduct::slot
