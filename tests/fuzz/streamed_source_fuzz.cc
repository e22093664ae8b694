// A session with transactions in progress (tests/support/pgoutput_session_file.h), recorded or
// torn: kept, handed over at their commits, and read by the assembler. Whatever comes in, what goes
// out begins and ends transactions in turn, and nothing is left on the disk.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/check.h"
#include "pgoutput/assembler.h"
#include "slot/in_progress/streamed_source.h"
#include "slot/in_progress/streaming_pause.h"
#include "spill/spill.h"
#include "tests/support/fake_spill_disk.h"
#include "tests/support/fake_wal_source.h"
#include "tests/support/pgoutput_fakes.h"
#include "tests/support/pgoutput_session_file.h"

namespace {

using walduct::event::ChangeEvent;
using walduct::event::Position;
using walduct::event::TransactionInfo;
using Kind = walduct::replication::WalFrame::Kind;

class CheckingHandler : public walduct::event::ChangeHandler {
 public:
  absl::Status OnBegin(const TransactionInfo& /*transaction*/) override {
    CHECK(!std::exchange(open_, true));
    return absl::OkStatus();
  }
  absl::Status OnChange(const ChangeEvent& change) override {
    CHECK(open_ || (change.message != nullptr && !change.message->transactional));
    return absl::OkStatus();
  }
  absl::Status OnCommit(const TransactionInfo& /*transaction*/,
                        const Position& /*boundary*/) override {
    CHECK(std::exchange(open_, false));
    return absl::OkStatus();
  }

 private:
  bool open_ = false;
};

// Until the source has nothing more, or has had enough.
void Read(walduct::replication::WalSource* source) {
  walduct::test::FakeResolver resolver;
  CheckingHandler handler;
  walduct::pgoutput::Assembler assembler(resolver, handler, {});
  while (true) {
    const absl::StatusOr<walduct::replication::WalFrame> frame = source->Next();
    if (!frame.ok() || frame->kind == Kind::kNone) return;
    if (frame->kind == Kind::kKeepalive && !assembler.in_transaction())
      assembler.AdvanceTo(frame->wal_end);
    if (frame->kind != Kind::kData) continue;
    if (!assembler.OnMessage(frame->start, frame->payload).ok()) return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* input, size_t size) {
  walduct::test::SessionFile session({reinterpret_cast<const char*>(input), size});
  walduct::test::SimulatedTime time;
  auto wire = std::make_unique<walduct::test::FakeWalSource>(&time);
  while (const auto step = session.Next()) {
    if (step->keepalive) {
      wire->SendKeepalive(step->lsn, false);
    } else {
      wire->SendMessage(step->lsn, std::string(step->message));
    }
  }
  walduct::test::FakeSpillDisk::State disk;
  {
    auto spill = *walduct::spill::Spill::Open(std::make_unique<walduct::test::FakeSpillDisk>(&disk),
                                              size_t{1} << 20);
    walduct::slot::StreamingPause pause;
    walduct::metrics::ConnectorMetrics metrics;
    walduct::slot::StreamedSource source(
        std::move(wire), {.spill = spill.get(), .pause = &pause, .metrics = &metrics});
    Read(&source);
  }
  CHECK(disk.files == 0 && disk.bytes == 0);
  return 0;
}
