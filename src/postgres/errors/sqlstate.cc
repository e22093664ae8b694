#include "postgres/errors/sqlstate.h"

#include <libpq-fe.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
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
// Other languages have other marks.
std::string WithoutQuotedText(absl::string_view message) {
  struct Marks {
    absl::string_view opening, closing;
  };
  static constexpr Marks kMarks[] = {{"\"", "\""}, {"«", "»"},   {"»", "«"},
                                     {"„", "“"},   {"“", "”"},   {"”", "”"},
                                     {"「", "」"}, {"『", "』"}, {"‘", "’"}};
  std::string out;
  while (!message.empty()) {
    const auto* const marks =
        std::find_if(std::begin(kMarks), std::end(kMarks),
                     [&](const Marks& one) { return absl::StartsWith(message, one.opening); });
    if (marks == std::end(kMarks)) {
      out.push_back(message.front());
      message.remove_prefix(1);
      continue;
    }
    message.remove_prefix(marks->opening.size());
    const size_t end = message.find(marks->closing);
    absl::StrAppend(&out, marks->opening, "…",
                    end == absl::string_view::npos ? "" : marks->closing);
    message.remove_prefix(end == absl::string_view::npos ? message.size()
                                                         : end + marks->closing.size());
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
  std::string function = {};
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

struct Refusals {
  std::optional<Refusal> told;
  size_t count = 0;
};

// sslmode prefer and allow try twice, and a refusal of the second try by pg_hba.conf says less than
// the first one's reason. The words before a message's parts are libpq's own, which is English
// here.
Refusals FindRefusals(absl::string_view text) {
  constexpr absl::string_view kDetail = "DETAIL:  ", kLocation = "LOCATION:  ";
  Refusals found;
  bool taken = false;  // the last one seen
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    std::optional<Refusal> refusal = ParseRefusal(line);
    if (!refusal && taken && absl::StartsWith(line, kDetail))
      absl::StrAppend(&found.told->message, ": ", line.substr(kDetail.size()));
    if (!refusal && taken && absl::StartsWith(line, kLocation)) {
      const absl::string_view location = line.substr(kLocation.size());
      found.told->function = std::string(location.substr(0, location.find(',')));
    }
    if (!refusal) continue;
    ++found.count;
    taken = !found.told || (found.told->sqlstate == "28000" && refusal->sqlstate != "28000");
    if (taken) found.told = std::move(refusal);
  }
  return found;
}

bool Raised(const ErrorRule& rule, absl::string_view function) {
  if (function.empty()) return false;
  const std::vector<absl::string_view> functions = absl::StrSplit(rule.functions, ' ');
  return std::find(functions.begin(), functions.end(), function) != functions.end();
}

bool Fits(const ErrorRule& rule, absl::string_view message, absl::string_view function) {
  const bool by_function_alone = *rule.text == '\0' && *rule.functions != '\0';
  if (!by_function_alone && absl::StrContains(message, rule.text)) return true;
  return Raised(rule, function);
}

absl::Status WithHint(const absl::Status& error, absl::string_view hint) {
  return ErrorHint(error).empty() ? Error(error.code(), ErrorReason(error), error.message(), hint)
                                  : error;
}

absl::Status WithGeneralHint(const absl::Status& error) {
  return WithHint(error, GeneralHint(ErrorReason(error)));
}

absl::Status As(absl::string_view reason, const absl::Status& error) {
  for (const ErrorRule& rule : SqlStateRules()) {
    if (absl::string_view(rule.reason) == reason)
      return Error(rule.code, rule.reason, error.message(), rule.hint);
  }
  return error;
}

// What an English text says of the attempt, and one of another language does not.
absl::Status OfAttempt(const Refusals& refusals, const Attempt& attempt,
                       const absl::Status& error) {
  const Refusal& told = *refusals.told;
  if (told.sqlstate != "28000") return error;
  const bool by_address = absl::StrContains(told.message, "pg_hba.conf");
  const bool says_how =
      absl::StrContains(told.message, "encryption") || absl::StrContains(told.message, "SSL o");
  const bool plain = refusals.count == 1 ? !attempt.encrypted : attempt.plain_first;
  if (by_address && !says_how && plain && told.function == "ClientAuthentication")
    return As("tls_required", error);
  if (told.function == "auth_failed" && attempt.certificate &&
      !absl::StrContains(told.message, "authentication failed"))
    return As("client_certificate_refused", error);
  return error;
}

}  // namespace

absl::Status StatusFromLibpqText(absl::string_view text, const Attempt& attempt) {
  if (const Refusals refusals = FindRefusals(text); refusals.told) {
    const Refusal& told = *refusals.told;
    return OfAttempt(refusals, attempt,
                     StatusFromSqlState(told.sqlstate, told.message, told.function));
  }
  const std::string message = OneLine(text);
  for (const ErrorRule& rule : ConnectionRules()) {
    if (absl::StrContains(message, rule.text))
      return Error(rule.code, rule.reason, message, rule.hint);
  }
  return WithGeneralHint(Error(absl::StatusCode::kUnavailable, "connection_lost",
                               message.empty() ? "connection lost" : message));
}

namespace {

absl::Status ByRules(absl::string_view sqlstate, absl::string_view message,
                     absl::string_view function) {
  const std::string shown =
      absl::StrCat(MayHoldValues(sqlstate) ? WithoutQuotedText(message) : std::string(message),
                   " (SQLSTATE ", sqlstate, ")");
  for (const ErrorRule& rule : SqlStateRules()) {
    if (absl::StartsWith(sqlstate, rule.sqlstate) && Fits(rule, message, function)) {
      return Error(rule.code, rule.reason, shown, rule.hint);
    }
  }
  return Error(absl::StatusCode::kFailedPrecondition, "postgres_error", shown);
}

}  // namespace

absl::Status StatusFromSqlState(absl::string_view sqlstate, absl::string_view message,
                                absl::string_view function) {
  return WithGeneralHint(ByRules(sqlstate, message, function));
}

absl::Status OfDecoding(const absl::Status& error) {
  if (ErrorReason(error) != "relation_vanished") return error;
  return As("decoding_failed", error);
}

absl::Status OfReading(const absl::Status& error) {
  if (ErrorReason(error) != "permission_denied") return error;
  return Error(error.code(), "permission_denied", error.message(),
               absl::StrReplaceAll(ErrorHint(error), {{"the right on", "the right SELECT on"}}));
}

absl::Status OfStatement(const absl::Status& error, absl::string_view property) {
  const std::string reason = ErrorReason(error);
  if (reason != "table_missing" && reason != "schema_missing") return error;
  return Error(error.code(), reason, error.message(),
               absl::StrCat(property, " names it: create it again, or correct the statement"));
}

// no pg_hba.conf entry for host "10.0.0.5", user "u", database "d", SSL encryption
std::string WithHbaLine(const std::string& hint, absl::string_view message,
                        absl::string_view database, absl::string_view user) {
  constexpr absl::string_view kGap = "host DATABASE USER ADDRESS", kHost = "host \"";
  const auto quoted = [](absl::string_view name) {
    return absl::StrCat("\"", absl::StrReplaceAll(name, {{"\"", "\"\""}}), "\"");
  };
  const std::string whose = absl::StrCat(" ", quoted(database), " ", quoted(user));
  const size_t at = message.find(kHost);
  absl::string_view address =
      at == absl::string_view::npos ? "" : message.substr(at + kHost.size());
  address = address.substr(0, address.find('"'));
  if (address == "[local]") return absl::StrReplaceAll(hint, {{kGap, "local" + whose}});
  const bool encrypted =
      absl::StrContains(message, "SSL encryption") || absl::StrContains(message, "SSL on");
  const std::string range =
      address.empty() ? "ADDRESS"
                      : absl::StrCat(address, absl::StrContains(address, ':') ? "/128" : "/32");
  return absl::StrReplaceAll(
      hint, {{kGap, absl::StrCat(encrypted ? "hostssl" : "host", whose, " ", range)}});
}

absl::Status StatusFromResult(const pg_result* result) {
  const absl::string_view sqlstate = Field(result, PG_DIAG_SQLSTATE);
  if (sqlstate.empty()) return StatusFromLibpqText(PQresultErrorMessage(result), {});
  std::string message(Field(result, PG_DIAG_MESSAGE_PRIMARY));
  const absl::string_view detail = Field(result, PG_DIAG_MESSAGE_DETAIL);
  if (!detail.empty() && !MayHoldValues(sqlstate)) absl::StrAppend(&message, ": ", detail);
  // Of a context only logical decoding's is of use: it names the slot, the callback and the LSN.
  const absl::string_view context = Field(result, PG_DIAG_CONTEXT);
  if (absl::StrContains(context, "pgoutput"))
    absl::StrAppend(&message, " [", OneLine(context), "]");
  const absl::Status status = ByRules(sqlstate, message, Field(result, PG_DIAG_SOURCE_FUNCTION));
  return WithGeneralHint(WithHint(status, Field(result, PG_DIAG_MESSAGE_HINT)));
}

absl::Status StatusFromConnection(const pg_conn* connection) {
  Attempt attempt;
  attempt.encrypted = PQsslInUse(const_cast<pg_conn*>(connection)) != 0 ||
                      PQgssEncInUse(const_cast<pg_conn*>(connection)) != 0;
  PQconninfoOption* const options = PQconninfo(const_cast<pg_conn*>(connection));
  for (const PQconninfoOption* one = options; one != nullptr && one->keyword != nullptr; ++one) {
    const absl::string_view keyword = one->keyword, value = one->val == nullptr ? "" : one->val;
    if (keyword == "sslmode") attempt.plain_first = value == "allow";
    if (keyword == "sslcert") attempt.certificate = !value.empty() && attempt.encrypted;
  }
  PQconninfoFree(options);
  return StatusFromLibpqText(PQerrorMessage(connection), attempt);
}

}  // namespace walduct::postgres
