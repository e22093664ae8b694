#include "tests/support/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace walduct::test {
namespace {

sockaddr_in Loopback() {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int Listen(int* port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = Loopback();
  CHECK(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
  CHECK(listen(listener, 16) == 0);
  socklen_t size = sizeof(address);
  CHECK(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  *port = ntohs(address.sin_port);
  return listener;
}

size_t BodySize(const std::string& headers) {
  const std::string lower = absl::AsciiStrToLower(headers);
  const size_t at = lower.find("content-length:");
  size_t size = 0;
  if (at == std::string::npos) return 0;
  const size_t begin = at + 15;
  CHECK(absl::SimpleAtoi(lower.substr(begin, lower.find('\r', begin) - begin), &size));
  return size;
}

}  // namespace

HttpServer::HttpServer(std::function<HttpAnswer(const HttpCall&)> answer)
    : answer_(std::move(answer)) {
  socket_ = Listen(&port_);
  thread_ = std::thread([this] { Run(); });
}

HttpServer::~HttpServer() {
  shutdown(socket_, SHUT_RDWR);
  thread_.join();
  close(socket_);
  for (const int connection : open_) close(connection);
}

std::string HttpServer::url() const { return absl::StrCat("http://127.0.0.1:", port_); }

std::vector<HttpCall> HttpServer::calls() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return calls_;
}

void HttpServer::Run() {
  while (true) {
    const int connection = accept(socket_, nullptr, nullptr);
    if (connection < 0) return;
    Serve(connection);
  }
}

void HttpServer::Serve(int connection) {
  std::string text;
  char bytes[4096];
  size_t head = std::string::npos;
  while (head == std::string::npos || text.size() < head + 4 + BodySize(text.substr(0, head))) {
    const ssize_t got = recv(connection, bytes, sizeof(bytes), 0);
    if (got <= 0) break;
    text.append(bytes, static_cast<size_t>(got));
    head = text.find("\r\n\r\n");
  }
  if (head == std::string::npos) {
    close(connection);
    return;
  }
  HttpCall call;
  const size_t line = text.find("\r\n");
  call.line = text.substr(0, text.rfind(" HTTP", line));
  call.headers = text.substr(line + 2, head - line);
  call.body = text.substr(head + 4);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    calls_.push_back(call);
  }
  const HttpAnswer answer = answer_(call);
  if (answer.never) {
    open_.push_back(connection);
    return;
  }
  const std::string sent = absl::StrCat(
      "HTTP/1.1 ", answer.status, " x\r\nConnection: close\r\nContent-Length: ", answer.body.size(),
      "\r\n\r\n", answer.body);
  CHECK(send(connection, sent.data(), sent.size(), MSG_NOSIGNAL) > 0);
  close(connection);
}

std::string DeadUrl() {
  int port = 0;
  close(Listen(&port));
  return absl::StrCat("http://127.0.0.1:", port);
}

}  // namespace walduct::test
