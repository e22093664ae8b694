// A whole session, recorded or torn, opened at any position
// (tests/support/pgoutput_session_file.h). Whatever comes in, what goes out is in order: positions
// only grow, and nothing at or before the start is handed over.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "base/check.h"
#include "tests/support/pgoutput_fakes.h"
#include "tests/support/pgoutput_session_file.h"

namespace {

using walduct::event::ChangeEvent;
using walduct::event::Position;
using walduct::event::TransactionInfo;

class CheckingHandler : public walduct::event::ChangeHandler {
 public:
  explicit CheckingHandler(const Position& start) : last_(start) {}

  absl::Status OnBegin(const TransactionInfo& /*transaction*/) override {
    CHECK(!open_);
    open_ = true;
    return absl::OkStatus();
  }
  absl::Status OnChange(const ChangeEvent& change) override {
    CHECK((change.schema == nullptr) == (change.message != nullptr));
    const bool counted = change.message == nullptr || change.message->transactional;
    CHECK(counted ? open_ && change.position > last_ : change.position == last_);
    if (change.after) CHECK(change.after->size() == change.schema->columns.size());
    if (change.before) CHECK(change.before->size() == change.schema->columns.size());
    last_ = change.position;
    return absl::OkStatus();
  }
  absl::Status OnCommit(const TransactionInfo& /*transaction*/, const Position& boundary) override {
    CHECK(open_);
    CHECK(boundary.ordinal == 0 && boundary.commit_end >= last_.commit_end);
    open_ = false;
    last_ = boundary;
    return absl::OkStatus();
  }
  void OnAdvance(const Position& position) {
    CHECK(position >= last_);
    last_ = position;
  }

 private:
  bool open_ = false;
  Position last_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* input, size_t size) {
  walduct::test::SessionFile session({reinterpret_cast<const char*>(input), size});
  walduct::test::FakeResolver resolver;
  CheckingHandler handler(session.start());
  walduct::pgoutput::AssemblerOptions options;
  options.start = session.start();
  walduct::pgoutput::Assembler assembler(resolver, handler, options);
  while (const auto step = session.Next()) {
    if (step->keepalive) {
      assembler.AdvanceTo(step->lsn);
      handler.OnAdvance(assembler.position());
      continue;
    }
    // In a block of its own, so that a read behind its end shows.
    std::vector<char> message(step->message.begin(), step->message.end());
    if (!assembler.OnMessage(step->lsn, {message.data(), message.size()}).ok()) return 0;
  }
  return 0;
}
