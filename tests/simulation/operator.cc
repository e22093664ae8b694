#include "tests/simulation/operator.h"

#include "absl/strings/str_cat.h"

namespace walduct::simulation {
namespace {

// A failover may take back that it was resumed.
constexpr size_t kResumeAgain = 60;

}  // namespace

bool Operator::Asks() const {
  return world_.policy.windows != Policy::Windows::kNone &&
         world_.time.Monotonic() >= world_.promoted;
}

void Operator::Send(const std::string& type, const std::string& data) {
  end_ = world_.WriteSignal({.id = absl::StrCat("s", ++sent_), .type = type, .data = data});
}

void Operator::Execute() {
  const size_t first = random_.Below(kTables), tables = random_.Between(1, kTables);
  std::string names;
  for (size_t i = 0; i < tables; ++i) {
    const std::string name = Database::TableName((first + i) % kTables);
    absl::StrAppend(&names, i == 0 ? "" : ",", "\"public.", name, "\"");
  }
  Send("execute-snapshot", absl::StrCat("{\"data-collections\":[", names, "]}"));
  for (size_t i = 0; i < tables; ++i) world_.ledger.OnAsked((first + i) % kTables, end_);
}

void Operator::Turn() {
  ++turns_;
  if (!Asks()) return;
  if (finished_) {
    if (paused_ && turns_ % kResumeAgain == 0) Send("resume-snapshot");
    return;
  }
  if (!random_.OneIn(8)) return;
  const size_t what = random_.Below(10);
  if (what < 6) return Execute();
  if (what == 6) {
    world_.ledger.OnStop();
    return Send("stop-snapshot");
  }
  paused_ = paused_ || what == 7;
  Send(what == 7 ? "pause-snapshot" : "resume-snapshot");
}

void Operator::Finish() {
  finished_ = true;
  turns_ = 0;
  if (!Asks()) return;
  Send("resume-snapshot");
  Execute();
}

}  // namespace walduct::simulation
