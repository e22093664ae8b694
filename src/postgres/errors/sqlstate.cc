#include "postgres/errors/sqlstate.h"

#include <libpq-fe.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/error.h"
#include "postgres/errors/error_rules.h"

namespace walduct::postgres {
namespace {

bool IsSqlState(absl::string_view text) {
  if (text.size() != 5) return false;
  for (const char c : text) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c)) &&
        !absl::ascii_isupper(static_cast<unsigned char>(c))) {
      return false;
    }
  }
  return true;
}

// Data errors quote the value that was wrong: `invalid input syntax for type integer: "secret"`.
std::string WithoutQuotedText(absl::string_view message) {
  std::string out;
  bool quoted = false;
  for (const char c : message) {
    if (c == '"') {
      out += quoted ? "…\"" : "\"";
      quoted = !quoted;
    } else if (!quoted) {
      out.push_back(c);
    }
  }
  return out;
}

bool MayHoldValues(absl::string_view sqlstate) {
  return absl::StartsWith(sqlstate, "22") || absl::StartsWith(sqlstate, "23");
}

absl::string_view Field(const pg_result* result, int field) {
  const char* text = PQresultErrorField(result, field);
  return text == nullptr ? absl::string_view() : absl::string_view(text);
}

// libpq's own text, one line; without the LOCATION of the verbose form.
std::string OneLine(absl::string_view text) {
  std::vector<absl::string_view> lines;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (!line.empty() && !absl::StartsWith(line, "LOCATION:")) lines.push_back(line);
  }
  return absl::StrJoin(lines, "; ");
}

struct Refusal {
  std::string sqlstate;
  std::string message;
};

// One line of the verbose text of a refused connection: `… FATAL: 28P01: password authentication
// failed …`. The severity word is in the server's language.
std::optional<Refusal> ParseRefusal(absl::string_view line) {
  constexpr absl::string_view kBefore = ":  ";
  for (size_t at = line.find(kBefore); at != absl::string_view::npos;
       at = line.find(kBefore, at + 1)) {
    const absl::string_view rest = line.substr(at + kBefore.size());
    if (rest.size() > 7 && IsSqlState(rest.substr(0, 5)) &&
        absl::StartsWith(rest.substr(5), ": ")) {
      return Refusal{std::string(rest.substr(0, 5)), std::string(rest.substr(7))};
    }
  }
  return std::nullopt;
}

// sslmode prefer and allow try twice, and a refusal of the second try by pg_hba.conf says less than
// the first one's reason.
std::optional<Refusal> FindRefusal(absl::string_view text) {
  std::optional<Refusal> found;
  bool taken = false;  // the last one seen
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    std::optional<Refusal> refusal = ParseRefusal(line);
    constexpr absl::string_view kDetail = "DETAIL:  ";
    if (!refusal && taken && absl::StartsWith(line, kDetail))
      absl::StrAppend(&found->message, ": ", line.substr(kDetail.size()));
    if (!refusal) continue;
    taken = !found || (found->sqlstate == "28000" && refusal->sqlstate != "28000");
    if (taken) found = std::move(refusal);
  }
  return found;
}

absl::Status StatusFromLibpqText(absl::string_view text) {
  if (const std::optional<Refusal> refusal = FindRefusal(text)) {
    return StatusFromSqlState(refusal->sqlstate, refusal->message);
  }
  const std::string message = OneLine(text);
  for (const ErrorRule& rule : ConnectionRules()) {
    if (absl::StrContains(message, rule.text))
      return Error(rule.code, rule.reason, message, rule.hint);
  }
  return Error(absl::StatusCode::kUnavailable, "connection_lost",
               message.empty() ? "connection lost" : message);
}

}  // namespace

absl::Status StatusFromSqlState(absl::string_view sqlstate, absl::string_view message) {
  const std::string shown =
      absl::StrCat(MayHoldValues(sqlstate) ? WithoutQuotedText(message) : std::string(message),
                   " (SQLSTATE ", sqlstate, ")");
  for (const ErrorRule& rule : SqlStateRules()) {
    if (absl::StartsWith(sqlstate, rule.sqlstate) && absl::StrContains(message, rule.text)) {
      return Error(rule.code, rule.reason, shown, rule.hint);
    }
  }
  return Error(absl::StatusCode::kFailedPrecondition, "postgres_error", shown);
}

absl::Status OfDecoding(const absl::Status& error) {
  if (ErrorReason(error) != "relation_vanished") return error;
  for (const ErrorRule& rule : SqlStateRules()) {
    if (absl::string_view(rule.reason) == "decoding_failed")
      return Error(rule.code, rule.reason, error.message(), rule.hint);
  }
  return error;
}

absl::Status StatusFromResult(const pg_result* result) {
  const absl::string_view sqlstate = Field(result, PG_DIAG_SQLSTATE);
  if (sqlstate.empty()) return StatusFromLibpqText(PQresultErrorMessage(result));
  std::string message(Field(result, PG_DIAG_MESSAGE_PRIMARY));
  const absl::string_view detail = Field(result, PG_DIAG_MESSAGE_DETAIL);
  if (!detail.empty() && !MayHoldValues(sqlstate)) absl::StrAppend(&message, ": ", detail);
  // Of a context only logical decoding's is of use: it names the slot, the callback and the LSN.
  const absl::string_view context = Field(result, PG_DIAG_CONTEXT);
  if (absl::StrContains(context, "output plugin"))
    absl::StrAppend(&message, " [", OneLine(context), "]");
  const absl::Status status = StatusFromSqlState(sqlstate, message);
  const absl::string_view server_hint = Field(result, PG_DIAG_MESSAGE_HINT);
  if (!ErrorHint(status).empty() || server_hint.empty()) return status;
  return Error(status.code(), ErrorReason(status), status.message(), server_hint);
}

absl::Status StatusFromConnection(const pg_conn* connection) {
  return StatusFromLibpqText(PQerrorMessage(connection));
}

}  // namespace walduct::postgres
