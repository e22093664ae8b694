// A program prints once what the changes of a transaction share: whatever it remembers, the bytes
// are those of a new encoder.
#include <functional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "encode/options/converter_options.h"
#include "tests/encode/encode_fixture.h"

namespace walduct::encode {
namespace {

class TransactionTextTest : public EncodeTest {
 protected:
  TransactionTextTest() {
    change_ = Change(*orders_, event::Operation::kUpdate);
    change_.last_commit_end = Lsn(2393226000);
    change_.before = change_.after = row_;
  }

  std::string Value(RecordEncoder* encoder) {
    EXPECT_TRUE(encoder->Encode(Emit(change_), &record_).ok());
    return record_.value ? std::string(*record_.value) : "<none>";
  }

  void ExpectNothingShows(ConverterKind kind) {
    options_.key.kind = options_.value.kind = kind;
    encoder_.reset();
    for (size_t i = 0; i < steps_.size(); ++i) {
      steps_[i](&change_);
      const auto anew = *RecordEncoder::Create(options_, clock_, "01a1fbb7");
      EXPECT_EQ(Value(&encoder()), Value(anew.get())) << "step " << i;
    }
  }

  const std::shared_ptr<event::TableSchema> orders_ = OrdersTable();
  const std::vector<event::Value> row_ = {Text("7"), Text("g"), Null(), Null()};
  event::ChangeEvent change_;
  const std::vector<std::function<void(event::ChangeEvent*)>> steps_ = {
      [](event::ChangeEvent*) {},
      [](event::ChangeEvent* c) { c->lsn = Lsn(2393226041); },
      [](event::ChangeEvent* c) { c->xid = 204127; },
      [](event::ChangeEvent* c) { c->xid.reset(); },
      [](event::ChangeEvent* c) { c->last_commit_end = Lsn(2393226020); },
      [](event::ChangeEvent* c) { c->last_commit_end.reset(); },
      [](event::ChangeEvent* c) { c->source_time_us = -1; },
      [](event::ChangeEvent* c) { c->source_time_us = 0; },
      [](event::ChangeEvent* c) { c->snapshot = event::SnapshotMarker::kLast; },
      [](event::ChangeEvent* c) { c->snapshot = event::SnapshotMarker::kFalse; },
      [](event::ChangeEvent* c) { c->lsn = Lsn(); },
      [](event::ChangeEvent* c) { c->origin = "other\"side"; },
      [](event::ChangeEvent* c) { c->origin_lsn = Lsn(17); },
      [](event::ChangeEvent* c) { c->origin = {}; },
      [](event::ChangeEvent* c) { *c = Later(*c); },
  };

 private:
  static event::ChangeEvent Later(event::ChangeEvent change) {
    change.lsn = Lsn(2393227000);
    change.xid = 204128;
    change.source_time_us = 1795224449141999;
    return change;
  }
};

TEST_F(TransactionTextTest, WhatItRemembersDoesNotShowInJson) {
  ExpectNothingShows(ConverterKind::kJson);
}

TEST_F(TransactionTextTest, WhatItRemembersDoesNotShowInStrings) {
  ExpectNothingShows(ConverterKind::kString);
}

// Two kinds of records take turns: each has its own program, and both see the transaction change.
TEST_F(TransactionTextTest, ProgramsThatTakeTurnsSeeEachTransaction) {
  for (uint64_t xid = 1; xid <= 4; ++xid) {
    change_.xid = xid;
    for (const event::Operation operation :
         {event::Operation::kUpdate, event::Operation::kDelete}) {
      event::Emission emission = Emit(change_);
      emission.operation = operation;
      emission.with_after = operation == event::Operation::kUpdate;
      ASSERT_TRUE(encoder().Encode(emission, &record_).ok());
      EXPECT_NE(record_.value->find(absl::StrCat("\"txId\":", xid, ",")), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace walduct::encode
