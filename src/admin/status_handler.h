// StatusHandler: what a process that runs connectors answers to HTTP requests. Nothing changes by
// them but what a signal asks for.
//
// Thread-safety: any thread.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "admin/connect_pages.h"
#include "admin/status_page.h"
#include "base/clock.h"
#include "http/message.h"

namespace walduct::admin {

class StatusHandler final : public http::Handler {
 public:
  // Unless a probe asks for another.
  static constexpr absl::Duration kLivenessLimit = absl::Seconds(60);

  using Query = std::multimap<std::string, std::string>;
  using Asks = std::function<absl::StatusOr<std::string>(
      const std::string& name, const std::string& what, const Query& query)>;

  // connectors and clock are borrowed.
  struct Options {
    const engine::Connectors* connectors = nullptr;
    Clock* clock = nullptr;
    std::map<std::string, ShownConfig> configs;
    std::string worker;  // host:port
    // Those of a worker that have a state, running ones too; null: all are in connectors.
    std::function<std::vector<IdleConnector>()> known = nullptr;
    const WorkerBoard* board = nullptr;  // of a worker; borrowed, may be null
    // What a connector's "doctor" finds, its stored "offsets", what is known for the "recovery" of
    // a gap, the rows of its "outbox" that could not be published, as JSON; takes its time. Null:
    // nobody is asked.
    Asks ask = nullptr;
    // What becomes of a signal for a connector, as JSON; body: as it was sent. Null: none is taken.
    std::function<absl::StatusOr<std::string>(const std::string& name, const std::string& body)>
        signal = nullptr;
    bool guarded = false;  // who asks has said a password
  };
  explicit StatusHandler(Options options);

  // Before the first request.
  void AskForNotice(std::function<std::optional<ProcessNotice>()> notice) {
    notice_ = std::move(notice);
  }

  // Of the console: TailJson of what runs now. Any thread.
  std::string Tail(absl::string_view connector, uint64_t after, bool texts) const {
    return TailJson(View(), connector, after, texts);
  }

  http::Response Handle(const http::Request& request) override;

 private:
  http::Response Get(const http::Request& request) const;
  http::Response Signal(const std::string& name, const http::Request& request) const;
  ProcessView View() const;
  http::Response Metrics(const http::Request& request, const ProcessView& process) const;

  const engine::Connectors& connectors_;
  Clock& clock_;
  const std::function<std::vector<IdleConnector>()> known_;
  const WorkerBoard* const board_;
  const Asks ask_;
  const std::function<absl::StatusOr<std::string>(const std::string&, const std::string&)> signal_;
  const bool guarded_;
  std::function<std::optional<ProcessNotice>()> notice_;
  const ConnectPages connect_;
};

}  // namespace walduct::admin
