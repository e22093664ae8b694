// Client: one connection to NATS for whoever publishes and awaits answers. A thread makes it,
// because libnats waits for it; from then on ours alone reads and writes, and never waits. Whoever
// asks decides what is sent again, and when to connect again.
//
//   Connect ─► Advance … ─► ready ─► Publish, Write, Next … ─► an error: closed ─► Connect …
//
// Each connection has an inbox of its own: an answer to an earlier one is not seen.
// Thread-safety: one caller.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/environment.h"
#include "base/ready_set.h"
#include "nats/options.h"

namespace walduct::nats {

struct NatsLibrary;
struct Attempt;

// Of a header; both end with a zero.
struct HeaderText {
  const char* name;
  const char* value;
};

struct Answer {
  bool nobody = false;         // no stream, or no JetStream: which message it was nobody knows
  absl::string_view number{};  // behind the inbox
  absl::string_view text{};
};

class Client {
 public:
  // Loads libnats. Reads certificates: what MakeOptions says.
  static absl::StatusOr<std::unique_ptr<Client>> Create(const NatsOptions& options,
                                                        const Environment& environment);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Begins anew. What was on its way is given up: nothing of it is sent any more.
  void Connect();
  void Close();

  // Goes on with what is under way, and reads. An error closes: what ConnectError says.
  absl::Status Advance();
  bool ready() const;
  bool closed() const { return attempt_ == nullptr; }

  // Ready only. Into a buffer, which Write sends. An error closes.
  absl::Status Publish(const char* subject, absl::string_view number,
                       absl::Span<const HeaderText> headers, absl::string_view body);
  // The greatest: it is being written, and there is nothing to be added now.
  size_t buffered() const;
  // As much as goes out now. An error closes.
  absl::Status Write();
  // The next answer, valid until the next call; absent: there is none yet.
  std::optional<Answer> Next();

  // What the server has said of a right that is missing; OK: nothing.
  absl::Status TakeRightError();

  // Becomes readable when there is something to do, or when the time of WakeIn has come. The same
  // for the client's whole life.
  int fd() const { return watched_.fd(); }
  // fd() becomes readable then, once.
  void WakeIn(absl::Duration delay) { alarm_.Set(delay); }

  const std::string& address() const { return address_; }
  // Of the last connection, headers included.
  size_t max_payload() const { return max_payload_; }

 private:
  Client(const NatsOptions& options, const Environment& environment, const NatsLibrary& nats);
  absl::Status Adopt();
  absl::Status Fail(absl::Status error);
  void FreeAnswer();

  const NatsOptions options_;
  const Environment environment_;
  const NatsLibrary& nats_;
  const std::string address_;
  Alarm alarm_;
  ReadySet watched_;
  std::shared_ptr<Attempt> attempt_;  // null: closed
  bool ready_ = false;
  bool awaits_room_ = false;
  void* answer_ = nullptr;  // the message that Next has handed out
  uint64_t connections_ = 0;
  std::string inbox_;  // with its last dot
  std::string reply_;  // of the message that is being made
  size_t max_payload_ = 0;
};

// What the inboxes of a process begin with, without a dot at the end: four parts, so that a stream
// over *.*.* does not take answers.
const std::string& InboxPrefix();

}  // namespace walduct::nats
