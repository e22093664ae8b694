// Builders for encoder tests: a table from a few words, rows from PostgreSQL's text, a clock that
// stands still.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "encode/options/encode_options.h"
#include "encode/record_encoder.h"
#include "event/change_event.h"
#include "event/emission.h"
#include "gtest/gtest.h"

namespace walduct::encode {

class StandingClock : public Clock {
 public:
  absl::Time Now() override { return absl::FromUnixNanos(1795224448748743940); }
  absl::Duration Monotonic() override { return absl::ZeroDuration(); }
};

inline std::shared_ptr<event::Type> MakeType(const std::string& name,
                                             event::TypeKind kind = event::TypeKind::kBase) {
  auto type = std::make_shared<event::Type>();
  type->schema = "pg_catalog";
  type->name = name;
  type->kind = kind;
  return type;
}

inline std::shared_ptr<event::Type> ArrayOf(std::shared_ptr<event::Type> element) {
  auto type = MakeType("_" + element->name, event::TypeKind::kArray);
  type->element = std::move(element);
  return type;
}

inline std::shared_ptr<event::Type> EnumOf(std::vector<std::string> labels) {
  auto type = MakeType("mood", event::TypeKind::kEnum);
  type->schema = "public";
  type->labels = std::move(labels);
  return type;
}

inline std::shared_ptr<event::Type> DomainOver(std::shared_ptr<event::Type> base,
                                               int32_t typmod = -1) {
  auto type = MakeType("some_domain", event::TypeKind::kDomain);
  type->schema = "public";
  type->base = std::move(base);
  type->base_typmod = typmod;
  return type;
}

inline int32_t NumericTypmod(int32_t precision, int32_t scale) {
  return (precision << 16 | (scale & 0x7FF)) + 4;
}

// numeric(10,2) and such: the modifiers as pg_attribute has them.
struct TestColumn {
  std::string name;
  std::shared_ptr<event::Type> type;
  int32_t typmod = -1;
  bool optional = true;
  std::optional<std::string> default_expression = std::nullopt;
};

inline std::shared_ptr<event::TableSchema> MakeTable(const std::string& name,
                                                     const std::vector<TestColumn>& columns,
                                                     std::vector<uint16_t> key) {
  auto table = std::make_shared<event::TableSchema>();
  table->relation = Oid{16384};
  table->schema = "public";
  table->table = name;
  for (const TestColumn& c : columns) {
    event::Column column;
    column.name = c.name;
    column.type = c.type;
    column.typmod = c.typmod;
    column.optional = c.optional;
    column.default_expression = c.default_expression;
    table->columns.push_back(std::move(column));
  }
  table->key_columns = std::move(key);
  return table;
}

inline event::Value Absent() { return {nullptr, 0, event::ValueKind::kAbsent}; }
inline event::Value Null() { return event::Value::Null(); }
inline event::Value Toast() { return event::Value::UnchangedToast(); }
inline event::Value Text(absl::string_view text) { return event::Value::Text(text); }

// The table of the recorded scenarios: orders(id integer primary key, customer text not null, total
// numeric(10,2), note text).
inline std::shared_ptr<event::TableSchema> OrdersTable() {
  return MakeTable("orders",
                   {{"id", MakeType("int4"), -1, false},
                    {"customer", MakeType("text"), -1, false},
                    {"total", MakeType("numeric"), NumericTypmod(10, 2)},
                    {"note", MakeType("text")}},
                   {0});
}

class EncodeTest : public ::testing::Test {
 protected:
  EncodeTest() {
    options_.topic_prefix = "srv";
    options_.database = "shop";
    options_.key.schemas_enable = false;
    options_.value.schemas_enable = false;
  }

  RecordEncoder& encoder() {
    if (encoder_ == nullptr) encoder_ = *RecordEncoder::Create(options_, clock_, "01a1fbb7");
    return *encoder_;
  }

  event::ChangeEvent Change(const event::TableSchema& table, event::Operation operation) {
    event::ChangeEvent change;
    change.operation = operation;
    change.schema = &table;
    change.lsn = Lsn(2393226040);
    change.xid = 204126;
    change.source_time_us = 1795224449141730;
    return change;
  }

  event::Emission Emit(const event::ChangeEvent& change) {
    event::Emission emission;
    emission.change = &change;
    emission.operation = change.operation;
    emission.key = change.after ? event::KeySource::kAfter : event::KeySource::kBefore;
    if (change.schema == nullptr || change.schema->key_columns.empty())
      emission.key = event::KeySource::kNone;
    emission.with_before = change.before.has_value();
    emission.with_after = change.after.has_value();
    topic_ = change.schema == nullptr ? "srv.message"
                                      : "srv." + change.schema->schema + "." + change.schema->table;
    emission.topic = topic_;
    return emission;
  }

  // The record's value after inserting this row.
  std::string Insert(const event::TableSchema& table, const std::vector<event::Value>& row) {
    event::ChangeEvent change = Change(table, event::Operation::kCreate);
    change.after = row;
    const absl::Status status = encoder().Encode(Emit(change), &record_);
    EXPECT_TRUE(status.ok()) << status;
    return record_.value ? std::string(*record_.value) : "<none>";
  }

  // The member "after" of it.
  std::string After(const event::TableSchema& table, const std::vector<event::Value>& row) {
    const std::string value = Insert(table, row);
    const size_t begin = value.find("\"after\":") + 8;
    return value.substr(begin, value.find(",\"source\":") - begin);
  }

  std::string Key() const { return record_.key ? std::string(*record_.key) : "<none>"; }

  EncodeOptions options_;
  StandingClock clock_;
  std::unique_ptr<RecordEncoder> encoder_;
  std::string topic_;
  event::Record record_;
};

}  // namespace walduct::encode
