// Admin: streams of JetStream, asked for and created, over a connection of its own. Calls wait.
// Thread-safety: one caller.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/environment.h"
#include "base/stopping.h"
#include "nats/jetstream_answers.h"
#include "nats/options.h"

namespace walduct::nats {

struct NewStream {
  std::string name;
  std::vector<std::string> subjects;
  bool file = false;
};

class Admin {
 public:
  // Waits for the connection. What Client says. stopping: asked while calls wait, which are
  // Cancelled then; borrowed.
  static absl::StatusOr<std::unique_ptr<Admin>> Connect(const NatsOptions& options,
                                                        const Environment& environment,
                                                        Stopping stopping);
  ~Admin();
  Admin(const Admin&) = delete;
  Admin& operator=(const Admin&) = delete;

  //   NotFound            there is no such stream
  //   PermissionDenied    nats_permission_denied
  //   FailedPrecondition  nats_no_jetstream
  absl::StatusOr<StreamInfo> Find(const std::string& stream);
  // Those that take the subject.
  absl::StatusOr<std::vector<std::string>> NamesFor(absl::string_view subject);
  // As Debezium Server does. One that is there is left as it is: FailedPrecondition
  // nats_stream_differs where it has other subjects or another storage.
  absl::StatusOr<StreamInfo> Create(const NewStream& wanted);

  const std::string& address() const { return address_; }
  size_t max_payload() const;

 private:
  struct Held;
  Admin(std::shared_ptr<Held> held, std::string address, const Environment& environment,
        Stopping stopping);
  absl::StatusOr<std::string> Ask(const std::string& subject, const std::string& request);

  const std::shared_ptr<Held> held_;
  const std::string address_;
  const Environment environment_;
  const Stopping stopping_;
};

}  // namespace walduct::nats
