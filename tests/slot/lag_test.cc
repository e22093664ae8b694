// Whatever a stream waits for, lag is the age of the oldest change that is committed and not
// acknowledged: it grows by a second a second, and is gone when the wait is over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "encode/options/encode_options.h"
#include "slot/duties/stall_watch.h"
#include "slot/phases/stream_phase.h"
#include "tests/slot/duties_fixture.h"
#include "tests/support/fake_schema_ids.h"
#include "tests/support/pgoutput_builder.h"

namespace walduct::slot {
namespace {

// A table that can be locked, and whose column may become one that can be null.
class LockedTable final : public event::SchemaResolver {
 public:
  absl::Status Ask(const event::RelationDescription&) override { return absl::OkStatus(); }
  absl::StatusOr<event::TableSchemaPtr> Poll() override {
    if (locked) return nullptr;
    auto schema = std::make_shared<event::TableSchema>(*test::FakeTable::Schema());
    schema->columns.front().optional = altered;
    return schema;
  }
  absl::Duration UntilDue() override { return absl::Milliseconds(100); }
  bool locked = false, altered = false;
};

class LagTest;

struct Wait {
  std::string name;
  std::function<void(LagTest&)> begin;  // and something is committed
  std::function<void(LagTest&)> end;
  absl::Duration slack = absl::ZeroDuration();  // how much older it may be said to be
  bool stalls = true;                           // nobody wants it
};

// Whose records need a schema's id. A base: what a LagTest consists of borrows the pipeline.
class AvroDuties : public DutiesFixture {
 protected:
  AvroDuties() : DutiesFixture(3) {
    config_.encode->key.kind = config_.encode->value.kind = encode::ConverterKind::kAvro;
    path_ = *delivery::RecordPath::Create({.config = &config_,
                                           .run_id = "1",
                                           .clock = &time_,
                                           .schema_ids = {&ids_, &ids_},
                                           .sink = &sink_,
                                           .tracker = &duties_.tracker(),
                                           .waiter = &duties_.housekeeping(),
                                           .metrics = &metrics_,
                                           .warn_once = &warn_once_});
  }

  test::FakeSchemaIds ids_;
};

class LagTest : public AvroDuties, public testing::WithParamInterface<Wait> {
 public:
  LagTest() {
    housekeeping().AttachStream(&source_, absl::Seconds(10));
    housekeeping().SetWatches(&watch_, nullptr);
    control_.HoldPauses(true);
    Look();
  }

  // A transaction of so many rows is committed; the server sends it at once if it sends.
  void Commit(size_t rows = 1) {
    committed_at_ = time_.Now();
    end_ += 1000;
    ++xid_;
    const std::vector<std::string> messages = Messages(rows);
    for (size_t i = 0; i < messages.size(); ++i) {
      const bool first = i + 1 < messages.size() / 2;
      if (sends_ || (sends_half_ && first))
        source_.SendMessage(Lsn(end_ - 80 + i), messages[i]);
      else
        unsent_.emplace_back(Lsn(end_ - 80 + i), messages[i]);
    }
  }
  void SendTheRest() {
    for (auto& [lsn, message] : unsent_) source_.SendMessage(lsn, std::move(message));
    unsent_.clear();
    sends_ = true;
    source_.SendKeepalive(Lsn(end_), false);
  }

  test::FakeSink& sink() { return sink_; }
  void Post(engine::Command command) { mailbox_.Post(command); }

  void SetRegistryAway(bool away) { ids_.set_away(away); }

  LockedTable table_;
  bool sends_ = true, sends_half_ = false, looks_ = true;

 protected:
  std::vector<std::string> Messages(size_t rows) {
    std::vector<std::string> messages;
    messages.push_back(test::BeginBytes(end_ - 10, absl::ToUnixMicros(committed_at_),
                                        static_cast<uint32_t>(xid_)));
    messages.push_back(test::RelationBytes({.columns = {{.name = "id", .type = 25, .key = true}}}));
    for (size_t i = 0; i < rows; ++i)
      messages.push_back(test::InsertBytes(test::kFakeTable, {test::Text("1")}));
    messages.push_back(test::CommitBytes(end_ - 10, end_, absl::ToUnixMicros(committed_at_)));
    return messages;
  }
  void Look() {
    if (looks_) {
      server_.wal_end = Lsn(end_);
      server_.next_xid = xid_;
      server_.looked_at = time_.Monotonic();
    }
    time_.After(absl::Seconds(10), [this] { Look(); });
  }
  double Lag() {
    return absl::ToDoubleSeconds(metrics_.lag.Read(time_.Now()).value_or(-absl::Hours(1)));
  }
  absl::Status Run() {
    StreamPhase phase({.source = &source_,
                       .assembler = &assembler_,
                       .pipeline = &path_->pipeline(),
                       .schemas = &table_,
                       .housekeeping = &duties_.housekeeping(),
                       .heartbeat = &heartbeat_,
                       .checkpointer = &duties_.checkpointer(),
                       .tracker = &duties_.tracker(),
                       .sink = &sink_,
                       .clock = &time_,
                       .metrics = &metrics_,
                       .goal = std::nullopt});
    return phase.Run();
  }

  uint64_t end_ = 100'000, xid_ = 700;
  absl::Time committed_at_;
  std::vector<std::pair<Lsn, std::string>> unsent_;
  ServerView server_;
  pgoutput::Assembler assembler_{table_, path_->pipeline(), {}};
  delivery::Heartbeat heartbeat_{{.interval = absl::ZeroDuration(),
                                  .clock = &time_,
                                  .pipeline = &path_->pipeline(),
                                  .sink = &sink_,
                                  .action = nullptr}};
  StallWatch watch_{{.patience = absl::Seconds(15),
                     .clock = &time_,
                     .board = &board_,
                     .metrics = &metrics_,
                     .sink = &sink_,
                     .tracker = &duties_.tracker(),
                     .checkpointer = &duties_.checkpointer(),
                     .server = [this] { return server_; }}};
};

// So much lag as was sampled each second, from the 40th second after the commit of the wait on.
TEST_P(LagTest, GrowsByASecondASecondAndGoes) {
  const Wait& wait = GetParam();
  // Well at first: rows that arrive, then nothing for long.
  time_.After(absl::Seconds(2), [this] { Commit(); });
  double idle = 0;
  for (int second = 15; second < 60; ++second)
    time_.After(absl::Seconds(second), [&] { idle = std::max(idle, Lag()); });
  time_.After(absl::Seconds(65), [&] { wait.begin(*this); });
  std::vector<double> over;  // what it is said to be older than it is
  for (int second = 65 + 14; second < 65 + 74; ++second)
    time_.After(absl::Seconds(second), [&] {
      over.push_back(Lag() - absl::ToDoubleSeconds(time_.Now() - committed_at_));
    });
  bool told = false;
  time_.After(absl::Seconds(139), [&] { told = board_.Read().stall.has_value(); });
  time_.After(absl::Seconds(140), [&] { wait.end(*this); });
  double after = 0;
  for (int second = 145; second < 190; ++second)
    time_.After(absl::Seconds(second), [&] { after = std::max(after, Lag()); });
  GiveAfter(absl::Seconds(200), engine::Command::kStop);
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(idle, 0);
  ASSERT_EQ(over.size(), 60u);
  for (const double one : over) {
    EXPECT_GE(one, -0.001) << "never less than its age";
    EXPECT_LE(one, absl::ToDoubleSeconds(wait.slack) + 0.001);
    EXPECT_NEAR(one, over.front(), 0.001) << "by a second a second";
  }
  EXPECT_EQ(after, 0);
  EXPECT_EQ(told, wait.stalls);
}

const absl::Duration kLook = absl::Seconds(10);

const Wait kWaits[] = {
    {"a_broker_that_does_not_acknowledge",
     [](LagTest& t) {
       t.sink().by_hand = true;
       t.Commit();
     },
     [](LagTest& t) {
       t.sink().by_hand = false;
       t.sink().AcknowledgeAll();
     }},
    {"no_room_in_the_sink",
     [](LagTest& t) {
       t.sink().by_hand = true;
       t.Commit(9);
     },
     [](LagTest& t) {
       t.sink().by_hand = false;
       t.sink().AcknowledgeAll();
     }},
    {"a_table_that_is_locked",
     [](LagTest& t) {
       t.table_.locked = true;
       t.Commit();
     },
     [](LagTest& t) { t.table_.locked = false; }},
    {"a_registry_that_is_away",
     [](LagTest& t) {
       t.SetRegistryAway(true);
       t.table_.altered = true;  // its schema has no id yet
       t.Commit();
     },
     [](LagTest& t) { t.SetRegistryAway(false); }},
    {"a_walsender_that_stands_still",
     [](LagTest& t) {
       t.sends_ = false;
       t.Commit();
     },
     [](LagTest& t) { t.SendTheRest(); }, kLook},
    {"a_network_that_ends_in_the_middle",
     [](LagTest& t) {
       t.sends_ = false;
       t.sends_half_ = true;
       t.Commit(6);
     },
     [](LagTest& t) { t.SendTheRest(); }},
    {"a_pause_that_is_held",
     [](LagTest& t) {
       t.Post(engine::Command::kPause);
       t.Commit();
     },
     [](LagTest& t) { t.Post(engine::Command::kResume); }, kLook, false},
};

INSTANTIATE_TEST_SUITE_P(Waits, LagTest, testing::ValuesIn(kWaits),
                         [](const auto& wait) { return wait.param.name; });

}  // namespace
}  // namespace walduct::slot
