// Console: a page for people at /console, in front of a handler that answers all else. Its files
// are part of the program. What a page asks for (status, Connect's interface) is that handler's.
//
// A browser says of each writing request which page sends it (Origin). Pages of other origins are
// refused unless they are trusted, and the console's own page unless it may write: a page cannot
// use the password that a browser knows. Programs, which say no origin, pass.
//
// Thread-safety: that of the handler.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "console/console_options.h"
#include "http/message.h"

namespace walduct::console {

class Console final : public http::Handler {
 public:
  struct Parts {
    http::Handler* others = nullptr;  // borrowed
    ConsoleOptions options = {};
    bool worker = false;                                        // it takes requests that write
    std::function<bool(const http::Request&)> admits = {};      // empty: everybody
    std::function<bool(absl::string_view origin)> trusts = {};  // empty: no origin but our own
    // A connector's records behind that number, as JSON, with or without texts; empty: it does not
    // run.
    std::function<std::string(absl::string_view connector, uint64_t after, bool texts)> tail = {};
    // What else the page asks, as JSON: of all ("list"), or of one by name ("connector", "log", …).
    // NotFound: there is none of that name; other errors say why not.
    std::function<absl::StatusOr<std::string>(absl::string_view what, const std::string& name,
                                              uint64_t after)>
        ask = {};
  };
  explicit Console(Parts parts) : parts_(std::move(parts)) {}

  http::Response Handle(const http::Request& request) override;

 private:
  http::Response Page(const http::Request& request) const;
  http::Response Settings() const;
  http::Response Tail(const http::Request& request) const;
  http::Response Asked(absl::string_view what, const http::Request& request) const;
  bool MayWrite(const http::Request& request) const;

  const Parts parts_;
};

}  // namespace walduct::console
