#include "replication/replication_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/poller.h"
#include "postgres/options.h"
#include "replication/options.h"
#include "replication/publication/publication.h"
#include "replication/slot.h"
#include "tests/support/postgres_server.h"

namespace walduct::replication {
namespace {

using postgres::SessionKind;
using test_servers::MustOpen;
using test_servers::MustQuery;
using test_servers::PostgresServer;
using ::testing::HasSubstr;

constexpr absl::Duration kPatience = absl::Seconds(60);

class ReplicationStreamTest : public ::testing::Test {
 protected:
  ReplicationStreamTest() {
    options_.slot_name = "stream";
    Run("CREATE TABLE public.t(id int PRIMARY KEY, v text)");
  }
  ~ReplicationStreamTest() override {
    stream_.reset();
    EXPECT_TRUE(DropSlot(*sql_, options_.slot_name).ok());
  }
  std::string Run(absl::string_view sql) { return MustQuery(*sql_, sql); }
  void CreatePublicationAndSlot() {
    Run(absl::StrCat("CREATE PUBLICATION ", postgres::QuoteIdentifier(options_.publication_name),
                     " FOR ALL TABLES"));
    const auto replication = MustOpen(database_, SessionKind::kReplication);
    ASSERT_TRUE(CreateSlot(*replication, *sql_, options_).ok());
  }
  absl::Status Start() {
    auto stream =
        ReplicationStream::Start(MustOpen(database_, SessionKind::kReplication), options_, Lsn());
    if (stream.ok()) stream_ = *std::move(stream);
    return stream.status();
  }
  // First bytes of the messages up to and with the first commit; the error's reason when one comes
  // first.
  std::string KindsUpToCommit() {
    std::string kinds;
    const absl::Duration deadline = Clock::Real().Monotonic() + kPatience;
    while (Clock::Real().Monotonic() < deadline) {
      const auto frame = stream_->Next();
      if (!frame.ok()) {
        last_error_ = frame.status();
        return ErrorReason(frame.status());
      }
      if (frame->kind == WalFrame::Kind::kNone)
        Poller::Real().WaitReadable({stream_->ready_fd()}, absl::Milliseconds(100));
      if (frame->kind == WalFrame::Kind::kKeepalive && frame->reply_requested) {
        EXPECT_TRUE(stream_->SendStatus(frame->wal_end, Lsn(), false).ok());
      }
      if (frame->kind != WalFrame::Kind::kData) continue;
      kinds.push_back(frame->payload[0]);
      last_ = frame->wal_end;
      if (kinds.back() == 'C') return kinds;
    }
    return kinds + "…timeout";
  }
  std::string ConfirmedFlush() {
    return Run("SELECT confirmed_flush_lsn FROM pg_replication_slots WHERE slot_name = 'stream'");
  }
  // Until the server has read what was sent.
  void AwaitConfirmedFlush(Lsn lsn) {
    const absl::Duration deadline = Clock::Real().Monotonic() + kPatience;
    while (ConfirmedFlush() != lsn.ToString() && Clock::Real().Monotonic() < deadline) {
      EXPECT_TRUE(stream_->Next().ok());
      Poller::Real().WaitReadable({stream_->ready_fd()}, absl::Milliseconds(50));
    }
    EXPECT_EQ(ConfirmedFlush(), lsn.ToString());
  }

  postgres::DatabaseOptions database_ = PostgresServer::Shared().CreateDatabase();
  std::unique_ptr<postgres::Connection> sql_ = MustOpen(database_);
  ReplicationOptions options_;
  std::unique_ptr<ReplicationStream> stream_;
  Lsn last_;
  absl::Status last_error_;
};

TEST_F(ReplicationStreamTest, StreamsATransaction) {
  CreatePublicationAndSlot();
  ASSERT_TRUE(Start().ok());
  Run("INSERT INTO public.t SELECT i, 'x' FROM generate_series(1, 3) i");
  EXPECT_EQ(KindsUpToCommit(), "BRIIIC");
}

TEST_F(ReplicationStreamTest, NextNeverWaits) {
  CreatePublicationAndSlot();
  ASSERT_TRUE(Start().ok());
  for (int i = 0; i < 100; ++i) {
    const auto frame = stream_->Next();
    ASSERT_TRUE(frame.ok()) << frame.status();
    EXPECT_NE(frame->kind, WalFrame::Kind::kData);
  }
}

TEST_F(ReplicationStreamTest, LargeMessagesArriveWhole) {
  CreatePublicationAndSlot();
  ASSERT_TRUE(Start().ok());
  Run("INSERT INTO public.t VALUES (1, repeat('x', 3000000))");
  EXPECT_EQ(KindsUpToCommit(), "BRIC");
}

TEST_F(ReplicationStreamTest, P2_LogicalMessagesAreAskedFor) {
  CreatePublicationAndSlot();
  ASSERT_TRUE(Start().ok());
  Run("BEGIN; SELECT pg_logical_emit_message(true, 'p', 'hello'); INSERT INTO public.t VALUES (1); "
      "COMMIT");
  EXPECT_EQ(KindsUpToCommit(), "BMRIC");
}

TEST_F(ReplicationStreamTest, SLT05_ConfirmedFlushFollowsTheStatus) {
  CreatePublicationAndSlot();
  ASSERT_TRUE(Start().ok());
  Run("INSERT INTO public.t VALUES (1)");
  ASSERT_EQ(KindsUpToCommit(), "BRIC");
  ASSERT_TRUE(stream_->SendStatus(last_, last_, true).ok());
  AwaitConfirmedFlush(last_);
}

TEST_F(ReplicationStreamTest, SLT09_FlushNeverGoesBackwards) {
  CreatePublicationAndSlot();
  ASSERT_TRUE(Start().ok());
  Run("INSERT INTO public.t VALUES (1)");
  ASSERT_EQ(KindsUpToCommit(), "BRIC");
  ASSERT_TRUE(stream_->SendStatus(last_, last_, false).ok());
  ASSERT_TRUE(stream_->SendStatus(last_, Lsn(1), true).ok());
  AwaitConfirmedFlush(last_);
}

TEST_F(ReplicationStreamTest, StopHandsTheSlotBack) {
  CreatePublicationAndSlot();
  ASSERT_TRUE(Start().ok());
  stream_->Stop(kPatience);
  stream_.reset();
  EXPECT_TRUE(DropSlot(*sql_, "stream").ok());
}

TEST_F(ReplicationStreamTest, SLT02_SecondReaderIsAborted) {
  CreatePublicationAndSlot();
  ASSERT_TRUE(Start().ok());
  const auto second =
      ReplicationStream::Start(MustOpen(database_, SessionKind::kReplication), options_, Lsn());
  EXPECT_TRUE(absl::IsAborted(second.status())) << second.status();
  EXPECT_EQ(ErrorReason(second.status()), "slot_in_use");
}

TEST_F(ReplicationStreamTest, SLT15_MissingSlotIsFailedPrecondition) {
  const absl::Status status = Start();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_EQ(ErrorReason(status), "slot_missing");
}

TEST_F(ReplicationStreamTest, PUB08_PublicationNewerThanTheSlotEndsTheStream) {
  const auto replication = MustOpen(database_, SessionKind::kReplication);
  ASSERT_TRUE(CreateSlot(*replication, *sql_, options_).ok());
  Run("INSERT INTO public.t VALUES (1)");
  Run("CREATE PUBLICATION dbz_publication FOR ALL TABLES");
  ASSERT_TRUE(Start().ok());
  EXPECT_EQ(KindsUpToCommit(), "publication_missing");
  EXPECT_TRUE(absl::IsFailedPrecondition(last_error_)) << last_error_;
}

TEST_F(ReplicationStreamTest, PUB09_DroppedPublicationEndsTheStream) {
  CreatePublicationAndSlot();
  ASSERT_TRUE(Start().ok());
  Run("INSERT INTO public.t VALUES (1)");
  ASSERT_EQ(KindsUpToCommit(), "BRIC");
  Run("DROP PUBLICATION dbz_publication");
  Run("INSERT INTO public.t VALUES (2)");
  EXPECT_EQ(KindsUpToCommit(), "publication_missing");
}

TEST_F(ReplicationStreamTest, QuotedPublicationNameIsFound) {
  options_.publication_name = "My \"Pub\", other";
  CreatePublicationAndSlot();
  ASSERT_TRUE(Start().ok());
  Run("INSERT INTO public.t VALUES (1)");
  EXPECT_EQ(KindsUpToCommit(), "BRIC");
}

TEST_F(ReplicationStreamTest, FAIL01_TerminatedWalsenderIsUnavailable) {
  CreatePublicationAndSlot();
  ASSERT_TRUE(Start().ok());
  Run("SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = "
      "'stream'");
  EXPECT_EQ(KindsUpToCommit(), "server_shutting_down");
  EXPECT_TRUE(absl::IsUnavailable(last_error_)) << last_error_;
}

TEST_F(ReplicationStreamTest, TheEndShowsBehindWhatIsUnread) {
  CreatePublicationAndSlot();
  ASSERT_TRUE(Start().ok());
  Run("INSERT INTO public.t VALUES (1)");
  EXPECT_FALSE(stream_->Ended());
  Run("SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = "
      "'stream'");
  for (int i = 0; i < 1000 && !stream_->Ended(); ++i)
    Poller::Real().WaitReadable({}, absl::Milliseconds(10));
  EXPECT_TRUE(stream_->Ended());
}

TEST_F(ReplicationStreamTest, PRM03_RoleNeedsNoTablePrivilegeToStream) {
  Run("DROP ROLE IF EXISTS streamer; CREATE ROLE streamer LOGIN REPLICATION PASSWORD 'x'");
  CreatePublicationAndSlot();
  database_.user = "streamer";
  database_.password = "x";
  ASSERT_TRUE(Start().ok());
  Run("INSERT INTO public.t VALUES (1)");
  EXPECT_EQ(KindsUpToCommit(), "BRIC");
}

}  // namespace
}  // namespace walduct::replication
