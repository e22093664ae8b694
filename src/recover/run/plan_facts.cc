// ReadPlanFacts, LookIntoArchive: plan.h.
#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "engine/configuration/connector_names.h"
#include "engine/configuration/options_of.h"
#include "offset/offset_store.h"
#include "postgres/server_check.h"
#include "recover/archive_command.h"
#include "recover/run/plan.h"
#include "recover/run/position_check.h"
#include "recover/wal_name.h"
#include "replication/session_names.h"
#include "replication/slot.h"
#include "replication/slots/other_slot.h"
#include "slot/start/start_rules.h"
#include "slot/world/server_world.h"
#include "slot/world/tail.h"

namespace walduct::recover {
namespace {

constexpr absl::string_view kServerSql = R"(
SELECT pg_catalog.current_setting('archive_mode') <> 'off',
  coalesce(nullif(pg_catalog.current_setting('archive_library', true), ''),
           pg_catalog.current_setting('archive_command')),
  coalesce(a.last_archived_wal, ''),
  CASE WHEN a.last_failed_time > coalesce(a.last_archived_time, '-infinity')
       THEN a.last_failed_wal ELSE '' END,
  (SELECT setting FROM pg_catalog.pg_settings WHERE name = 'wal_segment_size')
FROM pg_catalog.pg_stat_archiver a)";

// A database that one may neither connect to nor look at has no size for one.
constexpr absl::string_view kSizeSql = R"(
SELECT pg_catalog.sum(pg_catalog.pg_database_size(d.oid)) FROM pg_catalog.pg_database d)";

std::optional<uint64_t> ClusterBytes(postgres::Connection& sql) {
  const absl::StatusOr<postgres::Result> size = sql.Query(postgres::OneRow(1), kSizeSql);
  uint64_t bytes = 0;
  if (!size.ok() || !absl::SimpleAtoi(size->Get(0, 0), &bytes)) return std::nullopt;
  return bytes;
}

// That the archive can have. Where nothing ends the gap yet, the one that is written to is of it,
// too, and so will be the one behind it.
uint64_t LastArchived(const PlanFacts& facts, Lsn end) {
  const uint64_t last = end.value() / facts.segment_bytes;
  return facts.slot_trouble.empty() ? last : std::max<uint64_t>(last, 1) - 1;
}

// A segment may be compressed: its name has more behind it.
absl::StatusOr<std::vector<uint64_t>> Lacking(const std::string& folder, const PlanFacts& facts,
                                              Lsn end) {
  DIR* const opened = opendir(folder.c_str());
  if (opened == nullptr)
    return absl::InvalidArgumentError(absl::StrCat("--archive: '", folder, "' cannot be read"));
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opened, closedir);
  std::set<uint64_t> there;
  while (const dirent* const entry = readdir(directory.get())) {
    const absl::string_view name(entry->d_name);
    if (name.size() < 24 || absl::EndsWith(name, ".partial") || absl::EndsWith(name, ".backup"))
      continue;
    if (const auto segment = WalName::OfSegment(name.substr(0, 24)))
      there.insert(segment->Number(facts.segment_bytes));
  }
  std::vector<uint64_t> lacking;
  const uint64_t last = LastArchived(facts, end);
  for (uint64_t number = facts.position.value() / facts.segment_bytes; number <= last; ++number)
    if (!there.contains(number)) lacking.push_back(number);
  return lacking;
}

}  // namespace

absl::StatusOr<std::vector<uint64_t>> LackingBehind(const std::string& command,
                                                    const SegmentRange& range) {
  std::string folder = (std::filesystem::temp_directory_path() / "walduct-plan-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr)
    return absl::InvalidArgumentError(absl::StrCat("--archive-command: no folder in ", folder));
  const bool fetches = absl::StrContains(command, "%p");
  std::vector<uint64_t> lacking;
  absl::Status trouble;
  const auto has = [&](uint32_t timeline, uint64_t number) {
    const AskedFor asked{SegmentName(timeline, number, range.segment_bytes), folder + "/segment"};
    const CommandEnd end = RunCommand(CommandFor({command}, asked));
    if (end.signal != 0 || end.exit_code >= kStopsTheServer) {
      trouble = absl::InvalidArgumentError(absl::StrCat(
          "--archive-command: '", command,
          "' cannot be run, or was ended: ", end.signal != 0 ? "signal " : "exit code ",
          end.signal != 0 ? end.signal : end.exit_code));
    }
    std::error_code error;
    const bool whole =
        !fetches || std::filesystem::file_size(asked.path, error) == range.segment_bytes;
    unlink(asked.path.c_str());
    return trouble.ok() && end.exit_code == 0 && whole;
  };
  for (uint64_t number = range.first; number <= range.last; ++number) {
    bool there = false;
    for (uint32_t timeline = range.newest; timeline >= range.oldest && !there; --timeline)
      there = has(timeline, number);
    if (!there) lacking.push_back(number);
    if (!trouble.ok() || lacking.size() == kMostLacking) break;
  }
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  if (!trouble.ok()) return trouble;
  return lacking;
}

absl::StatusOr<PlanFacts> ReadPlanFacts(const engine::ConnectorOptions& connector,
                                        const Environment& environment,
                                        const std::set<std::string>& slots_of_others) {
  RETURN_IF_ERROR(slot::CheckHasGap(connector));
  slot::ServerWorld world(environment);
  PlanFacts facts;
  facts.slot_name = engine::NamesOf(connector).slot;
  ASSIGN_OR_RETURN(const auto store, world.OpenOffsetStore(connector));
  ASSIGN_OR_RETURN(const std::optional<offset::StoredOffset> stored, store->Peek());
  if (!stored || slot::StateOf(stored) != snapshot::OffsetState::kStreaming) {
    return Error(absl::StatusCode::kFailedPrecondition, "recover_no_position",
                 "no position of the stream is stored: there is no gap");
  }
  facts.position = stored->position.commit_end;
  facts.stored_timeline = stored->timeline;
  if (stored->position.commit_time_us != 0)
    facts.stored_at = absl::FromUnixMicros(stored->position.commit_time_us);
  ASSIGN_OR_RETURN(const auto sql,
                   world.OpenSession(connector, postgres::SessionKind::kSql, " plan", nullptr));
  ASSIGN_OR_RETURN(
      const auto replication,
      world.OpenSession(connector, postgres::SessionKind::kReplication, " plan", nullptr));
  ASSIGN_OR_RETURN(const replication::SystemIdentity system,
                   replication::IdentifySystem(*replication));
  facts.version = sql->server_version();
  facts.timeline = system.timeline;
  facts.wal_end = system.wal_end;
  ASSIGN_OR_RETURN(const auto found, replication::InspectSlot(*sql, facts.slot_name));
  RETURN_IF_ERROR(CheckPosition(*stored, system, *sql, *replication,
                                found ? replication::SlotLsn(*found) : Lsn()));
  if (!found) {
    RETURN_IF_ERROR(replication::CheckSlotName(
        *sql, facts.slot_name, engine::ShareOf(connector), slot::TraceOf(*stored),
        {.own = replication::StreamSession(engine::NameOf(connector)),
         .of_others = [&] { return slots_of_others; },
         .at_position_only = true}));
    facts.slot_trouble = "missing";
  } else {
    const absl::Status usable = replication::CheckSlotUsable(*sql, facts.slot_name, *found);
    const bool lost = ErrorReason(usable) == "slot_lost";
    if (lost) facts.slot_trouble = "lost";
    // One that somebody reads is there. One that is of no use keeps nothing of ours.
    if (!lost && !absl::IsAborted(usable)) RETURN_IF_ERROR(usable);
    facts.slot = replication::SlotLsn(*found);
  }
  ASSIGN_OR_RETURN(const postgres::Result server, sql->Query(postgres::OneRow(5), kServerSql));
  facts.archives = server.Get(0, 0) == "t";
  facts.archive_command = std::string(server.Get(0, 1));
  facts.last_archived = std::string(server.Get(0, 2));
  facts.last_failed = std::string(server.Get(0, 3));
  if (!absl::SimpleAtoi(server.Get(0, 4), &facts.segment_bytes) ||
      !IsSegmentSize(facts.segment_bytes))
    return absl::InternalError("wal_segment_size is not known");
  facts.cluster_bytes = ClusterBytes(*sql);
  return facts;
}

absl::Status LookIntoArchive(const ArchivePlace& archive, PlanFacts* facts) {
  const Lsn end = facts->slot_trouble.empty() ? facts->slot : facts->wal_end;
  if (facts->position >= end) return absl::OkStatus();
  facts->archive_folder = archive.folder;
  if (!archive.folder.empty()) {
    ASSIGN_OR_RETURN(facts->lacking, Lacking(archive.folder, *facts, end));
  } else if (!archive.command.empty()) {
    ASSIGN_OR_RETURN(
        facts->lacking,
        LackingBehind(archive.command,
                      {.first = facts->position.value() / facts->segment_bytes,
                       .last = LastArchived(*facts, end),
                       .oldest = std::min(facts->timeline, facts->stored_timeline.value_or(1)),
                       .newest = facts->timeline,
                       .segment_bytes = facts->segment_bytes}));
  }
  return absl::OkStatus();
}

}  // namespace walduct::recover
