#include "recover/run/plan.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/amount_text.h"

namespace walduct::recover {
namespace {

constexpr uint64_t kBytesPerSecond = 8 << 20;

struct Tool {
  absl::string_view name, sign;  // sign: in archive_command
  absl::string_view list, restore, fetch;
};
constexpr std::array<Tool, 4> kTools = {{
    {"pgBackRest", "pgbackrest", "pgbackrest --stanza=STANZA info",
     "pgbackrest --stanza=STANZA --set=BACKUP --type=standby --pg1-path=/restore/data restore",
     "pgbackrest --stanza=STANZA --pg1-path=/restore/data archive-get %f \"%p\""},
    {"WAL-G", "wal-g", "wal-g backup-list --detail", "wal-g backup-fetch /restore/data BACKUP",
     "wal-g wal-fetch %f \"%p\""},
    {"Barman", "barman", "barman list-backups SERVER",
     "barman recover --get-wal --standby-mode --remote-ssh-command \"ssh postgres@RESTORED\" "
     "SERVER BACKUP /restore/data  # on Barman's machine",
     "barman-wal-restore HOST SERVER %f \"%p\""},
    {"a plain copy", "", "ls -l /backups", "cp -a /backups/BACKUP/. /restore/data",
     "cp /archive/%f \"%p\""},
}};

using Words = std::vector<std::pair<std::string, std::string>>;

// Not more than one, or half of one: behind the gate's `--` the rest of a list would pass the gate.
bool IsOneCommand(absl::string_view words) {
  return words.find_first_of(";&|<>()`\n") == absl::string_view::npos &&
         std::count(words.begin(), words.end(), '\'') % 2 == 0 &&
         std::count(words.begin(), words.end(), '"') % 2 == 0;
}

// What archive_command tells of the tool: placeholders, and what stands for them.
Words KnownWords(const Tool& tool, const std::string& command) {
  const std::vector<std::string> words = absl::StrSplit(command, ' ', absl::SkipEmpty());
  const auto at = [&](absl::string_view word) {
    return std::find_if(words.begin(), words.end(),
                        [&](const std::string& each) { return absl::StrContains(each, word); });
  };
  if (tool.sign == "pgbackrest") {
    // Its files are called so, too.
    const auto program = std::find_if(words.begin(), words.end(), [&](absl::string_view word) {
      return word == tool.sign || absl::EndsWith(word, "/pgbackrest");
    });
    if (program == words.end()) return {};
    std::string own = *program;
    for (const std::string& word : words) {
      if (absl::StartsWith(word, "--stanza=") || absl::StartsWith(word, "--config") ||
          absl::StartsWith(word, "--repo"))
        absl::StrAppend(&own, " ", word);
    }
    if (!absl::StrContains(own, " --stanza=")) absl::StrAppend(&own, " --stanza=STANZA");
    return {{"pgbackrest --stanza=STANZA", own}};
  }
  if (tool.sign == "wal-g" && at("wal-push") != words.end()) {
    std::string own = absl::StrJoin(words.begin(), at("wal-push"), " ");
    if (!IsOneCommand(own)) return {};
    // The gate runs a program, no shell.
    if (absl::StrContains(words.front(), "=")) own = "env " + own;
    return {{"wal-g ", own + " "}};
  }
  const auto archives = at("barman-wal-archive"), path = at("%p");
  if (tool.sign == "barman" && archives < path && path - archives > 2) {
    std::string own;  // what barman-wal-restore knows, too
    for (auto word = archives + 1; word + 2 < path; ++word) {
      if (*word == "-U" || *word == "--port" || *word == "-c")
        absl::StrAppend(&own, *word, " ", *(word + 1), " ");
    }
    return {{"HOST SERVER", absl::StrCat(own, *(path - 2), " ", *(path - 1))},
            {"SERVER", *(path - 1)}};
  }
  if (tool.sign.empty()) {
    for (absl::string_view word : words) {
      absl::ConsumePrefix(&word, "\"");
      absl::ConsumeSuffix(&word, "\"");
      if (absl::StartsWith(word, "/") && absl::ConsumeSuffix(&word, "/%f"))
        return {{"/archive", std::string(word)}};
    }
  }
  return {};
}

const Tool& ToolOf(const std::string& command) {
  for (const Tool& tool : kTools)
    if (!tool.sign.empty() && absl::StrContains(command, tool.sign)) return tool;
  return kTools.back();
}

std::string Steps(const PlanFacts& facts, const std::string& files) {
  const Tool& tool = ToolOf(facts.archive_command);
  const bool looked = tool.sign.empty() && !facts.archive_folder.empty();
  const Words known =
      looked ? Words{{"/archive", facts.archive_folder}} : KnownWords(tool, facts.archive_command);
  std::string text = absl::StrCat(
      "\nWhat to type (docs/recover.md), with ", tool.name,
      ". First as root:\n  install -d -o postgres -g postgres -m 700 /restore/data\n  install -d "
      "-o "
      "postgres -g postgres /var/tmp/",
      facts.slot_name, "\nThen as the user that the restored server runs as:\n  ",
      absl::StrReplaceAll(tool.list, known), "\n  ", absl::StrReplaceAll(tool.restore, known),
      "\n  rm -rf /restore/data/pg_replslot/* /restore/data/pg_wal/0* "
      "/restore/data/recovery.signal; touch /restore/data/standby.signal\n",
      "At the end of /restore/data/postgresql.auto.conf:\n",
      "  port = 5433\n  restore_command = 'walduct recover gate --state /var/tmp/", facts.slot_name,
      " -- ", absl::StrReplaceAll(absl::StrReplaceAll(tool.fetch, known), {{"'", "''"}}),
      "'\n  primary_conninfo = ''\n  recovery_target_time = ''\n  hot_standby = on\n  archive_mode "
      "= "
      "off\n  archive_cleanup_command = ''\n  max_slot_wal_keep_size = -1\n");
  if (facts.version >= 180000) absl::StrAppend(&text, "  idle_replication_slot_timeout = 0\n");
  absl::StrAppend(&text, "  wal_retrieve_retry_interval = 100ms\n  shared_buffers = 128MB\n",
                  "Then, in two shells:\n  walduct recover run ", files,
                  " --from 127.0.0.1:5433 --state /var/tmp/", facts.slot_name,
                  "\n  pg_ctl -D /restore/data -l /var/tmp/", facts.slot_name,
                  "/server.log start\n");
  for (const Tool& other : kTools) {
    if (&other != &tool)
      absl::StrAppend(&text, "With ", other.name, ": ", other.list, "; ", other.restore,
                      "; behind --: ", other.fetch, "\n");
  }
  return text;
}

// Of a gap whose end is known.
std::string Segments(const PlanFacts& facts, Lsn end) {
  const uint64_t first = facts.position.value() / facts.segment_bytes;
  const uint64_t last = end.value() / facts.segment_bytes;
  const uint64_t bytes = end.value() - facts.position.value();
  std::string text = absl::StrCat(
      "The gap: ", facts.position.ToString(), " to ", end.ToString(), ", ", BytesText(bytes),
      " of WAL in ", last - first + 1, " segments, ",
      SegmentName(facts.stored_timeline.value_or(facts.timeline), first, facts.segment_bytes),
      " to ", SegmentName(facts.timeline, last, facts.segment_bytes), ". Streaming it takes about ",
      absl::FormatDuration(
          std::max(absl::Seconds(1), absl::Seconds(static_cast<int64_t>(bytes / kBytesPerSecond)))),
      " at 8 MB/s, behind the restore.\n");
  if (!facts.lacking) {
    absl::StrAppend(&text,
                    "Not looked at: whether the archive has them, and those from the backup's "
                    "beginning on; --archive DIR looks into a folder, --archive-command asks a "
                    "command.\n");
  } else if (facts.lacking->empty()) {
    absl::StrAppend(&text, "The archive has all of them",
                    facts.slot_trouble.empty() ? "" : " but the last, which is written to still",
                    ".\n");
  }
  return text;
}

// Spilled transactions and what the slot keeps of replayed WAL come on top.
std::string Room(const PlanFacts& facts) {
  const std::string size = facts.cluster_bytes
                               ? absl::StrCat("about ", BytesText(*facts.cluster_bytes))
                               : std::string("as much as the primary's databases");
  return absl::StrCat("The restored server takes ", size,
                      " of disk, some segments and the largest transaction on top, and a few "
                      "hundred MB of memory (shared_buffers = 128MB).\n");
}

std::string Archive(const PlanFacts& facts) {
  std::string text = absl::StrCat("The primary archives by: ", facts.archive_command, "\n");
  if (!facts.last_failed.empty())
    absl::StrAppend(&text, "AT RISK: its archiver fails, the last time at ", facts.last_failed,
                    ": SELECT * FROM pg_stat_archiver\n");
  if (!facts.last_archived.empty())
    absl::StrAppend(&text, "Archived last: ", facts.last_archived, "\n");
  return text;
}

// Empty: the slot is there.
std::string AtOnce(const PlanFacts& facts, const std::string& files) {
  if (facts.slot_trouble.empty()) return "";
  return absl::StrCat("\nAT ONCE, as nothing keeps WAL and catalogs: the slot \"", facts.slot_name,
                      "\" is ", facts.slot_trouble,
                      ". This makes it anew and ends with exit code 4:\n  walduct run ", files,
                      " -o walduct.slot.lost=hold\n\n");
}

Plan Impossible(const std::string& why, const std::string& files) {
  return {
      Plan::Verdict::kImpossible,
      absl::StrCat("Have I lost data? Deletes and states in between, as it looks: ", why,
                   "\nRows and deletes come back by a comparison of the tables with the "
                   "topics, states in between do not (docs/recover.md):\n  walduct recover read ",
                   files, "\n")};
}

}  // namespace

std::string SegmentName(uint32_t timeline, uint64_t number, uint64_t segment_bytes) {
  const uint64_t each = (uint64_t{1} << 32) / segment_bytes;
  return absl::StrFormat("%08X%08X%08X", timeline, number / each, number % each);
}

Plan MakePlan(const PlanFacts& facts, const std::string& files) {
  if (facts.slot_trouble.empty() && facts.slot <= facts.position) {
    return {Plan::Verdict::kNoGap,
            absl::StrCat("Have I lost data? No: the slot begins at ", facts.slot.ToString(),
                         ", at or before the stored position ", facts.position.ToString(),
                         ". The connector goes on there.\n")};
  }
  if (facts.version < 160000) {
    return Impossible(absl::StrCat("the server is PostgreSQL ", facts.version / 10000,
                                   ", and a standby decodes from 16 on."),
                      files);
  }
  if (!facts.archives) {
    return Impossible(
        "the server archives no WAL (archive_mode). If something else keeps it (pg_receivewal), "
        "docs/recover.md says how it is read.",
        files);
  }
  const Lsn end = facts.slot_trouble.empty() ? facts.slot : facts.wal_end;
  if (facts.lacking && !facts.lacking->empty()) {
    return Impossible(
        absl::StrCat(facts.lacking->size(),
                     " segments of the gap are not in the archive, the first is ",
                     SegmentName(facts.timeline, facts.lacking->front(), facts.segment_bytes),
                     ". Where it is not archived yet: SELECT pg_switch_wal() on the primary, and "
                     "look again.",
                     AtOnce(facts, files)),
        files);
  }
  std::string text = absl::StrCat(
      "Have I lost data? Not yet, if there is a base backup from before.\n", AtOnce(facts, files));
  absl::StrAppend(&text, "The backup: the newest that ended before ", facts.position.ToString());
  if (facts.stored_at) {
    absl::StrAppend(
        &text, ", which was reached at ",
        absl::FormatTime("%Y-%m-%d %H:%M:%S UTC", *facts.stored_at, absl::UTCTimeZone()),
        "; take one that ended some minutes before that");
  }
  absl::StrAppend(&text,
                  ", and before the oldest transaction began that was open then. Keep it, and the "
                  "archive from its beginning on.\n");
  absl::StrAppend(&text, Segments(facts, end), Archive(facts), Room(facts));
  if (facts.stored_timeline && *facts.stored_timeline != facts.timeline) {
    absl::StrAppend(&text, "The server went from timeline ", *facts.stored_timeline, " to ",
                    facts.timeline,
                    ": the archive has to have the .history file and both timelines' segments.\n");
  }
  absl::StrAppend(
      &text,
      "At risk is what pruned the catalogs between the loss and the new slot: temporary "
      "tables, ANALYZE, DDL. The gate takes out most of it.\n",
      Steps(facts, files));
  return {Plan::Verdict::kPossible, std::move(text)};
}

}  // namespace walduct::recover
