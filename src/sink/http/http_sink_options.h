// Records as HTTP requests. Immutable once built.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "http/client.h"
#include "sink/http/text_template.h"

namespace walduct::sink {

struct HttpLogin {
  enum class Kind { kNone, kJwt, kOAuth2, kStandardWebhooks };
  Kind kind = Kind::kNone;
  std::string url;                   // of the tokens
  std::string user, password;        // or the client's id and secret
  std::string scope;                 // oauth2
  int token_minutes = 60;            // jwt: what is asked for
  int refresh_token_minutes = 1440;  // the same
  std::string key;                   // of standard webhooks, decoded
};

struct HttpSinkOptions {
  size_t buffer_bytes = 8u << 20;  // not acknowledged yet, at most
  TextTemplate url = {};
  std::string content_type = "application/json";
  std::string header_prefix = "X-DEBEZIUM-";
  bool base64 = true;                                              // values of headers
  std::vector<std::pair<std::string, TextTemplate>> headers = {};  // more of them
  std::string id_header = {};  // of the record: its id; empty: made of the position
  bool tombstones = false;     // sent, as null
  bool batch = false;          // a JSON array of up to batch_most values
  size_t batch_most = 200;
  size_t in_flight = 1;  // requests at once
  // How often a record is sent before it is given up; absent: without end.
  std::optional<int> attempts = {};
  // So many are sent in the first pauses, before these grow.
  int steady_attempts = 5;
  // So often before a status 4xx is believed.
  int refused_attempts = 5;
  absl::Duration retry_pause = absl::Seconds(1);
  absl::Duration longest_pause = absl::Minutes(1);
  absl::Duration timeout = absl::Seconds(60);  // of a request
  HttpLogin login = {};
  http::ClientTls tls = {};
  std::string proxy = {};
  bool http_2 = false;  // where the server has it
  // Where dead letters go; both empty: where records go.
  std::string letter_url = {}, letter_file = {};
};

}  // namespace walduct::sink
