#include "recover/replay/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <utility>

#include "recover/replay/window_source.h"
#include "recover/run/window.h"

namespace walduct::recover {
namespace {

using replication::WalFrame;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(ReplayEnd, IsAnLsnOrATimeWithItsZone) {
  const auto lsn = ParseReplayEnd("--since", "0/5A3B1C8");
  ASSERT_TRUE(lsn.ok());
  EXPECT_EQ(lsn->lsn, Lsn(0x5A3B1C8));
  // As PostgreSQL prints it, as RFC 3339 has it, in any zone.
  for (const char* const text :
       {"2026-08-01T09:30:00Z", "2026-08-01T11:30:00+02:00", "2026-08-01 09:30:00Z",
        "2026-08-01 09:30:00.0+00:00", "2026-08-01 11:30:00+02", "2026-08-01 09:30:00 +00:00"}) {
    const auto time = ParseReplayEnd("--since", text);
    ASSERT_TRUE(time.ok()) << text;
    EXPECT_EQ(time->time_us, 1785576600000000) << text;
    EXPECT_FALSE(time->lsn.valid());
  }
  for (const char* const text : {"", "yesterday", "2026-08-01T09:30:00", "0/0", "09:30Z"}) {
    const auto none = ParseReplayEnd("--until", text);
    EXPECT_TRUE(absl::IsInvalidArgument(none.status())) << text;
    EXPECT_THAT(std::string(none.status().message()), HasSubstr("--until: '")) << text;
  }
}

TEST(Window, EndsAtTheSecondLookThatIsBehindIt) {
  Window window;
  window.until = 100;
  window.OnReplayed(Lsn(10), 99);
  window.OnReplayed(Lsn(20), 100);
  EXPECT_FALSE(window.end.load().valid());
  window.OnReplayed(Lsn(30), 100);
  window.OnReplayed(Lsn(40), 120);
  EXPECT_EQ(window.end.load(), Lsn(30));
}

std::string Big(uint64_t value) {
  std::string bytes(8, '\0');
  for (int i = 7; i >= 0; --i, value >>= 8) bytes[i] = static_cast<char>(value & 0xFF);
  return bytes;
}

constexpr int64_t kEpochUs = 946684800000000;

// The frames of a stream, one after the other; then keepalives.
class Frames final : public replication::WalSource {
 public:
  void Begin(int64_t time_us) {
    Push("B" + Big(0x100) + Big(static_cast<uint64_t>(time_us - kEpochUs)) + std::string(4, '\0'));
  }
  void Push(std::string payload) { payloads_.push_back(std::move(payload)); }

  absl::StatusOr<WalFrame> Next() override {
    WalFrame frame;
    frame.wal_end = Lsn(0x9000);
    if (payloads_.empty()) {
      frame.kind = WalFrame::Kind::kKeepalive;
      return frame;
    }
    current_ = std::move(payloads_.front());
    payloads_.pop_front();
    frame.kind = WalFrame::Kind::kData;
    frame.payload = current_;
    return frame;
  }
  absl::Status SendStatus(Lsn, Lsn, bool) override { return absl::OkStatus(); }
  bool Ended() override { return false; }
  replication::ReceivePath path() const override { return {}; }
  int ready_fd() const override { return -1; }
  void Stop(absl::Duration) override {}

 private:
  std::deque<std::string> payloads_;
  std::string current_;
};

// First letters of what comes through, until it ends or only keepalives come.
std::vector<char> Through(std::unique_ptr<Frames> frames, const std::shared_ptr<Window>& window) {
  WindowSource source(std::move(frames), window);
  std::vector<char> letters;
  for (int i = 0; i < 40; ++i) {
    const auto frame = source.Next();
    if (!frame.ok() || frame->kind != WalFrame::Kind::kData) break;
    letters.push_back(frame->payload[0]);
  }
  return letters;
}

TEST(WindowSource, HandsOnTheTransactionsOfTheWindowAlone) {
  auto frames = std::make_unique<Frames>();
  frames->Begin(kEpochUs + 5);
  for (const char* const one : {"R", "I", "U", "D", "T", "M", "C"}) frames->Push(one);
  frames->Begin(kEpochUs + 10);
  for (const char* const one : {"R", "I", "C"}) frames->Push(one);
  frames->Begin(kEpochUs + 20);
  for (const char* const one : {"I", "C"}) frames->Push(one);
  auto window = std::make_shared<Window>();
  window->since = kEpochUs + 10;
  window->until = kEpochUs + 20;
  EXPECT_THAT(Through(std::move(frames), window), ElementsAre('B', 'R', 'C', 'B', 'R', 'I', 'C'));
  EXPECT_TRUE(window->ended);
}

// Commit times are not quite in the order of the commits.
TEST(WindowSource, GoesOnWithinTheWindowAfterAStart) {
  auto frames = std::make_unique<Frames>();
  frames->Begin(kEpochUs + 9);
  for (const char* const one : {"I", "C"}) frames->Push(one);
  auto window = std::make_shared<Window>();
  window->since = kEpochUs + 10;
  window->begun = true;
  EXPECT_THAT(Through(std::move(frames), window), ElementsAre('B', 'I', 'C'));
}

TEST(WindowSource, EndsAtAKeepaliveBehindTheEndWhereNothingWasCommitted) {
  auto frames = std::make_unique<Frames>();
  frames->Begin(kEpochUs + 5);
  for (const char* const one : {"I", "C"}) frames->Push(one);
  auto window = std::make_shared<Window>();
  window->until = kEpochUs + 20;
  window->end = Lsn(0x8000);
  EXPECT_THAT(Through(std::move(frames), window), ElementsAre('B', 'I', 'C'));
  EXPECT_TRUE(window->ended);
}

// A commit behind the end may have an earlier time than what the end was told by; it never came to
// its own end, and neither did the replay.
TEST(WindowSource, DoesNotEndWithinATransaction) {
  auto frames = std::make_unique<Frames>();
  frames->Begin(kEpochUs + 5);
  frames->Push("I");
  auto window = std::make_shared<Window>();
  window->until = kEpochUs + 20;
  window->end = Lsn(0x8000);
  EXPECT_THAT(Through(std::move(frames), window), ElementsAre('B', 'I'));
  EXPECT_FALSE(window->ended);
}

}  // namespace
}  // namespace walduct::recover
