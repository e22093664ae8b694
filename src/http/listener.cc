#include "http/listener.h"

#include <httplib.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <exception>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"

namespace walduct::http {
namespace {

constexpr time_t kRequestSeconds = 5;
// A client that keeps its connection holds a thread.
constexpr time_t kKeepAliveSeconds = 1;
constexpr size_t kRequestsPerConnection = 1000;

// The library's own would share the port with another process that asks for the same.
void SetSocketOptions(int socket) {
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

Request Translate(const httplib::Request& from) {
  Request request;
  request.method = from.method;
  request.path = from.target.substr(0, from.target.find_first_of("?#"));
  for (const auto& [name, value] : from.params) request.query.emplace(name, value);
  request.accept = from.get_header_value("Accept");
  request.host = from.get_header_value("Host");
  request.content_type = from.get_header_value("Content-Type");
  request.body = from.body;
  return request;
}

void Translate(Response from, httplib::Response* to) {
  to->status = from.status;
  for (const auto& [name, value] : from.headers) to->set_header(name, value);
  if (from.content_type.empty()) return;
  to->body = std::move(from.body);
  to->set_header("Content-Type", from.content_type);
}

}  // namespace

struct Listener::Server {
  httplib::Server server;
  Address address;
  std::atomic<bool> ended{false};  // of the thread
  std::thread thread;

  explicit Server(Handler* handler) {
    server.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    server.set_socket_options(SetSocketOptions);
    server.set_tcp_nodelay(true);
    server.set_read_timeout(kRequestSeconds);
    server.set_write_timeout(kRequestSeconds);
    server.set_keep_alive_timeout(kKeepAliveSeconds);
    server.set_keep_alive_max_count(kRequestsPerConnection);
    server.set_payload_max_length(kMaxBodyBytes);
    const auto handle = [handler](const httplib::Request& request, httplib::Response& response) {
      Translate(handler->Handle(Translate(request)), &response);
    };
    const std::string any = R"([\s\S]*)";
    server.Get(any, handle).Post(any, handle).Put(any, handle).Patch(any, handle);
    server.Delete(any, handle).Options(any, handle);
    server.set_exception_handler([](const httplib::Request&, httplib::Response& response,
                                    const std::exception_ptr&) { response.status = 500; });
  }
};

absl::StatusOr<std::unique_ptr<Listener>> Listener::Open(const Address& address, Handler* handler) {
  auto server = std::make_unique<Server>(handler);
  server->address = address;
  errno = 0;
  bool bound = true;
  if (address.port == 0) {
    server->address.port = server->server.bind_to_any_port(address.host);
    bound = server->address.port > 0;
  } else {
    bound = server->server.bind_to_port(address.host, address.port);
  }
  if (!bound) {
    const std::string why = errno == 0 ? "the host is not known" : std::strerror(errno);
    return Error(absl::StatusCode::kFailedPrecondition, "listen_failed",
                 absl::StrCat("cannot listen on ", address.ToString(), ": ", why),
                 "choose another port, or end the process that has it (ss -ltnp)");
  }
  server->thread = std::thread([raw = server.get()] {
    raw->server.listen_after_bind();
    raw->ended = true;
  });
  return std::unique_ptr<Listener>(new Listener(std::move(server)));
}

Listener::Listener(std::unique_ptr<Server> server) : server_(std::move(server)) {}

Listener::~Listener() {
  // Stopped before it has begun, it would begin later.
  while (!server_->server.is_running() && !server_->ended) std::this_thread::yield();
  server_->server.stop();
  server_->thread.join();
}

const Address& Listener::address() const { return server_->address; }

}  // namespace walduct::http
