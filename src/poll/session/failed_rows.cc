#include "poll/session/failed_rows.h"

#include <algorithm>
#include <array>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/plain_text.h"
#include "base/utf8.h"
#include "outbox/options.h"
#include "poll/session/array_text.h"

namespace walduct::poll {
namespace {

constexpr absl::Duration kLongestBackoff = absl::Minutes(5);
constexpr int64_t kMostDoublings = 30;
// A column of varchar(255) has room for it.
constexpr size_t kLongestError = 250;

// A claim is asked without them, one by one.
constexpr size_t kMostPassed = 5000;

// Of whatever is sent there next, too.
constexpr std::array<absl::string_view, 7> kOfServer = {
    "topic_missing",    "topic_authorization_failed", "receiver_gone", "receiver_refuses",
    "attempts_used_up", "rabbitmq_unroutable",        "batch_refused"};

std::string ErrorText(const absl::Status& why) {
  return std::string(
      Utf8Prefix(PlainText(absl::StrCat(ErrorReason(why), ": ", why.message())), kLongestError));
}

}  // namespace

std::vector<std::string> KeyOf(const postgres::Result& rows, int row, const OutboxTable& table) {
  std::vector<std::string> key;
  for (const int column : table.key_at) key.emplace_back(rows.Get(row, column));
  return key;
}

int64_t AttemptsOf(const postgres::Result& rows, int row, int column) {
  int64_t attempts = 0;
  static_cast<void>(absl::SimpleAtoi(rows.Get(row, column), &attempts));
  return attempts;
}

bool FailedRows::IsOfRow(const absl::Status& why) {
  return (absl::IsInvalidArgument(why) || absl::IsUnimplemented(why)) &&
         !absl::StartsWith(ErrorReason(why), "registry_") &&
         !absl::c_linear_search(kOfServer, ErrorReason(why));
}

absl::Duration FailedRows::Backoff(const outbox::OutboxOptions& options, int64_t attempts,
                                   double chance) {
  const absl::Duration whole = std::min(
      options.first_backoff * (int64_t{1} << std::clamp<int64_t>(attempts, 0, kMostDoublings)),
      kLongestBackoff);
  return whole * (1 - chance / 2);
}

postgres::Statement FailedRows::Note(const OutboxTable& table, const outbox::OutboxOptions& options,
                                     const std::vector<FailedRow>& rows, double chance) {
  const size_t parts = table.key_names.size();
  std::vector<std::vector<std::string>> keys(parts);
  std::vector<std::string> errors, pauses;
  for (const FailedRow& row : rows) {
    for (size_t i = 0; i < parts; ++i) keys[i].push_back(row.key[i]);
    errors.push_back(ErrorText(row.why));
    pauses.push_back(
        absl::StrCat(absl::ToInt64Milliseconds(Backoff(options, row.attempts, chance))));
  }
  postgres::Statement statement{.sql = table.FailedSql(options.max_attempts),
                                .parameters = {},
                                .answer = postgres::OneRow(2)};
  for (const std::vector<std::string>& key : keys)
    statement.parameters.emplace_back(ArrayText(key));
  statement.parameters.emplace_back(ArrayText(errors));
  statement.parameters.emplace_back(ArrayText(pauses));
  return statement;
}

void FailedRows::Add(const OutboxTable& table, const FailedRow& row, absl::Duration until) {
  waits_[table.name][ArrayText(row.key)] = {row.key, until};
}

void FailedRows::Pass(const OutboxTable& table, const std::vector<std::vector<std::string>>& keys,
                      absl::Duration until) {
  if (keys.empty()) return;
  auto& waits = waits_[table.name];
  for (const std::vector<std::string>& key : keys)
    if (waits.size() < kMostPassed) waits.try_emplace(ArrayText(key), Wait{key, until});
}

std::vector<std::vector<std::string>> FailedRows::Waiting(const OutboxTable& table,
                                                          absl::Duration now) {
  const auto of_table = waits_.find(table.name);
  if (of_table == waits_.end()) return {};
  std::vector<std::vector<std::string>> keys(table.key_names.size());
  absl::erase_if(of_table->second, [&](const auto& wait) { return wait.second.until <= now; });
  for (const auto& [text, wait] : of_table->second)
    for (size_t i = 0; i < keys.size(); ++i) keys[i].push_back(wait.key[i]);
  if (!of_table->second.empty()) return keys;
  waits_.erase(of_table);
  return {};
}

}  // namespace walduct::poll
