#include "postgres/describe/schema_query.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/check.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "postgres/describe/described_table.h"

namespace walduct::postgres {
namespace {

constexpr absl::Duration kRetryPause = absl::Milliseconds(200);
constexpr absl::Duration kSettlePause = absl::Milliseconds(2);
constexpr absl::Duration kLogInterval = absl::Minutes(1);

// The same with a lock_timeout of its own, which ends with it: several statements in one message
// are one transaction. They have no parameters, so these become literals: they are OIDs and arrays
// of OIDs.
Statement WithLockTimeout(const Statement& statement) {
  std::string sql = statement.sql;
  for (size_t i = 0; i < statement.parameters.size(); ++i) {
    const std::string& value = *statement.parameters[i];
    CHECK(value.find_first_not_of("{},0123456789") == std::string::npos);
    absl::StrReplaceAll({{absl::StrCat("$", i + 1), absl::StrCat("'", value, "'")}}, &sql);
  }
  return {absl::StrCat("SET LOCAL lock_timeout = ",
                       absl::ToInt64Milliseconds(SchemaQuery::kLockTimeout), "; ", sql),
          {},
          statement.answer};
}

std::vector<Oid> TypesOf(const event::RelationDescription& relation) {
  std::vector<Oid> types;
  for (const event::RelationColumn& column : relation.columns) types.push_back(column.type);
  return types;
}

}  // namespace

absl::Status SchemaQuery::Ask(const event::RelationDescription& relation) {
  relation_ = relation;
  refused_.reset();
  asked_at_ = clock_.Monotonic();
  return Begin(Step::kColumns);
}

absl::Status SchemaQuery::Begin(Step step) {
  step_ = step;
  switch (step) {
    case Step::kColumns:
      known_.reset();
      return connection_.Send(WithLockTimeout(ColumnsStatement(
          connection_.server_version(), relation_.relation, relation_.transaction)));
    case Step::kKey:
      return connection_.Send(
          WithLockTimeout(KeyStatement(connection_.server_version(), relation_.relation)));
    case Step::kPartitions:
      return connection_.Send(
          WithLockTimeout(PartitionsStatement(connection_.server_version(), relation_.relation)));
    case Step::kHypertable:
      return connection_.Send(WithLockTimeout(HypertableStatement(relation_.relation)));
    case Step::kTypes:
      return connection_.Send(
          WithLockTimeout(TypeCache::Question(types_.Missing(TypesOf(relation_)))));
    case Step::kPause:
    case Step::kDone:
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

absl::Status SchemaQuery::Pause(absl::Duration time) {
  retry_at_ = clock_.Monotonic() + time;
  return Begin(Step::kPause);
}

absl::StatusOr<event::TableSchemaPtr> SchemaQuery::Poll() {
  while (step_ != Step::kDone) {
    if (step_ == Step::kPause) {
      if (UntilDue() > absl::ZeroDuration()) return nullptr;
      RETURN_IF_ERROR(Begin(Step::kColumns));
    }
    if (!connection_.awaits_result()) RETURN_IF_ERROR(Begin(step_));
    const absl::StatusOr<std::optional<Result>> answer = connection_.PollResult();
    if (answer.ok() && !answer->has_value()) return nullptr;
    RETURN_IF_ERROR(answer.ok() ? Take(**answer) : OnError(answer.status()));
  }
  if (refused_) log::Info("the table is no longer locked", {{"table", Table()}});
  event::TableSchemaPtr schema = DescribeStreamed(relation_, known_, types_, memory_);
  if (memory_ != nullptr) memory_->Learn(*schema);
  return schema;
}

absl::Status SchemaQuery::Take(const Result& result) {
  switch (step_) {
    case Step::kColumns:
      return TakeColumns(result);
    case Step::kKey:
      ReadKey(result, &*known_);
      return known_->partitioned ? Begin(Step::kPartitions) : AfterPartitions();
    case Step::kPartitions:
      ReadPartitions(result, &*known_);
      return AfterPartitions();
    case Step::kHypertable:
      ReadHypertable(result, &*known_);
      return AfterRelation();
    case Step::kTypes:
      types_.Add(result);
      return Begin(Step::kDone);
    case Step::kPause:
    case Step::kDone:
      break;
  }
  return absl::OkStatus();
}

absl::Status SchemaQuery::TakeColumns(const Result& result) {
  known_ = ReadColumns(result);
  if (!known_) return AfterRelation();
  if (known_->settled) return Begin(Step::kKey);
  const absl::Duration waited = clock_.Monotonic() - asked_at_;
  // Longer and longer: a synchronous standby may be far away.
  if (waited < kSettleTimeout) return Pause(std::max(kSettlePause, waited / 4));
  log::Warn(
      "the server has sent a transaction that it does not show yet: a table of it is described as "
      "it was before",
      {{"table", Table()},
       {"transaction", relation_.transaction},
       {"hint", "is a standby of synchronous_standby_names slow or away?"}});
  return Begin(Step::kKey);
}

absl::Status SchemaQuery::AfterPartitions() {
  return known_->has_chunks ? Begin(Step::kHypertable) : AfterRelation();
}

absl::Status SchemaQuery::AfterRelation() {
  return Begin(types_.Missing(TypesOf(relation_)).empty() ? Step::kDone : Step::kTypes);
}

absl::Status SchemaQuery::OnError(const absl::Status& error) {
  // The server stumbled over a drop under way: the next look finds the table gone.
  if (ErrorReason(error) == "relation_vanished") return Pause(kRetryPause);
  if (ErrorReason(error) != "lock_timeout") return error;
  const absl::Duration now = clock_.Monotonic();
  if (!refused_) refused_ = log_at_ = now;
  if (now >= log_at_) {
    log::Warn(
        "waiting for another session to release its lock on a table; until then the stream waits "
        "at the table's changes",
        {{"table", Table()},
         {"for", absl::FormatDuration(absl::Trunc(now - *refused_, absl::Seconds(1)))},
         {"hint", ErrorHint(error)}});
    log_at_ = now + kLogInterval;
  }
  return Pause(kRetryPause);
}

int SchemaQuery::ready_fd() const {
  return step_ == Step::kPause || step_ == Step::kDone ? -1 : connection_.ready_fd();
}

absl::Duration SchemaQuery::UntilDue() {
  return step_ == Step::kPause ? retry_at_ - clock_.Monotonic() : absl::InfiniteDuration();
}

}  // namespace walduct::postgres
