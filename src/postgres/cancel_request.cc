#include "postgres/cancel_request.h"

#include <libpq-fe.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/strip.h"
#include "base/log.h"

namespace walduct::postgres {
namespace {

constexpr std::chrono::milliseconds kPatience{1000};

// What went wrong; empty: the server took it.
std::string Request(PGcancel* cancel) {
  char reason[256] = "";
  const bool taken = PQcancel(cancel, reason, sizeof(reason)) != 0;
  PQfreeCancel(cancel);
  return taken ? std::string() : std::string(absl::StripTrailingAsciiWhitespace(reason));
}

}  // namespace

void SendCancel(pg_conn* connection) {
  PGcancel* cancel = PQgetCancel(connection);
  if (cancel == nullptr) return;
  std::promise<std::string> answered;
  std::future<std::string> answer = answered.get_future();
  // Left to itself when it takes longer: it ends with the server's answer, or with the process.
  std::thread([cancel, done = std::move(answered)]() mutable {
    done.set_value(Request(cancel));
  }).detach();
  const bool ready = answer.wait_for(kPatience) == std::future_status::ready;
  const std::string reason = ready ? answer.get() : "the server does not answer";
  if (!reason.empty()) log::Warn("a statement could not be cancelled", {{"reason", reason}});
}

}  // namespace walduct::postgres
