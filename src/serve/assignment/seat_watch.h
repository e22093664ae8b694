// SeatWatch: the group's seat as a worker sees it: what follows from it, told on the worker's board
// and in the log. When Kafka is away, however long, the worker's connectors go on as far as they
// can; they end when another worker has the seat, or may have it (kafka/group/seat_view.h).
//
// Thread-safety: MayWrite and IsAway from any thread; else one caller.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "admin/worker_board.h"
#include "base/environment.h"
#include "base/mutex.h"
#include "kafka/group/group_seat.h"
#include "serve/topics/worker_options.h"

namespace walduct::serve {

class SeatWatch {
 public:
  // All borrowed.
  SeatWatch(const WorkerOptions& options, admin::WorkerBoard& board, const Environment& environment)
      : options_(options), board_(board), environment_(environment) {}

  // Begins to ask for the seat; nothing when that has begun.
  absl::Status Ask();
  // FailedPrecondition group_in_use: it will not be given.
  absl::Status Refused() const;
  // serves: connectors run. What is waited for goes to the board and, again and again, to the log.
  // topics: what is wrong with those of the worker.
  kafka::SeatVerdict Look(bool serves, const absl::Status& topics = absl::OkStatus());
  // Something else is waited for: Kafka or the worker's topics, by the error; OK: for a first
  // answer of Kafka.
  void ShowWaiting(const absl::Status& error);
  void ShowReading();

  // OK, or what a request that changes something is answered: Unavailable kafka_away, Aborted.
  absl::Status MayWrite() const;
  // No broker answers.
  bool IsAway() const;

 private:
  struct Wait {
    admin::WorkerWait kind = admin::WorkerWait::kNothing;
    absl::Duration since;  // on the monotonic clock
    std::string message;
    std::string hint;
  };
  // Absent: it is not asked for yet.
  std::optional<kafka::SeatView> View() const;
  void RenewSecrets(const kafka::SeatView& view);
  Wait WaitOf(const kafka::SeatView& view, kafka::SeatVerdict verdict) const;
  void Show(bool serves, const Wait& wait);
  const std::string& Servers() const;

  const WorkerOptions& options_;
  admin::WorkerBoard& board_;
  const Environment& environment_;
  mutable Mutex mutex_;
  std::shared_ptr<kafka::GroupSeat> seat_ ABSL_GUARDED_BY(mutex_);
  kafka::Properties asked_with_;
  absl::Duration next_renewal_;
  admin::WorkerWait shown_ = admin::WorkerWait::kTopics;
  absl::Duration shown_since_;
  absl::Duration next_line_;
  bool told_ = false;  // of this wait, in the log
};

}  // namespace walduct::serve
