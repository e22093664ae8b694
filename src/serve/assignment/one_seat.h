// OneSeat: the assignment of a group in which one worker serves and the others stand by. The leader
// owns every connector. When Kafka is away, however long, the worker's connectors go on as far as
// they can; they are revoked when another worker has the seat, or may have it
// (kafka/group/seat_view.h). Kafka has given it away by then: nobody waits for their end.
//
// Thread-safety: what Assignment has and IsAway from any thread; else one caller.
#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "admin/worker_board.h"
#include "base/environment.h"
#include "base/mutex.h"
#include "base/wake.h"
#include "kafka/group/group_seat.h"
#include "serve/assignment/assignment.h"
#include "serve/topics/worker_options.h"

namespace walduct::serve {

class OneSeat final : public Assignment {
 public:
  // A member of the group, by what it sees; asked for by Ask.
  using Seat = std::function<kafka::SeatView()>;
  using AskFor = std::function<absl::StatusOr<Seat>(const kafka::GroupSeat::Options&)>;
  // All borrowed.
  OneSeat(const WorkerOptions& options, admin::WorkerBoard& board, const Environment& environment,
          AskFor ask_for = AskKafka)
      : options_(options), board_(board), environment_(environment), ask_for_(std::move(ask_for)) {}

  bool Owns(absl::string_view /*connector*/) const override { return ours_.load(); }
  absl::Status Confirmed() const override;
  Leader leader() const override;
  // No broker answers.
  bool IsAway() const;

  // What is seen now; nothing, before Ask. While a member that shares is made anew: what the one
  // before it saw.
  kafka::SeatView Now() const;

  // Of what Now says, what is asked again and again; without a copy. Before the first answer: as
  // one that was never listed.
  kafka::MemberLease Lease() const;

  // Begins to ask for the seat; nothing when that has begun.
  absl::Status Ask();
  // FailedPrecondition group_in_use: it will not be given.
  absl::Status Refused() const;
  // What follows from what is seen now. serves: connectors run. topics: what is wrong with those of
  // the worker. What is waited for goes to the board and, again and again, to the log.
  kafka::SeatVerdict Judge(bool serves, const absl::Status& topics = absl::OkStatus());
  // Something else is waited for: Kafka or the worker's topics, by the error; OK: for a first
  // answer of Kafka.
  void ShowWaiting(const absl::Status& error);
  void ShowReading();

  // Of a group that shares: a member says that it ends. Until it is gone, or for a moment, the
  // brokers are asked more often who is a member. Any thread.
  void Hurry() { hurries_until_ = NanosecondsNow() + absl::ToInt64Nanoseconds(kHurry); }
  // Gives up the seat: nothing runs any more. What was seen of the group stays known.
  void Leave();
  // Readable when something else is seen of the group, until DrainNews; of the one thread that
  // waits.
  int news_fd() const { return news_.fd(); }
  void DrainNews() { news_.Drain(); }

 private:
  // A member that ends is out of the group by then, as a rule.
  static constexpr absl::Duration kHurry = absl::Seconds(2);

  struct Wait {
    admin::WorkerWait kind = admin::WorkerWait::kNothing;
    absl::Duration since;  // on the monotonic clock
    std::string message;
    std::string hint;
  };
  static absl::StatusOr<Seat> AskKafka(const kafka::GroupSeat::Options& options);
  // Absent: it is not asked for yet.
  std::optional<kafka::SeatView> View() const;
  kafka::SeatVerdict VerdictOf(const kafka::SeatView& view, absl::Duration now, bool serves) const;
  void RenewSecrets(const kafka::SeatView& view);
  bool IsLeaderless(const kafka::SeatView& view) const;
  Wait WaitOf(const kafka::SeatView& view, kafka::SeatVerdict verdict) const;
  void Show(bool serves, const Wait& wait);
  const std::string& Servers() const;
  int64_t NanosecondsNow() const {
    return absl::ToInt64Nanoseconds(environment_.clock->Monotonic());
  }
  void Take(const kafka::MemberLease& lease);
  // Gives up the member; the next one is not alone because it has not heard of anybody yet.
  void DropSeat();

  const WorkerOptions& options_;
  admin::WorkerBoard& board_;
  const Environment& environment_;
  const AskFor ask_for_;
  std::atomic<bool> ours_{false};
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::min();
  std::atomic<int64_t> listed_at_{kNever};  // nanoseconds; written before others_
  std::atomic<int> others_{0};
  std::atomic<int64_t> hurries_until_{0};  // nanoseconds on the monotonic clock
  Wake news_;                              // before the seat, which signals it
  mutable Mutex mutex_;
  Seat seat_ ABSL_GUARDED_BY(mutex_);
  kafka::SeatView known_ ABSL_GUARDED_BY(mutex_);  // by the member before
  kafka::Properties asked_with_;
  absl::Duration next_renewal_;
  std::optional<absl::Duration> answered_since_;  // absent: Kafka does not answer
  admin::WorkerWait shown_ = admin::WorkerWait::kTopics;
  bool heard_ = false;  // the group's coordinator has answered before
  absl::Duration shown_since_;
  absl::Duration next_line_;
  bool told_ = false;  // of this wait, in the log
};

}  // namespace walduct::serve
