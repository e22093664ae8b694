// A request and what is answered, as a Handler sees them.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace walduct::http {

struct Request {
  std::string method;                             // "GET", as sent
  std::string path;                               // as sent: percent-encoded, without the query
  std::multimap<std::string, std::string> query;  // decoded
  std::string accept;                             // of the header; empty: none
  std::string host;                               // the same
  std::string content_type;
  std::string authorization;
  std::string signature;            // X-Connect-Authorization: of another worker
  std::string signature_algorithm;  // X-Connect-Request-Signature-Algorithm
  std::string origin;
  std::string if_none_match;
  std::string asked_method;  // Access-Control-Request-Method
  std::string body;
  bool encrypted = false;  // came over TLS
  bool local = false;      // from this machine, over its loopback
};

struct Response {
  int status = 200;
  std::string content_type = {};  // empty: none is named
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
};

class Handler {
 public:
  virtual ~Handler() = default;
  // Called by several threads at once.
  virtual Response Handle(const Request& request) = 0;
};

}  // namespace walduct::http
