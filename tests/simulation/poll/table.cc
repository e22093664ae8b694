#include "tests/simulation/poll/table.h"

#include <memory>
#include <string>
#include <vector>

#include "base/check.h"
#include "tests/simulation/poll/world.h"

namespace walduct::poll_simulation {
namespace {

struct Described {
  poll::LayoutColumn column = {};
  Oid type{};
  const char* type_name = "";
};

constexpr Oid kText{25};

Described TextColumn(const char* name) {
  return {{.name = name, .type = "text", .full_type = "text"}, kText, "text"};
}

// As records have it, a time is a text: what is published is not what this is about.
Described TimeColumn(const char* name) {
  Described described = TextColumn(name);
  described.column.type = described.column.full_type = "timestamp with time zone";
  return described;
}

std::vector<Described> ColumnsOf(const Policy& policy) {
  std::vector<Described> columns = {
      {{.name = "id", .type = "bigint", .nullable = false, .full_type = "bigint"}, Oid{20}, "int8"},
      TextColumn("aggregate_id"),
      TextColumn("payload")};
  if (policy.done == Done::kStatus) columns.push_back(TextColumn("status"));
  if (policy.done == Done::kStatus || policy.done == Done::kMark)
    columns.push_back(TimeColumn("published_at"));
  if (policy.attempts) {
    columns.push_back(
        {{.name = "attempts", .type = "integer", .nullable = false, .full_type = "integer"},
         Oid{23},
         "int4"});
    columns.push_back(TextColumn("last_error"));
  }
  if (policy.due) columns.push_back(TimeColumn("next_try_at"));
  if (policy.done == Done::kPosition) {
    Described number = TextColumn("xact");
    number.column = {.name = "xact",
                     .type = "xid8",
                     .nullable = false,
                     .fallback = "pg_current_xact_id()",
                     .full_type = "xid8"};
    columns.push_back(std::move(number));
  }
  return columns;
}

event::TableSchemaPtr SchemaOf(const std::vector<Described>& columns) {
  auto schema = std::make_shared<event::TableSchema>();
  schema->relation = Oid{16400};
  schema->schema = "public";
  schema->table = "outbox";
  schema->key_columns = {0};
  for (const Described& described : columns) {
    auto type = std::make_shared<event::Type>();
    type->oid = described.type;
    type->schema = "pg_catalog";
    type->name = described.type_name;
    event::Column column;
    column.name = described.column.name;
    column.type = std::move(type);
    column.optional = described.column.nullable;
    schema->columns.push_back(std::move(column));
  }
  return schema;
}

}  // namespace

poll::OutboxTable MakeTable(const World& world) {
  const Policy& policy = world.policy;
  const std::vector<Described> columns = ColumnsOf(policy);
  poll::OutboxTable table{.relation = Oid{16400}, .name = "\"public\".\"outbox\""};
  table.schema = SchemaOf(columns);
  for (const Described& described : columns) table.columns.push_back(described.column);
  table.key_names = {"\"id\""};
  table.key_types = {"bigint"};
  table.key_at = {0};
  table.rises = true;
  const bool removes = policy.done == Done::kDelete || policy.done == Done::kArchive;
  const bool forgets = world.defect == Defect::kForgetParked;
  auto layout = poll::RecogniseLayout({.table = "public.outbox",
                                       .columns = table.columns,
                                       .deletes = removes,
                                       .positions = policy.done == Done::kPosition,
                                       .max_attempts = policy.max_attempts,
                                       .parked_holds = policy.parked_holds && !forgets});
  CHECK(layout.ok());
  table.layout = *std::move(layout);
  // The table's order, by which a position reads, is that of its primary key.
  if (policy.done == Done::kPosition) table.layout.order = "{id}";
  if (policy.done == Done::kArchive) table.archive = "\"public\".\"outbox_archive\"";
  if (policy.notify) table.channels = {"outbox"};
  return table;
}

}  // namespace walduct::poll_simulation
