// Forward: a request that another worker has to do is sent on to it, with its password, as Connect
// does: at most twice, for who leads or owns may have changed meanwhile (query forward=true, then
// false).
//
// Thread-safety: any thread. Blocks until the other one has answered.
#pragma once

#include <string>

#include "http/message.h"

namespace walduct::serve {

// Whether it may be sent on at all.
bool MayForward(const http::Request& request);

// What the worker at that URL answers; 503 when it does not.
http::Response Forward(const std::string& url, const http::Request& request);

// The same of a page, which changes nothing: an answer within three seconds, whatever becomes of
// the other worker.
http::Response ForwardPage(const std::string& url, const http::Request& request);

}  // namespace walduct::serve
