// AwsSender: sends records to a service of AWS from a thread of its own, one request at a time,
// each with records of one destination. No request holds two records whose order counts, for a
// service may refuse one and take the next: what is refused for a while is sent again before what
// is behind it. What is refused for good goes back to the sink, and what has its order waits.
//
// Thread-safety: one thread calls; the sender's own does the rest.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "aws/service.h"
#include "base/backoff.h"
#include "base/environment.h"
#include "base/mutex.h"
#include "base/wake.h"
#include "base/worker_thread.h"
#include "sink/aws/aws_sink_options.h"

namespace walduct::sink {

class AwsSender {
 public:
  using Message = std::unique_ptr<AwsMessage>;
  struct News {
    // Taken, or refused with AwsMessage::refused.
    std::vector<Message> settled;
    absl::Status waits;  // OK: for nothing but the answer
  };

  // options: borrowed.
  static absl::StatusOr<std::unique_ptr<AwsSender>> Create(const AwsSinkOptions& options,
                                                           const Environment& environment);
  ~AwsSender();

  // Takes all of them.
  void Give(std::vector<Message>* messages);
  // Somebody has taken charge of a refused one: what is behind it may go on.
  void Resume(const AwsMessage& refused);
  // Appends what has come; drains fd() before.
  void Take(News* news);
  // Readable when something has come.
  int fd() const { return wake_.fd(); }
  void RenewPermit();
  // Begins no request any more; what is sent is still answered for.
  void Halt();
  // Halted, and nothing is sent: no more news come.
  bool quiet() const { return quiet_; }
  const std::string& where() const { return service_->where(); }

 private:
  using Order = std::pair<std::string, std::string>;  // destination, AwsMessage::order

  AwsSender(const AwsSinkOptions& options, const Environment& environment,
            std::unique_ptr<aws::Service> service);

  void Work();
  void TakeGiven();
  void Sleep();
  void Gather();
  void Send();
  void Judge(absl::StatusOr<std::string> answer);
  void OnAnswer(const std::vector<absl::Status>& results);
  void OnError(const absl::Status& error);
  void OnPassing(Message message, const absl::Status& why);
  void Refuse(Message message, const absl::Status& why);
  void Publish();
  bool MaySend() const;

  const AwsSinkOptions& options_;
  const Environment environment_;
  const std::unique_ptr<aws::Service> service_;

  // Of the sender's thread.
  std::deque<Message> waiting_;
  std::vector<Message> batch_, again_;  // of one request; of it what is to be sent again
  std::set<Order> held_;                // behind a refused one
  std::vector<Message> made_;           // settled, not told yet
  size_t singly_ = 0;                   // so many requests are of one record
  bool told_of_heartbeats_ = false;
  Backoff backoff_;
  absl::Duration until_;  // no request before
  absl::Status waits_;

  std::atomic<bool> asked_{false};
  std::atomic<bool> halts_{false}, quiet_{false};
  std::atomic<int64_t> permit_ns_{0};  // 0: nobody renews it

  Mutex mutex_;
  std::vector<Message> given_ ABSL_GUARDED_BY(mutex_);
  std::vector<Order> resumed_ ABSL_GUARDED_BY(mutex_);
  News news_ ABSL_GUARDED_BY(mutex_);
  Wake wake_;
  WorkerThread worker_;
};

}  // namespace walduct::sink
