#include "recover/read/topic_comparison.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "recover/read/key_values.h"

namespace walduct::recover {
namespace {

constexpr absl::Duration kTellEvery = absl::Seconds(10);
constexpr int kRecordsOfARow = 8;  // a record of a topic costs so much less
constexpr size_t kMostOfKey = 120;

absl::Status NotCompared(const std::string& topic) {
  return Error(absl::StatusCode::kUnimplemented, "format_not_compared",
               absl::StrCat("topic ", topic, " has records in a binary format"),
               "only JSON and text are compared; of other formats read the tables anew (walduct "
               "signal execute-snapshot)");
}

}  // namespace

TopicComparison::TopicComparison(Parts parts)
    : parts_(std::move(parts)), digest_(parts_.placeholder) {
  std::vector<TopicReport>& topics = parts_.report->topics;
  topics.clear();
  for (const ReadTable& table : parts_.view->tables) {
    if (table.topic.empty()) continue;
    if (const auto found = numbers_.find(table.topic); found != numbers_.end()) {
      joined_[found->second] = true;
      continue;
    }
    joined_.push_back(false);
    numbers_[table.topic] = static_cast<uint32_t>(topics.size());
    topics.emplace_back().topic = table.topic;
    const std::vector<std::string>& others = parts_.view->others;
    if (std::find(others.begin(), others.end(), table.topic) != others.end())
      topics.back().no_deletes = "tables that are not read have the same topic";
  }
  emptied_.resize(topics.size());
  tell_at_ = parts_.environment.clock->Monotonic() + kTellEvery;
}

absl::StatusOr<TopicComparison::Progress> TopicComparison::Step(event::ChangeHandler&,
                                                                int max_rows) {
  TellProgress();
  if (stage_ == Stage::kTopics) {
    RETURN_IF_ERROR(ReadTopic(max_rows * kRecordsOfARow));
    return Progress::kRead;
  }
  if (stage_ == Stage::kGone) return WriteGone(max_rows);
  ASSIGN_OR_RETURN(const Progress step, parts_.view->rows->Step(*this, max_rows));
  if (step != Progress::kDone) return step;
  stage_ = Stage::kGone;
  return Progress::kRead;
}

absl::Status TopicComparison::ReadTopic(int max_records) {
  if (index_ == nullptr) {
    ASSIGN_OR_RETURN(index_, KeyIndex::Open(parts_.folder));
  }
  std::vector<TopicReport>& topics = parts_.report->topics;
  if (topic_ == topics.size()) {
    log::Info("the topics are read; now the tables",
              {{"records", records_}, {"topics", topics.size()}});
    RETURN_IF_ERROR(index_->Seal());
    stage_ = Stage::kRows;
    return absl::OkStatus();
  }
  TopicReport& topic = topics[topic_];
  if (stream_ == nullptr) {
    auto stream = parts_.open(topic.topic);
    if (ErrorReason(stream.status()) == "topic_missing") {
      ++topic_;
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(stream.status());
    stream_ = *std::move(stream);
    topic.expired = stream_->CountExpired();
  }
  for (int i = 0; i < max_records; ++i) {
    ASSIGN_OR_RETURN(const std::optional<kafka::TopicRecord> record, stream_->Next());
    if (!record) {
      stream_.reset();
      before_.clear();
      ++topic_;
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(AddRecord(*record));
  }
  return absl::OkStatus();
}

absl::Status TopicComparison::AddRecord(const kafka::TopicRecord& record) {
  ++records_;
  if (!record.key) {
    const bool emptied = record.value && digest_.Read(*record.value) && digest_.truncated();
    if (emptied)
      emptied_[topic_].OnTruncate(record.partition, index_->place(), record.timestamp_ms);
    else
      ++parts_.report->keyless;
    return absl::OkStatus();
  }
  const TopicReport& topic = parts_.report->topics[topic_];
  LastRecord last;
  if (!record.value) {
    last.gone = true;
    last.later = TombstoneIsLater(record);
  } else {
    if (!digest_.Read(*record.value)) return NotCompared(topic.topic);
    last = {.digest = digest_.Of(0),
            .unknown = digest_.unknown(),
            .gone = digest_.gone(),
            .later = parts_.moving && IsLater()};
  }
  if (parts_.moving) {
    auto& [key, later] = before_[record.partition];
    key.assign(record.key->data(), record.key->size());
    later = last.later;
  }
  last.time_ms = record.timestamp_ms;
  return index_->Add(topic_, *record.key, record.partition, last);
}

// It is of the change that the record before it tells of.
bool TopicComparison::TombstoneIsLater(const kafka::TopicRecord& record) const {
  const auto before = before_.find(record.partition);
  return before != before_.end() && before->second.first == *record.key && before->second.second;
}

// Transaction ids go round.
bool TopicComparison::IsLater() const {
  const std::optional<uint32_t>& oldest = parts_.view->oldest;
  return oldest && digest_.xid() && static_cast<int32_t>(*digest_.xid() - *oldest) >= 0;
}

absl::Status TopicComparison::OnChange(const event::ChangeEvent& change) {
  ++parts_.report->rows;
  event::ChangeEvent row = change;
  row.snapshot = event::SnapshotMarker::kIncremental;
  const uint64_t before = judged_;
  RETURN_IF_ERROR(parts_.publish(row));
  if (judged_ != before) return absl::OkStatus();
  // Whatever it is filtered by: its key cannot be told from one without a row.
  for (const ReadTable& table : parts_.view->tables) {
    if (table.schema->relation != row.schema->relation || table.topic.empty()) continue;
    parts_.report->topics[numbers_[table.topic]].no_deletes =
        "rows of its tables give no record: they are filtered";
  }
  return absl::OkStatus();
}

TopicReport* TopicComparison::TopicOf(absl::string_view name, uint32_t* number) {
  std::vector<TopicReport>& topics = parts_.report->topics;
  if (last_ >= topics.size() || topics[last_].topic != name) {
    const auto found = numbers_.find(name);
    if (found == numbers_.end()) return nullptr;
    last_ = found->second;
  }
  *number = last_;
  return &topics[last_];
}

absl::StatusOr<bool> TopicComparison::Passes(const event::Record& record) {
  if (record.heartbeat) return true;
  if (stage_ == Stage::kRows) return JudgeRow(record);
  if (expected_ == nullptr) return true;
  const bool same = record.key && *record.key == expected_->key &&
                    record.topic == parts_.report->topics[expected_->topic].topic;
  met_ |= same;
  return same && parts_.writes;
}

absl::StatusOr<bool> TopicComparison::JudgeRow(const event::Record& record) {
  ++judged_;
  uint32_t number = 0;
  TopicReport* const topic = TopicOf(record.topic, &number);
  if (topic == nullptr) {
    return Error(absl::StatusCode::kUnimplemented, "recover_read_topic",
                 absl::StrCat("a row goes to topic ", record.topic,
                              ", which its table alone does not tell: a transform chooses it by "
                              "the row"),
                 "such a topic is not compared: leave the table out with --tables, or read it anew "
                 "(walduct signal execute-snapshot)");
  }
  if (!record.key) {
    ++parts_.report->keyless;
    return false;
  }
  if (!record.value || !digest_.Read(*record.value)) return NotCompared(topic->topic);
  bool seen = false;
  ASSIGN_OR_RETURN(const std::optional<LastRecord> last,
                   index_->Find(KeyHash::Of(number, *record.key), &seen));
  if (seen) {
    ++parts_.report->shared;
    return false;
  }
  if (last && last->later) {
    ++topic->later;
    return false;
  }
  const bool none = !last || last->gone ||
                    emptied_[number].Has(last->partition, last->place, last->time_ms) !=
                        EmptiedTopic::Answer::kNo;
  if (none) {
    Show(*topic, "new", ++topic->added, *record.key);
    return parts_.writes;
  }
  if (last->digest == digest_.Of(last->unknown)) {
    ++topic->equal;
    return false;
  }
  Show(*topic, "different", ++topic->different, *record.key);
  return parts_.writes;
}

absl::StatusOr<TopicComparison::Progress> TopicComparison::WriteGone(int max_keys) {
  for (int i = 0; i < max_keys; ++i) {
    ASSIGN_OR_RETURN(const std::optional<KeyIndex::Unseen> unseen, index_->NextUnseen());
    if (!unseen) {
      parts_.report->done = true;
      return Progress::kDone;
    }
    TopicReport& topic = parts_.report->topics[unseen->topic];
    // Of several tables nobody knows which was emptied; a delete too much tells what is so.
    const bool emptied = !joined_[unseen->topic] &&
                         emptied_[unseen->topic].Has(unseen->partition, unseen->place,
                                                     unseen->time_ms) == EmptiedTopic::Answer::kYes;
    if (!topic.no_deletes.empty() || emptied) continue;
    Show(topic, "gone", ++topic.gone, unseen->key);
    RETURN_IF_ERROR(WriteDelete(topic, *unseen));
  }
  return Progress::kRead;
}

// Which of the tables and of the guesses is right shows with the record.
absl::Status TopicComparison::WriteDelete(TopicReport& topic, const KeyIndex::Unseen& unseen) {
  expected_ = &unseen;
  met_ = false;
  absl::Status published;
  for (const ReadTable& table : parts_.view->tables) {
    if (met_ || table.topic != topic.topic) continue;
    for (const KeyRow& row : RowsOfKey(*table.schema, unseen.key)) {
      event::ChangeEvent change;
      change.operation = event::Operation::kDelete;
      change.schema = table.schema.get();
      change.before = event::RowView(row.values);
      change.old_row = event::OldRow::kKey;
      change.lsn = parts_.view->at;
      change.xid = parts_.view->rows->origin().xid;
      change.source_time_us = parts_.view->rows->origin().time_us;
      published = parts_.publish(change);
      // A guess that is no value of the column's type.
      if (absl::IsInvalidArgument(published)) published = absl::OkStatus();
      if (met_ || !published.ok()) break;
    }
    if (!published.ok()) break;
  }
  expected_ = nullptr;
  if (!met_ && published.ok()) Show(topic, "not told", ++topic.unwritten, unseen.key);
  return published;
}

void TopicComparison::Show(TopicReport& topic, absl::string_view kind, uint64_t count,
                           absl::string_view key) {
  if (count > parts_.examples) return;
  topic.examples.push_back(absl::StrCat(kind, " ", PlainText(key.substr(0, kMostOfKey))));
}

void TopicComparison::TellProgress() {
  const absl::Duration now = parts_.environment.clock->Monotonic();
  if (now < tell_at_) return;
  tell_at_ = now + kTellEvery;
  log::Info("comparing", {{"records_of_topics", records_}, {"rows", parts_.report->rows}});
}

}  // namespace walduct::recover
