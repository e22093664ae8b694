// A process that runs connectors, asked and told over its listener. Blocks.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "http/client.h"

namespace walduct::cli {

struct Arguments;

// http://127.0.0.1:8083 of "0.0.0.0:8083": a process that listens everywhere is asked here.
std::string UrlOfListener(absl::string_view listen);

// Of --url or --listen, with what --ca, --cert and --key name; a process that listens everywhere is
// asked here.
http::Server ServerOf(const Arguments& arguments);

// The body of a 200. Unavailable: nobody answers there, or another code, with what was said.
absl::StatusOr<std::string> Ask(const http::Server& server, const std::string& path);

// The same of what takes its time, such as a doctor's answer, where it answers at all. NotFound: it
// has no such connector.
absl::StatusOr<std::string> AskSlowly(const http::Server& server, const std::string& path);

// "message" of an error of Connect's interface.
std::string MessageIn(const std::string& body, int status);

// "walduct resume shop --url http://host:8083", of who has asked there.
std::string Typed(const http::Server& server, absl::string_view verb, absl::string_view name);

// FailedPrecondition not_walduct: a process answers there, and is none, such as a worker of Kafka
// Connect. OK also where nobody answers, or not to us: the next question tells that.
absl::Status CheckWalduct(const http::Server& server);

// That it has none of that name, and which it has; or that it is no walduct.
absl::Status UnknownConnector(const http::Server& server, const std::string& name);

// Has a connector that failed at that change leave it out, and begin again; what was said.
absl::StatusOr<std::string> AskToSkip(const http::Server& server, const std::string& name,
                                      const std::string& change);

// Has snapshots leave a row out, beside those that they leave out already, and the connector begin
// again; what to say. table, key: as they were typed.
absl::StatusOr<std::string> AskToSkipRow(const http::Server& server, const std::string& name,
                                         const std::string& table, const std::string& key);

}  // namespace walduct::cli
