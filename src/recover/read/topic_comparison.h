// TopicComparison: first the topics, of which it keeps what each key's last record says, then the
// rows of the tables on their way to the sink, then the keys that no row has. A row that the topic
// has as it is is held back, of a key without a row a delete is published.
//
// Driven as a source of rows: by the session of a stream that stands still, or by who only looks.
// Data thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/environment.h"
#include "event/change_handler.h"
#include "kafka/look/topic_stream.h"
#include "recover/read/emptied_topic.h"
#include "recover/read/judged_sink.h"
#include "recover/read/key_index.h"
#include "recover/read/report.h"
#include "recover/read/value_digest.h"
#include "recover/read/view.h"
#include "snapshot/row_source.h"

namespace walduct::recover {

class TopicComparison final : public snapshot::RowSource,
                              public RecordJudge,
                              private event::ChangeHandler {
 public:
  // Borrowed.
  struct Parts {
    std::function<absl::StatusOr<std::unique_ptr<kafka::TopicStream>>(const std::string&)> open;
    Environment environment;
    ReadView* view = nullptr;
    std::function<absl::Status(const event::ChangeEvent&)> publish;
    std::string folder;
    std::string placeholder;
    bool writes = false;
    size_t examples = 5;  // of each kind and topic
    // The topics move on: records of transactions that the view may not show are not judged.
    bool moving = false;
    ReadReport* report = nullptr;
  };
  explicit TopicComparison(Parts parts);

  // The handler is not used: rows go by `publish`.
  absl::StatusOr<Progress> Step(event::ChangeHandler& handler, int max_rows) override;
  int ready_fd() const override {
    return stage_ == Stage::kRows ? parts_.view->rows->ready_fd() : -1;
  }
  absl::StatusOr<bool> Passes(const event::Record& record) override;

 private:
  enum class Stage : uint8_t { kTopics, kRows, kGone };

  absl::Status OnBegin(const event::TransactionInfo&) override { return absl::OkStatus(); }
  absl::Status OnCommit(const event::TransactionInfo&, const event::Position&) override {
    return absl::OkStatus();
  }
  absl::Status OnChange(const event::ChangeEvent& change) override;

  bool IsLater() const;
  bool TombstoneIsLater(const kafka::TopicRecord& record) const;
  absl::Status ReadTopic(int max_records);
  absl::Status AddRecord(const kafka::TopicRecord& record);
  absl::StatusOr<bool> JudgeRow(const event::Record& record);
  absl::StatusOr<Progress> WriteGone(int max_keys);
  absl::Status WriteDelete(TopicReport& topic, const KeyIndex::Unseen& unseen);
  TopicReport* TopicOf(absl::string_view name, uint32_t* number);
  void Show(TopicReport& topic, absl::string_view kind, uint64_t count, absl::string_view key);
  void TellProgress();

  const Parts parts_;
  Stage stage_ = Stage::kTopics;
  std::unique_ptr<KeyIndex> index_;
  std::unique_ptr<kafka::TopicStream> stream_;  // of topic_; null: between two
  uint32_t topic_ = 0;
  ValueDigest digest_;
  // By partition, the key of its last record, and whether that is later; where topics move.
  absl::flat_hash_map<int32_t, std::pair<std::string, bool>> before_;
  absl::flat_hash_map<std::string, uint32_t> numbers_;
  std::vector<EmptiedTopic> emptied_;  // by topic
  std::vector<bool> joined_;           // by topic: it is of several tables
  uint32_t last_ = 0;                  // topic of the last row
  uint64_t judged_ = 0;
  uint64_t records_ = 0;
  // The delete under way: its record has to be of this topic and key.
  const KeyIndex::Unseen* expected_ = nullptr;
  bool met_ = false;
  absl::Duration tell_at_;
};

}  // namespace walduct::recover
