// HttpSender: sends records to an HTTP server from a thread of its own, several at once, those of a
// lane one after the other. What the server does not take now is sent again, without end unless the
// options say otherwise; what it refuses goes back to the sink, and its lane waits for the verdict.
//
// Thread-safety: one thread calls; the sender's own does the rest.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/environment.h"
#include "base/mutex.h"
#include "base/stopping.h"
#include "base/wake.h"
#include "base/worker_thread.h"
#include "http/curl_library.h"
#include "http/transfer_loop.h"
#include "sink/http/answers.h"
#include "sink/http/http_sink_options.h"
#include "sink/http/outgoing.h"
#include "sink/http/tokens.h"
#include "sink/patience.h"

namespace walduct::sink {

class HttpSender {
 public:
  // Of a record: delivered, or refused with that status.
  struct Outcome {
    std::unique_ptr<Outgoing> record;
    absl::Status status;
  };

  // Reads certificates. options: borrowed.
  static absl::StatusOr<std::unique_ptr<HttpSender>> Create(const HttpSinkOptions& options,
                                                            const Environment& environment);
  ~HttpSender();

  // Connects, logs in; sends no record. For before the first one. Cancelled: stopping said so.
  absl::Status TryConnecting(absl::Duration timeout, Stopping stopping);

  // Takes all of them.
  void Give(std::vector<std::unique_ptr<Outgoing>>* records);
  // Of a refused record: what is behind it may go on.
  void Resume(uint32_t lane);
  // Appends what has come; drains fd() before.
  void Take(std::vector<Outcome>* outcomes);
  // Readable when something has come: of a refusal at once, of what is delivered while more is sent
  // a millisecond later at most.
  int fd() const { return wake_.fd(); }
  // It has less to do than it could.
  bool idle() const { return idle_.load(std::memory_order_relaxed); }
  void RenewPermit();
  // Begins no request any more; what is sent is still answered for.
  void Halt();
  // Halted, and nothing is sent: no more outcomes come.
  bool quiet() const { return quiet_; }

  // What it waits for; OK: answers.
  absl::Status waits() const;
  // Of messages: the server.
  const std::string& where() const { return where_; }

 private:
  struct Lane {
    std::unique_ptr<Outgoing> first;
    Outgoing* last = nullptr;
    bool busy = false;  // one of it is sent, or was refused
    size_t singly = 0;  // so many are not to share a batch
  };
  struct Slot {
    CURL* easy = nullptr;
    Lane* lane = nullptr;  // null: free
    std::vector<std::unique_ptr<Outgoing>> records;
    std::string batch;
    absl::string_view body;  // of the record, or batch
    curl_slist* headers = nullptr;
    std::string head;  // what they were made of
    bool sending = false;
    int attempts = 0;
    std::optional<Patience> patience;
    absl::Duration again_at;
    char error[CURL_ERROR_SIZE] = {};
  };

  HttpSender(const HttpSinkOptions& options, const Environment& environment,
             const http::CurlLibrary& curl);
  absl::Status SetUp();
  absl::Status SetUp(Slot* slot);
  absl::StatusOr<CURLcode> Perform(CURL* easy, Stopping stopping);
  static http::ClientOptions ClientOf(const HttpSinkOptions& options);

  void Work();
  void TakeGiven();
  void StartAll();
  void Fill(Slot* slot);
  void Send(Slot* slot);
  absl::Status SetHeaders(Slot* slot);
  void OnAnswer(Slot* slot, CURLcode code);
  void OnPassing(Slot* slot, const absl::Status& why, bool of_server, absl::Duration at_least);
  void OnRefused(Slot* slot, const absl::Status& why);
  void OnTaken(Slot* slot);
  void Free(Slot* slot);
  void MakeReady(Lane* lane);
  void Publish();
  absl::Duration LongestSleep();
  bool MaySend() const;
  void SetWaits(const absl::Status& why, bool worth_telling);

  const HttpSinkOptions& options_;
  const Environment environment_;
  const http::CurlLibrary& curl_;
  const std::string where_;
  std::unique_ptr<Tokens> tokens_;  // null: none are needed

  // Of the sender's thread.
  std::unique_ptr<http::TransferLoop> loop_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<Lane> lanes_;
  std::deque<Lane*> ready_;
  std::vector<Outcome> made_;
  size_t sending_ = 0;  // slots
  size_t untold_ = 0;   // of outcomes_, counted from the last signal
  absl::Duration untold_since_;
  absl::Duration paused_until_;
  absl::Duration waits_since_;
  absl::Status told_;  // of waits_, the log

  std::atomic<bool> idle_{true};
  std::atomic<bool> stops_{false};
  std::atomic<bool> halts_{false}, quiet_{false};
  std::atomic<bool> some_{false};  // of outcomes_
  // Of wake_: kSignals while it is unknown whether fd() is readable already.
  enum Signalled : int { kNot, kSignals, kSignalled };
  std::atomic<int> signalled_{kNot};
  std::atomic<int64_t> permit_ns_{0};  // 0: nobody renews it

  mutable Mutex mutex_;
  std::vector<std::unique_ptr<Outgoing>> given_ ABSL_GUARDED_BY(mutex_);
  std::vector<uint32_t> resumed_ ABSL_GUARDED_BY(mutex_);
  std::vector<Outcome> outcomes_ ABSL_GUARDED_BY(mutex_);
  bool sleeps_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status waits_ ABSL_GUARDED_BY(mutex_);
  Wake wake_;
  WorkerThread worker_;
};

}  // namespace walduct::sink
