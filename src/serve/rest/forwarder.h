// Forward: a request that another worker has to do is sent on to it, with its password, as Connect
// does: at most twice, for who leads or owns may have changed meanwhile (query forward=true, then
// false). It is signed with the group's key (internal_requests.h).
//
// Thread-safety: any thread. Blocks until the other one has answered.
#pragma once

#include <optional>
#include <string>

#include "access/session_keys.h"
#include "http/client.h"
#include "http/message.h"

namespace walduct::serve {

// How one worker reaches another.
struct BetweenWorkers {
  const access::SessionKeys* keys = nullptr;  // borrowed; null: nothing is signed
  http::ClientTls tls = {};
};

// Whether it may be sent on at all.
bool MayForward(const http::Request& request);

// What the worker at that URL answers; 503 when it has the request and does not answer. Absent:
// nobody took the connection, so that nothing was done, by whomever; *why says why.
std::optional<http::Response> Forward(const std::string& url, const http::Request& request,
                                      const BetweenWorkers& between, std::string* why);

// The same of a page, which changes nothing: an answer within three seconds, whatever becomes of
// the other worker.
http::Response ForwardPage(const std::string& url, const http::Request& request,
                           const BetweenWorkers& between);

}  // namespace walduct::serve
