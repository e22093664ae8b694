// HttpServer: answers on a port of the loopback interface, as a test says; one connection after the
// other, one request each.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace walduct::test {

struct HttpCall {
  std::string line;     // "POST /subjects/t-key/versions?normalize=false"
  std::string headers;  // as they came
  std::string body;
};

struct HttpAnswer {
  int status = 200;
  std::string body = {};
  bool never = false;  // keeps the connection open and says nothing
};

class HttpServer {
 public:
  explicit HttpServer(std::function<HttpAnswer(const HttpCall&)> answer);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::string url() const;
  std::vector<HttpCall> calls() const;

 private:
  void Run();
  void Serve(int connection);

  const std::function<HttpAnswer(const HttpCall&)> answer_;
  int socket_ = -1;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::vector<HttpCall> calls_;  // guarded by mutex_
  std::vector<int> open_;        // connections without an answer; of the thread
  std::thread thread_;
};

// A port on which nobody listens.
std::string DeadUrl();

}  // namespace walduct::test
