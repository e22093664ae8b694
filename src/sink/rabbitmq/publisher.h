// Publisher: sends messages to RabbitMQ from a thread of its own, a bounded window of them at once.
// A message is settled by its own confirm, in its turn. One that no queue takes (mandatory) or that
// is refused (nack) is sent again, alone and before all that is behind it, or handed back, as the
// options say; what of its key was confirmed meanwhile is sent again behind it, so that the last
// message of a key is its last change. Then messages go one by one for a while.
//
// Thread-safety: one thread calls; the publisher's own does the rest, and ends by itself.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/backoff.h"
#include "base/environment.h"
#include "base/mutex.h"
#include "base/wake.h"
#include "rabbitmq/connection.h"
#include "sink/rabbitmq/rabbit_message.h"
#include "sink/rabbitmq/rabbitmq_sink_options.h"

namespace walduct::sink {

class Publisher {
 public:
  using Message = std::unique_ptr<RabbitMessage>;
  // Confirmed, or refused with that status: then nothing goes on until Resume.
  struct Outcome {
    Message message;
    absl::Status status;
  };
  struct News {
    std::vector<Outcome> outcomes;
    absl::Status waits;   // for what; OK: confirms
    absl::Status broken;  // nothing is sent any more
  };

  static std::shared_ptr<Publisher> Start(const RabbitMqSinkOptions& options,
                                          const Environment& environment);
  // What is on its way is given up.
  void End();

  // Takes all of them.
  void Give(std::vector<Message>* messages);
  void Resume();
  // Outcomes are appended; drains fd() before.
  void Take(News* news);
  int fd() const { return news_wake_.fd(); }
  void RenewPermit();

  // Exchanges are there, queues are made: waits.
  static absl::Status Prepare(const RabbitMqSinkOptions& options,
                              const std::vector<std::string>& topics);

 private:
  struct Entry {
    Message message;
    bool on_way = false, taken = false;
    absl::Status refused = {};
    absl::Status too_large = {};  // stays so
  };
  struct Sent {
    uint64_t number;
    bool answered = false;
  };

  Publisher(const RabbitMqSinkOptions& options, const Environment& environment);
  void Work();
  bool TakeGiven();
  absl::Status Turn();
  absl::Status Listen();
  absl::Status OnEvent(const rabbitmq::Event& event);
  absl::Status OnReturned(const rabbitmq::Event& event);
  void OnAnswer(uint64_t tag, bool multiple, bool taken);
  void Answer(Sent* sent, bool taken);
  void Settle();
  void OnAllAnswered();
  void KeepOrder();
  void HandBack(const absl::Status& why);
  void FindTooLarge(const absl::Status& why);
  absl::Status Send();
  absl::Status PublishOne(Entry* entry);
  absl::Status CheckConfirms() const;
  void Lose(const absl::Status& why);
  void Wait(const absl::Status& why, absl::Duration pause);
  void Taken();
  void PublishNews();
  void Sleep();
  bool MaySend() const;
  absl::Duration Now() const { return clock_.Monotonic(); }
  size_t most() const;
  uint64_t end() const { return first_ + entries_.size(); }
  Entry& at(uint64_t number) { return entries_[number - first_]; }

  const RabbitMqSinkOptions options_;
  Clock& clock_;

  // Of the thread.
  std::unique_ptr<rabbitmq::Connection> connection_;
  std::deque<Entry> entries_;
  uint64_t first_ = 1, next_ = 1;  // numbers: of entries_.front(), of the next to send
  std::deque<Sent> sent_;
  uint64_t first_tag_ = 1;  // of sent_.front()
  size_t on_way_ = 0;
  size_t one_by_one_ = 0;  // so many more go alone
  bool any_refused_ = false, asks_ = false;
  bool unsure_ = false;  // which of several was returned
  bool awaits_room_ = false, looks_again_ = false;
  std::set<std::string> declared_;
  std::string blocked_;  // why; empty: it is not
  absl::Duration heard_, until_;
  absl::Duration refused_pause_;  // what is refused again and again is asked for less often
  absl::Status why_;              // it waits
  Backoff backoff_;
  std::vector<Outcome> made_;
  std::vector<event::Header> headers_;
  std::vector<amqp_table_entry_t> table_;

  std::atomic<bool> stops_{false};
  std::atomic<int64_t> permit_ns_{0};  // 0: nobody renews it
  Wake work_wake_, news_wake_;
  Mutex mutex_;
  std::vector<Message> given_ ABSL_GUARDED_BY(mutex_);
  bool resumed_ ABSL_GUARDED_BY(mutex_) = false;
  News news_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace walduct::sink
