#include "http/listener.h"

#include <microhttpd.h>
#include <unistd.h>

#include <condition_variable>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/error.h"
#include "base/mutex.h"
#include "base/status_macros.h"
#include "http/exchange.h"
#include "http/listening_socket.h"
#include "http/tls_session.h"

namespace walduct::http {
namespace {

// A client that keeps its connection holds a thread.
constexpr unsigned kSilenceSeconds = 5;
constexpr unsigned kFlags =
    MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL | MHD_USE_ITC;
constexpr absl::Duration kGrace = absl::Seconds(5);
constexpr size_t kStackBytes = 512u << 10;

// Paths stay as they were sent.
size_t Unchanged(void* /*closure*/, MHD_Connection* /*connection*/, char* text) {
  return std::char_traits<char>::length(text);
}

}  // namespace

struct Listener::Server {
  Handler* handler = nullptr;
  Address address;
  std::optional<ServerTls> tls;
  MHD_Daemon* daemon = nullptr;
  Mutex mutex;
  std::condition_variable answered;
  int under_way ABSL_GUARDED_BY(mutex) = 0;  // requests

  static void* Begin(void* server, const char* target, MHD_Connection* /*connection*/) {
    static_cast<Server*>(server)->Count(1);
    return new Exchange(target);
  }
  static MHD_Result Step(void* server, MHD_Connection* connection, const char* /*url*/,
                         const char* method, const char* /*version*/, const char* part,
                         size_t* size, void** exchange) {
    return static_cast<Exchange*>(*exchange)->Step(connection, method, part, size,
                                                   static_cast<Server*>(server)->handler);
  }
  static void End(void* server, MHD_Connection* /*connection*/, void** exchange,
                  MHD_RequestTerminationCode /*how*/) {
    delete static_cast<Exchange*>(*exchange);
    *exchange = nullptr;
    static_cast<Server*>(server)->Count(-1);
  }

  static void OnConnection(void* server, MHD_Connection* connection, void** /*of_socket*/,
                           MHD_ConnectionNotificationCode what) {
    const auto& tls = static_cast<Server*>(server)->tls;
    if (tls && what == MHD_CONNECTION_NOTIFY_STARTED) CheckClientCertificates(*tls, connection);
  }

  void Count(int more) {
    const MutexLock lock(mutex);
    under_way += more;
    if (under_way == 0) answered.notify_all();
  }

  void WaitForAnswers() {
    MutexLock lock(mutex);
    answered.wait_for(lock.of_std(), absl::ToChronoNanoseconds(kGrace), [this] {
      mutex.AssertHeld();
      return under_way == 0;
    });
  }

  bool Start(int socket) {
    std::vector<MHD_OptionItem> tls_options = TlsListenerOptions(tls);
    daemon = MHD_start_daemon(
        kFlags | (tls ? MHD_USE_TLS : 0), 0, nullptr, nullptr, &Server::Step, this,
        MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_URI_LOG_CALLBACK, &Server::Begin, this,
        MHD_OPTION_NOTIFY_COMPLETED, &Server::End, this, MHD_OPTION_NOTIFY_CONNECTION,
        &Server::OnConnection, this, MHD_OPTION_UNESCAPE_CALLBACK, &Unchanged, nullptr,
        MHD_OPTION_CONNECTION_LIMIT, kClients, MHD_OPTION_CONNECTION_TIMEOUT, kSilenceSeconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, kMaxHeadBytes, MHD_OPTION_THREAD_STACK_SIZE,
        kStackBytes, MHD_OPTION_ARRAY, tls_options.data(), MHD_OPTION_END);
    return daemon != nullptr;
  }
};

absl::StatusOr<std::unique_ptr<Listener>> Listener::Open(const Address& address, Handler* handler,
                                                         const ServerTls* tls) {
  auto server = std::make_unique<Server>();
  server->handler = handler;
  server->address = address;
  if (tls != nullptr) server->tls = *tls;
  ASSIGN_OR_RETURN(const int socket, OpenListeningSocket(&server->address));
  if (!server->Start(socket)) {
    close(socket);
    if (tls != nullptr) {
      return Error(absl::StatusCode::kFailedPrecondition, "listener_tls",
                   absl::StrCat("cannot serve HTTPS on ", server->address.ToString(),
                                ": the key and the certificate cannot be used"),
                   "check that the key store's certificate belongs to its key");
    }
    return Error(absl::StatusCode::kFailedPrecondition, "listen_failed",
                 absl::StrCat("cannot serve HTTP on ", server->address.ToString()),
                 "is there a limit on threads or memory? (ulimit -a)");
  }
  return std::unique_ptr<Listener>(new Listener(std::move(server)));
}

Listener::Listener(std::unique_ptr<Server> server) : server_(std::move(server)) {}

Listener::~Listener() {
  const int socket = MHD_quiesce_daemon(server_->daemon);
  server_->WaitForAnswers();
  MHD_stop_daemon(server_->daemon);
  if (socket >= 0) close(socket);
}

const Address& Listener::address() const { return server_->address; }

}  // namespace walduct::http
