// Client: one connection to a Redis server: found, made, encrypted, logged in, its database chosen.
// Nothing here waits but Call. Whoever asks decides what is sent again, and when to connect again.
//
//   Connect ─► Advance … ─► ready ─► Send, Next … ─► an error: closed ─► Connect …
//
// Thread-safety: one caller.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/environment.h"
#include "base/ready_set.h"
#include "base/stopping.h"
#include "redis/options.h"
#include "redis/reply.h"
#include "redis/resolver.h"
#include "redis/tls.h"

namespace walduct::redis {

class Client {
 public:
  // Reads certificates: what MakeTlsContext says.
  static absl::StatusOr<std::unique_ptr<Client>> Create(const RedisOptions& options,
                                                        const Environment& environment);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Begins anew. What was on its way is given up: nothing of it is sent any more.
  void Connect();
  void Close();

  // Goes on with what is under way. An error closes:
  //   Unavailable         the server cannot be reached, or is not ready
  //   Unauthenticated, FailedPrecondition, PermissionDenied
  //                       it would refuse us again
  absl::Status Advance();
  bool ready() const { return step_ == Step::kReady; }
  bool closed() const { return step_ == Step::kClosed; }

  // As much of bytes as goes out now. Ready only. An error closes.
  absl::StatusOr<size_t> Send(absl::string_view bytes);
  // The next answer, valid until the next call; null: there is none yet. An error closes.
  absl::StatusOr<const Reply*> Next();

  // Becomes readable when there is something to do, or when the time of Wake has come. The same
  // for the client's whole life.
  int fd() const { return watched_.fd(); }
  // There is more to send, as soon as it goes out.
  void AwaitRoom(bool wanted);
  // fd() becomes readable then, once.
  void WakeIn(absl::Duration delay) { alarm_.Set(delay); }

  // Sends a command and waits for its answer, connecting first where that is needed; an error that
  // Redis answers is an error. Nothing else may be under way. Cancelled: stopping said so.
  absl::StatusOr<const Reply*> Call(std::initializer_list<absl::string_view> command,
                                    absl::Duration timeout, Stopping stopping = NeverStops);

  const std::string& address() const { return address_; }

 private:
  enum class Step { kClosed, kResolving, kConnecting, kHandshake, kLogin, kReady };

  Client(const RedisOptions& options, const Environment& environment, TlsContext context);
  absl::Status Go();
  absl::Status Fail(absl::Status error);
  absl::Status Unreachable(absl::string_view why) const;
  absl::Status TakeAddresses();
  absl::Status TryNextAddress();
  absl::Status CheckConnected();
  absl::Status Shake();
  void BeginLogin();
  absl::Status Login();
  absl::Status CheckLogin(const Reply& reply);
  absl::StatusOr<size_t> Write(absl::string_view bytes);
  // False: there is nothing to read now.
  absl::StatusOr<bool> Read();
  absl::StatusOr<const Reply*> NextAnswer();
  absl::StatusOr<bool> OnTlsResult(int result);
  void CloseSocket();

  const RedisOptions options_;
  const Environment environment_;
  const std::string address_;
  const TlsContext context_;  // null: without TLS
  Alarm alarm_;
  ReadySet watched_;
  Step step_ = Step::kClosed;
  std::optional<Resolver> resolver_;
  std::vector<SocketAddress> addresses_;  // not tried yet, the next one last
  absl::Duration deadline_;               // of what leads to kReady
  int socket_ = -1;
  bool awaits_room_ = false;
  TlsSession session_;
  std::optional<ReplyReader> reader_;
  std::string login_;         // not sent yet
  size_t login_answers_ = 0;  // to come; the last is that of PING
};

}  // namespace walduct::redis
