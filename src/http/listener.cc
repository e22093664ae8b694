#include "http/listener.h"

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/error.h"
#include "base/mutex.h"
#include "base/status_macros.h"
#include "http/address.h"
#include "http/exchange.h"
#include "http/server_tls.h"

namespace walduct::http {
namespace {

constexpr char kBoth[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";
constexpr char kTls12[] = "NORMAL:-VERS-ALL:+VERS-TLS1.2";
constexpr char kTls13[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3";

void* Pointer(const char* text) { return const_cast<char*>(text); }

// Zero: trusted, or none was sent where none is required.
int Verify(gnutls_session_t session) {
  unsigned count = 0;
  if (gnutls_certificate_get_peers(session, &count) == nullptr || count == 0) return 0;
  gnutls_typed_vdata_st purpose = {};
  purpose.type = GNUTLS_DT_KEY_PURPOSE_OID;
  purpose.data = reinterpret_cast<unsigned char*>(const_cast<char*>(GNUTLS_KP_TLS_WWW_CLIENT));
  unsigned wrong = 0;
  if (gnutls_certificate_verify_peers(session, &purpose, 1, &wrong) != GNUTLS_E_SUCCESS)
    return GNUTLS_E_CERTIFICATE_ERROR;
  return wrong == 0 ? 0 : GNUTLS_E_CERTIFICATE_ERROR;
}

// For MHD_OPTION_ARRAY; none without TLS. They point into tls.
std::vector<MHD_OptionItem> TlsListenerOptions(const std::optional<ServerTls>& tls) {
  std::vector<MHD_OptionItem> options;
  if (tls) {
    const char* const versions = tls->tls12 && tls->tls13 ? kBoth : tls->tls12 ? kTls12 : kTls13;
    options = {{MHD_OPTION_HTTPS_MEM_KEY, 0, Pointer(tls->key_pem.c_str())},
               {MHD_OPTION_HTTPS_MEM_CERT, 0, Pointer(tls->chain_pem.c_str())},
               {MHD_OPTION_HTTPS_PRIORITIES, 0, Pointer(versions)}};
    if (tls->clients != ClientCertificates::kNone)
      options.push_back({MHD_OPTION_HTTPS_MEM_TRUST, 0, Pointer(tls->trust_pem.c_str())});
  }
  options.push_back({MHD_OPTION_END, 0, nullptr});
  return options;
}

// On a connection that has just been made: in the handshake the client is asked for its
// certificate; one that is not trusted ends it.
void CheckClientCertificates(const ServerTls& tls, MHD_Connection* connection) {
  if (tls.clients == ClientCertificates::kNone) return;
  const MHD_ConnectionInfo* const found =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  if (found == nullptr) return;
  auto* const session = static_cast<gnutls_session_t>(found->tls_session);
  const bool required = tls.clients == ClientCertificates::kRequired;
  gnutls_certificate_server_set_request(session,
                                        required ? GNUTLS_CERT_REQUIRE : GNUTLS_CERT_REQUEST);
  gnutls_session_set_verify_function(session, &Verify);
}

constexpr int kBacklog = 64;

absl::Status Failure(const Address& address, absl::string_view why) {
  return Error(absl::StatusCode::kFailedPrecondition, "listen_failed",
               absl::StrCat("cannot listen on ", address.ToString(), ": ", why),
               "choose another port, or end the process that has it (ss -ltnp)");
}

// -1 with errno set.
int TryAddress(const addrinfo& place) {
  const int socket = ::socket(place.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return -1;
  const int yes = 1;
  const int no = 0;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (place.ai_family == AF_INET6) setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  if (bind(socket, place.ai_addr, place.ai_addrlen) == 0 && listen(socket, kBacklog) == 0)
    return socket;
  const int error = errno;
  close(socket);
  errno = error;
  return -1;
}

int PortOf(int socket) {
  sockaddr_storage name = {};
  socklen_t length = sizeof name;
  getsockname(socket, reinterpret_cast<sockaddr*>(&name), &length);
  // The port is at the same place in both families.
  return ntohs(reinterpret_cast<const sockaddr_in&>(name).sin_port);
}

// The file descriptor, which the caller closes; address gets the port that was given when any was
// asked for. FailedPrecondition listen_failed: the port is in use, or the address is not this
// machine's.
absl::StatusOr<int> OpenListeningSocket(Address* address) {
  addrinfo wanted = {};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int code = getaddrinfo(address->host.empty() ? nullptr : address->host.c_str(),
                               absl::StrCat(address->port).c_str(), &wanted, &found);
  if (code != 0) return Failure(*address, gai_strerror(code));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> places(found, freeaddrinfo);
  for (const addrinfo* place = found; place != nullptr; place = place->ai_next) {
    const int socket = TryAddress(*place);
    if (socket < 0) continue;
    address->port = PortOf(socket);
    return socket;
  }
  return Failure(*address, std::strerror(errno));
}

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
