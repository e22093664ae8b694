// What lines of the screen read of an answer of /status. Pure.
#pragma once

#include <rapidjson/document.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "base/json.h"
#include "base/plain_text.h"

namespace walduct::cli {

inline std::string Text(const rapidjson::Value& object, const char* name) {
  return PlainText(json::TextIn(object, name));
}

inline std::optional<double> Number(const rapidjson::Value& object, const char* name) {
  const rapidjson::Value* const value = json::Find(object, name);
  return value != nullptr && value->IsNumber() ? std::optional(value->GetDouble()) : std::nullopt;
}

inline std::optional<absl::Time> TimeOf(const rapidjson::Value& object, const char* name) {
  absl::Time time;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, Text(object, name), &time, &error)) return std::nullopt;
  return time;
}

// The connectors of an answer; null: it has none. which: "connectors" or "resting".
inline const rapidjson::Value* Connectors(const rapidjson::Document& document,
                                          const char* which = "connectors") {
  return json::FindArray(document, which);
}

// That one of them; null: there is none.
inline const rapidjson::Value* Named(const rapidjson::Document& document, const std::string& name) {
  const rapidjson::Value* const all = Connectors(document);
  if (all == nullptr) return nullptr;
  for (const rapidjson::Value& one : all->GetArray()) {
    if (Text(one, "name") == name) return &one;
  }
  return nullptr;
}

// Of `capture`, those that changes are lost by, or that show what was to be hidden.
inline std::vector<const rapidjson::Value*> CaptureWarnings(const rapidjson::Value& connector) {
  std::vector<const rapidjson::Value*> found;
  const rapidjson::Value* const capture = json::Find(connector, "capture");
  const rapidjson::Value* const problems =
      capture == nullptr ? nullptr : json::Find(*capture, "problems");
  if (problems == nullptr || !problems->IsArray()) return found;
  for (const rapidjson::Value& problem : problems->GetArray())
    if (Text(problem, "severity") == "warning") found.push_back(&problem);
  return found;
}

// The tables of one of these, "a, b and 30 more"; those alone are named that fit on a page.
inline std::string TablesOf(const rapidjson::Value& problem) {
  std::string tables;
  double named = 0;
  if (const rapidjson::Value* const names = json::FindArray(problem, "tables")) {
    for (const rapidjson::Value& name : names->GetArray()) {
      if (!name.IsString()) continue;
      absl::StrAppend(&tables, tables.empty() ? "" : ", ", PlainText(name.GetString()));
      ++named;
    }
  }
  const double all = Number(problem, "count").value_or(0);
  return tables.empty() || all <= named
             ? tables
             : absl::StrCat(tables, absl::StrFormat(" and %.0f more", all - named));
}

// Of `slot` or an error that stands, empty: nothing is known that a start would end with, or would
// lose something by. Its own hint says what comes before one.
inline std::string WhatAStartMeets(const rapidjson::Value& connector) {
  static const std::set<std::string> kEndsIt = {
      "mask_lost",        "offset_malformed",  "offset_missing",
      "position_ahead",   "position_diverged", "position_lost",
      "position_skipped", "position_unknown",  "publication_missing",
      "server_upgraded",  "slot_lost",         "slot_missing",
      "slot_other_name",  "system_mismatch",   "publication_not_permitted"};
  if (const rapidjson::Value* const slot = json::Find(connector, "slot")) {
    const std::string wal = Text(*slot, "wal_status");
    if (wal == "lost" || wal == "missing") return "slot_" + wal;
    if (const rapidjson::Value* const problem = json::Find(*slot, "problem"))
      return Text(*problem, "reason");
  }
  const rapidjson::Value* const error = json::Find(connector, "last_error");
  if (error == nullptr || json::Find(*error, "solved_at") != nullptr) return "";
  const std::string reason = Text(*error, "reason");
  return kEndsIt.contains(reason) ? reason : "";
}

// It is shown below; empty: there is none.
inline std::string HintOfOpenError(const rapidjson::Value& connector) {
  const rapidjson::Value* const error = json::Find(connector, "last_error");
  return error == nullptr || json::Find(*error, "solved_at") != nullptr ? "" : Text(*error, "hint");
}

// Of one that rests: who reads its slot meanwhile, and has its lag; empty: nobody.
inline std::string OtherReader(const rapidjson::Value& connector) {
  const rapidjson::Value* const slot = json::Find(connector, "slot");
  return slot == nullptr ? "" : Text(*slot, "other_reader");
}

// The same where that one has gone on from there; null: it has not, as far as is known.
inline const rapidjson::Value* GoneOn(const rapidjson::Value& connector) {
  const rapidjson::Value* const slot = json::Find(connector, "slot");
  return slot == nullptr ? nullptr : json::Find(*slot, "gone_on");
}

// A slot that has no longer is to be kept before anything else.
inline constexpr double kSoonSeconds = 600;
inline constexpr char kKeepSlot[] =
    "-> at once, while the server's disk has room: ALTER SYSTEM SET max_slot_wal_keep_size = '-1'; "
    "SELECT pg_reload_conf(); then look at what holds the connector up";

inline bool IsSoonLost(const rapidjson::Value& slot) {
  const std::string status = Text(slot, "wal_status");
  if (status == "lost" || status == "missing" || status == "none") return false;
  const std::optional<double> safe = Number(slot, "safe_wal_bytes");
  const std::optional<double> left = Number(slot, "seconds_until_lost");
  return status == "unreserved" || (safe && *safe <= 0) || (left && *left < kSoonSeconds);
}

}  // namespace walduct::cli
