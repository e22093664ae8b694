#include "route/router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "java/regex/regex_list.h"
#include "names/table_filter.h"
#include "route/options.h"

namespace walduct::route {
namespace {

using event::ChangeEvent;
using event::KeyHeader;
using event::KeySource;
using event::Operation;
using event::PublishedValue;
using event::Value;
using ::testing::ElementsAre;

struct Kind {
  Operation operation;
  PublishedValue record;
  KeySource key;
  KeyHeader header;
  bool operator==(const Kind&) const = default;
};

class RouterTest : public ::testing::Test {
 protected:
  RouterTest() {
    options_.topic_prefix = "srv";
    schema_.schema = "public";
    schema_.table = "orders";
    schema_.columns.resize(2);
    schema_.key_columns = {0};
  }

  ChangeEvent Change(Operation operation) {
    ChangeEvent change;
    change.operation = operation;
    change.schema = &schema_;
    return change;
  }

  std::vector<Kind> Route(const ChangeEvent& change) {
    if (router_ == nullptr) router_ = std::make_unique<Router>(options_, filter_);
    EXPECT_TRUE(router_->Route(change, &out_).ok());
    std::vector<Kind> kinds;
    for (const auto& e : out_) kinds.push_back({e.operation, e.value, e.key, e.key_header});
    return kinds;
  }

  ChangeEvent KeyChange() {
    ChangeEvent change = Change(Operation::kUpdate);
    change.before = before_;
    change.old_row = event::OldRow::kKey;
    change.after = after_;
    return change;
  }

  RouteOptions options_;
  names::TableFilter filter_{names::TableFilterOptions{}};
  event::TableSchema schema_;
  std::vector<Value> before_ = {Value::Text("3"), Value{nullptr, 0, event::ValueKind::kAbsent}};
  std::vector<Value> after_ = {Value::Text("30"), Value::Text("cy")};
  std::unique_ptr<Router> router_;
  Router::Emissions out_;
};

constexpr Kind kCreate{Operation::kCreate, PublishedValue::kEnvelope, KeySource::kAfter,
                       KeyHeader::kNone};
constexpr Kind kUpdate{Operation::kUpdate, PublishedValue::kEnvelope, KeySource::kAfter,
                       KeyHeader::kNone};
constexpr Kind kDelete{Operation::kDelete, PublishedValue::kEnvelope, KeySource::kBefore,
                       KeyHeader::kNone};
constexpr Kind kTombstone{Operation::kDelete, PublishedValue::kTombstone, KeySource::kBefore,
                          KeyHeader::kNone};
constexpr Kind kOldHalf{Operation::kDelete, PublishedValue::kEnvelope, KeySource::kBefore,
                        KeyHeader::kNewKey};
constexpr Kind kOldTombstone{Operation::kDelete, PublishedValue::kTombstone, KeySource::kBefore,
                             KeyHeader::kNewKey};
constexpr Kind kNewHalf{Operation::kCreate, PublishedValue::kEnvelope, KeySource::kAfter,
                        KeyHeader::kOldKey};

TEST_F(RouterTest, InsertPublishesOneCreate) {
  ChangeEvent change = Change(Operation::kCreate);
  change.after = after_;
  EXPECT_THAT(Route(change), ElementsAre(kCreate));
  EXPECT_EQ(out_[0].topic, "srv.public.orders");
  EXPECT_FALSE(out_[0].with_before);
  EXPECT_TRUE(out_[0].with_after);
}

TEST_F(RouterTest, ENV03UpdateWithoutOldRowPublishesNoBefore) {
  ChangeEvent change = Change(Operation::kUpdate);
  change.after = after_;
  EXPECT_THAT(Route(change), ElementsAre(kUpdate));
  EXPECT_FALSE(out_[0].with_before);
}

TEST_F(RouterTest, ENV04UpdateWithOldRowOfTheSameKeyPublishesBefore) {
  ChangeEvent change = KeyChange();
  before_[0] = after_[0];
  EXPECT_THAT(Route(change), ElementsAre(kUpdate));
  EXPECT_TRUE(out_[0].with_before);
  EXPECT_TRUE(out_[0].with_after);
}

TEST_F(RouterTest, KEY06KeyChangePublishesDeleteTombstoneCreate) {
  const ChangeEvent change = KeyChange();
  EXPECT_THAT(Route(change), ElementsAre(kOldHalf, kOldTombstone, kNewHalf));
  EXPECT_TRUE(out_[0].with_before);
  EXPECT_FALSE(out_[0].with_after);
  EXPECT_FALSE(out_[2].with_before);
  EXPECT_TRUE(out_[2].with_after);
}

TEST_F(RouterTest, KEY07KeyChangeWithoutTombstones) {
  options_.tombstones_on_delete = false;
  EXPECT_THAT(Route(KeyChange()), ElementsAre(kOldHalf, kNewHalf));
}

TEST_F(RouterTest, KeyColumnMissingFromTheOldRowIsAKeyChange) {
  before_[0] = Value{nullptr, 0, event::ValueKind::kAbsent};
  EXPECT_THAT(Route(KeyChange()), ElementsAre(kOldHalf, kOldTombstone, kNewHalf));
}

TEST_F(RouterTest, UnchangedToastInTheKeyIsNoKeyChange) {
  after_[0] = Value::UnchangedToast();
  EXPECT_THAT(Route(KeyChange()), ElementsAre(kUpdate));
}

TEST_F(RouterTest, ChangeOutsideTheKeyIsNoKeyChange) {
  before_ = {Value::Text("30"), Value::Text("old")};
  EXPECT_THAT(Route(KeyChange()), ElementsAre(kUpdate));
}

TEST_F(RouterTest, ENV05DeletePublishesTombstone) {
  ChangeEvent change = Change(Operation::kDelete);
  change.before = before_;
  EXPECT_THAT(Route(change), ElementsAre(kDelete, kTombstone));
}

TEST_F(RouterTest, ENV06DeleteWithoutTombstone) {
  options_.tombstones_on_delete = false;
  ChangeEvent change = Change(Operation::kDelete);
  change.before = before_;
  EXPECT_THAT(Route(change), ElementsAre(kDelete));
}

TEST_F(RouterTest, KEY03TableWithoutKeyHasNullKeysAndStillATombstone) {
  schema_.key_columns.clear();
  ChangeEvent change = Change(Operation::kDelete);
  change.before = before_;
  const std::vector<Kind> kinds = Route(change);
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_EQ(kinds[0].key, KeySource::kNone);
  EXPECT_EQ(kinds[1].key, KeySource::kNone);
  EXPECT_EQ(kinds[1].record, PublishedValue::kTombstone);
}

TEST_F(RouterTest, TruncateIsSkippedByDefault) {
  EXPECT_TRUE(Route(Change(Operation::kTruncate)).empty());
  EXPECT_EQ(router_->counters().skipped_truncates, 1u);
}

TEST_F(RouterTest, TruncateHasANullKey) {
  options_.skip_truncate = false;
  EXPECT_THAT(Route(Change(Operation::kTruncate)),
              ElementsAre(Kind{Operation::kTruncate, PublishedValue::kEnvelope, KeySource::kNone,
                               KeyHeader::kNone}));
}

TEST_F(RouterTest, SkippedDeletesTakeTheOldHalfOfAKeyChangeWithThem) {
  options_.skip_delete = true;
  EXPECT_THAT(Route(KeyChange()), ElementsAre(kNewHalf));
  EXPECT_EQ(router_->counters().skipped_deletes, 1u);
}

TEST_F(RouterTest, SkippedUpdatesLetAKeyChangePass) {
  options_.skip_update = true;
  EXPECT_THAT(Route(KeyChange()), ElementsAre(kOldHalf, kOldTombstone, kNewHalf));
}

TEST_F(RouterTest, SnapshotRowIsNeverSkipped) {
  options_.skip_create = true;
  ChangeEvent change = Change(Operation::kRead);
  change.after = after_;
  ASSERT_EQ(Route(change).size(), 1u);
  EXPECT_EQ(out_[0].operation, Operation::kRead);
}

TEST_F(RouterTest, MessageGoesToTheMessageTopic) {
  const event::LogicalMessage message{true, "pfx", "content"};
  ChangeEvent change;
  change.operation = Operation::kMessage;
  change.message = &message;
  ASSERT_EQ(Route(change).size(), 1u);
  EXPECT_EQ(out_[0].topic, "srv.message");
}

TEST_F(RouterTest, TableOutsideTheFilterIsCounted) {
  schema_.schema = "information_schema";
  ChangeEvent change = Change(Operation::kCreate);
  change.after = after_;
  EXPECT_TRUE(Route(change).empty());
  EXPECT_EQ(router_->counters().filtered_tables, 1u);
}

TEST_F(RouterTest, AnotherTableAtTheSameAddressGetsItsOwnTopic) {
  ChangeEvent change = Change(Operation::kCreate);
  change.after = after_;
  Route(change);
  event::TableSchema other = schema_;
  other.table = "invoices";
  schema_ = other;
  Route(change);
  EXPECT_EQ(out_[0].topic, "srv.public.invoices");
}

class TransactionTest : public RouterTest {
 protected:
  TransactionTest() {
    options_.transaction_metadata = true;
    transaction_.begin_lsn = Lsn(100);
    transaction_.xid = 7;
    transaction_.commit_time_us = 5'000;
    insert_ = Change(Operation::kCreate);
    insert_.after = after_;
  }

  Router& router() {
    if (router_ == nullptr) router_ = std::make_unique<Router>(options_, filter_);
    return *router_;
  }
  void Begin() { router().RouteBegin(transaction_, &out_); }
  // "total/in the table" of each record.
  std::vector<std::string> Orders(const ChangeEvent& change) {
    Route(change);
    std::vector<std::string> orders;
    for (const auto& e : out_)
      orders.push_back(absl::StrCat(e.order.total, "/", e.order.in_collection));
    return orders;
  }
  std::vector<std::string> Counts() {
    router().RouteCommit(transaction_, Lsn(200), &out_);
    std::vector<std::string> counts;
    for (const auto& c : out_[0].boundary->collections)
      counts.push_back(absl::StrCat(c.name, "=", c.events));
    return counts;
  }

  event::TransactionInfo transaction_;
  ChangeEvent insert_;
};

TEST_F(TransactionTest, TXN01BeginNumbersAndEnd) {
  Begin();
  ASSERT_EQ(out_.size(), 1u);
  EXPECT_EQ(out_[0].kind, event::RecordKind::kTransactionBegin);
  EXPECT_EQ(out_[0].topic, "srv.transaction");
  EXPECT_EQ(out_[0].boundary->lsn, Lsn(100));
  event::TableSchema other = schema_;
  other.table = "t2";
  ChangeEvent second = insert_;
  second.schema = &other;
  EXPECT_THAT(Orders(insert_), ElementsAre("1/1"));
  EXPECT_THAT(Orders(second), ElementsAre("2/1"));
  EXPECT_THAT(Orders(second), ElementsAre("3/2"));
  EXPECT_THAT(Orders(insert_), ElementsAre("4/2"));
  EXPECT_THAT(Counts(), ElementsAre("public.orders=2", "public.t2=2"));
  EXPECT_EQ(out_[0].kind, event::RecordKind::kTransactionEnd);
  EXPECT_EQ(out_[0].boundary->lsn, Lsn(200));
  EXPECT_EQ(out_[0].boundary->events, 4u);
  Begin();
  EXPECT_THAT(Orders(insert_), ElementsAre("1/1")) << "each transaction counts anew";
}

TEST_F(TransactionTest, HalvesOfAKeyChangeCountTombstonesDoNot) {
  Begin();
  EXPECT_THAT(Orders(KeyChange()), ElementsAre("1/1", "1/1", "2/2"))
      << "a tombstone shares the headers of the delete before it, which may tell its number";
  EXPECT_THAT(Counts(), ElementsAre("public.orders=2"));
}

TEST_F(TransactionTest, WhatIsNotPublishedIsNotCounted) {
  options_.skip_update = true;
  Begin();
  ChangeEvent update = Change(Operation::kUpdate);
  update.after = after_;
  EXPECT_TRUE(Orders(update).empty());
  EXPECT_THAT(Orders(insert_), ElementsAre("1/1"));
  schema_.schema = "information_schema";
  schema_ = event::TableSchema(schema_);
  EXPECT_TRUE(Orders(insert_).empty());
  EXPECT_THAT(Counts(), ElementsAre("public.orders=1"));
}

TEST_F(TransactionTest, SnapshotRowsAndMessagesOutsideOfTransactionsHaveNoNumber) {
  ChangeEvent row = Change(Operation::kRead);
  row.after = after_;
  EXPECT_THAT(Orders(row), ElementsAre("0/0"));
  const event::LogicalMessage message{false, "p", ""};
  ChangeEvent change;
  change.operation = Operation::kMessage;
  change.message = &message;
  EXPECT_THAT(Orders(change), ElementsAre("0/0"));
}

TEST_F(TransactionTest, EachMessageIsACollectionOfItsOwn) {
  const event::LogicalMessage message{true, "p", ""};
  ChangeEvent change;
  change.operation = Operation::kMessage;
  change.message = &message;
  Begin();
  for (uint64_t i = 1; i <= TransactionCounter::kMaxListedMessages; ++i)
    EXPECT_THAT(Orders(change), ElementsAre(absl::StrCat(i, "/1")));
  Orders(change);
  Orders(change);
  const std::vector<std::string> counts = Counts();
  EXPECT_EQ(counts.size(), TransactionCounter::kMaxListedMessages + 1) << "bounded";
  EXPECT_THAT(counts, ::testing::Contains("LOGICAL_DECODING_MESSAGE=2"));
  EXPECT_THAT(counts, ::testing::Contains(::testing::EndsWith("$LogicalDecodingMessageId@1=1")));
  EXPECT_EQ(out_[0].boundary->events, TransactionCounter::kMaxListedMessages + 2);
}

TEST_F(TransactionTest, AResumedTransactionGoesOnWhereItWas) {
  transaction_.resumed = true;
  Begin();
  EXPECT_TRUE(out_.empty()) << "it was announced before the restart";
  ASSERT_TRUE(router().Recount(KeyChange()).ok());
  EXPECT_THAT(Orders(insert_), ElementsAre("3/3"));
  EXPECT_THAT(Counts(), ElementsAre("public.orders=3"));
  EXPECT_EQ(router().counters().filtered_tables, 0u);
}

TEST_F(TransactionTest, WithoutThePropertyThereIsNothing) {
  options_.transaction_metadata = false;
  Begin();
  EXPECT_TRUE(out_.empty());
  EXPECT_THAT(Orders(insert_), ElementsAre("0/0"));
  router().RouteCommit(transaction_, Lsn(200), &out_);
  EXPECT_TRUE(out_.empty());
}

TEST_F(TransactionTest, TopicsHaveTheNamesThatAreConfigured) {
  options_.topic_delimiter = "_";
  options_.transaction_suffix = "tx";
  options_.heartbeat_prefix = "hb";
  Begin();
  EXPECT_EQ(out_[0].topic, "srv_tx");
  EXPECT_EQ(router().Heartbeat().topic, "hb_srv");
  options_.heartbeat_topic = "own.name";
  router_.reset();
  EXPECT_EQ(router().Heartbeat().topic, "own.name");
}

TEST_F(RouterTest, MSG04PrefixListsDecideWhichMessagesPass) {
  const auto passes = [this](absl::string_view prefix) {
    const event::LogicalMessage message{true, prefix, ""};
    ChangeEvent change;
    change.operation = Operation::kMessage;
    change.message = &message;
    return !Route(change).empty();
  };
  options_.message_include = java::RegexList::OfChecked("keep.*, with space:x");
  EXPECT_TRUE(passes("keep1"));
  EXPECT_TRUE(passes("KEEP"));
  EXPECT_TRUE(passes("with space:x"));
  EXPECT_FALSE(passes("dont keep")) << "the whole prefix has to match";
  EXPECT_EQ(router_->counters().filtered_messages, 1u);
  options_.message_include.reset();
  options_.message_exclude = java::RegexList::OfChecked("drop");
  router_.reset();
  EXPECT_TRUE(passes("dropped"));
  EXPECT_FALSE(passes("drop"));
}

TEST_F(RouterTest, DeleteWithoutOldRowIsDataLoss) {
  router_ = std::make_unique<Router>(options_, filter_);
  EXPECT_EQ(router_->Route(Change(Operation::kDelete), &out_).code(), absl::StatusCode::kDataLoss);
}

TEST_F(RouterTest, KEY05MessageKeysReplaceTheKeyAndItsDetection) {
  schema_.columns[0].name = "id";
  schema_.columns[1].name = "customer";
  schema_.replica_identity = event::ReplicaIdentity::kFull;
  options_.message_keys = *MessageKeys::Parse("public.orders:customer");
  before_ = {Value::Text("3"), Value::Text("cy")};
  EXPECT_THAT(Route(KeyChange()), ElementsAre(kUpdate)) << "only the primary key has changed";
  EXPECT_THAT(out_[0].key_rule->columns, ElementsAre(1));
  after_ = {Value::Text("3"), Value::Text("dee")};
  EXPECT_THAT(Route(KeyChange()), ElementsAre(kOldHalf, kOldTombstone, kNewHalf));
}

TEST_F(RouterTest, KEY05MessageKeysGiveATableWithoutKeyOne) {
  schema_.key_columns.clear();
  schema_.columns[0].name = "id";
  options_.message_keys = *MessageKeys::Parse("public.orders:id");
  ChangeEvent change = Change(Operation::kCreate);
  change.after = after_;
  EXPECT_THAT(Route(change), ElementsAre(kCreate));
}

TEST_F(RouterTest, KEY05EntriesThatMatchNothingLeaveThePrimaryKey) {
  schema_.columns[0].name = "id";
  options_.message_keys = *MessageKeys::Parse("public.orders:nosuch;public.other:id");
  ChangeEvent change = Change(Operation::kCreate);
  change.after = after_;
  EXPECT_THAT(Route(change), ElementsAre(kCreate));
  EXPECT_THAT(out_[0].key_rule->columns, ElementsAre(0));
}

TEST_F(RouterTest, ExtraKeyFieldGivesEveryRowAKey) {
  schema_.key_columns.clear();
  options_.naming.key_field = "phys";
  ChangeEvent change = Change(Operation::kDelete);
  change.before = before_;
  EXPECT_THAT(Route(change), ElementsAre(kDelete, kTombstone));
  EXPECT_EQ(out_[0].key_rule->extra_value, "srv.public.orders");
}

class Comparison : public event::RecordComparison {
 public:
  bool SameKey(const event::Emission&) override { return same_key; }
  bool SameValue(const event::Emission&) override { return same_value; }
  bool same_key = false, same_value = false;
};

class UnchangedTest : public RouterTest {
 protected:
  UnchangedTest() {
    options_.skip_unchanged = true;
    before_ = after_;
  }
  std::vector<Kind> RouteUpdate(event::OldRow old_row = event::OldRow::kWhole) {
    router_ = std::make_unique<Router>(options_, filter_, &comparison_);
    ChangeEvent change = KeyChange();
    change.old_row = old_row;
    return Route(change);
  }
  Comparison comparison_;
};

TEST_F(UnchangedTest, FLT07UpdateThatPublishesTheSameIsDroppedAndCounted) {
  comparison_.same_value = true;
  EXPECT_TRUE(RouteUpdate().empty());
  EXPECT_EQ(router_->counters().unchanged_updates, 1u);
}

TEST_F(UnchangedTest, FLT07ChangedUpdateIsPublished) {
  EXPECT_THAT(RouteUpdate(), ElementsAre(kUpdate));
}

// A partition's, under its root's name: a key alone is not sent when nothing has changed.
TEST_F(UnchangedTest, FLT07AnOldRowThatMayBeWholeIsUnchangedInAllColumns) {
  EXPECT_TRUE(RouteUpdate(event::OldRow::kUnsure).empty());
  before_[1] = Value{nullptr, 0, event::ValueKind::kAbsent};
  EXPECT_THAT(RouteUpdate(event::OldRow::kUnsure), ElementsAre(kUpdate));
  after_[1] = Value::Null();
  EXPECT_TRUE(RouteUpdate(event::OldRow::kUnsure).empty());
  EXPECT_THAT(RouteUpdate(event::OldRow::kKey), ElementsAre(kUpdate));
}

TEST_F(UnchangedTest, FLT07WhatIsPublishedOfAnOldRowThatMayBeWholeIsCompared) {
  comparison_.same_value = true;
  before_[1] = Value::Text("another");
  for (const event::OldRow old_row : {event::OldRow::kUnsure, event::OldRow::kKey})
    EXPECT_TRUE(RouteUpdate(old_row).empty());
}

TEST_F(UnchangedTest, KeyChangeIsNeverDropped) {
  comparison_.same_value = true;
  before_[0] = Value::Text("3");
  EXPECT_THAT(RouteUpdate(), ElementsAre(kOldHalf, kOldTombstone, kNewHalf));
}

TEST_F(UnchangedTest, KeysThatPublishTheSameAreNoKeyChange) {
  options_.skip_unchanged = false;
  comparison_.same_key = true;
  before_[0] = Value::Text("30.0");
  EXPECT_THAT(RouteUpdate(), ElementsAre(kUpdate));
}

}  // namespace

}  // namespace walduct::route
