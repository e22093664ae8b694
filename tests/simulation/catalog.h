// Catalog: what the simulated database's catalog says of a relation, a while after it was asked;
// now and then the session breaks instead.
#pragma once

#include <memory>

#include "event/table_schema.h"
#include "tests/simulation/process.h"

namespace walduct::simulation {

class Catalog final : public event::SchemaResolver {
 public:
  Catalog(World* world, Process* process)
      : world_(*world), process_(*process), fd_(world->time.NewDescriptor()) {}

  absl::Status Ask(const event::RelationDescription& relation) override {
    if (process_.Step("Ask")) return Dead();
    asked_ = relation;
    absl::Duration takes = world_.random.UpTo(absl::Seconds(3));
    if (world_.Happens(Fault::kLock)) takes += world_.random.UpTo(absl::Minutes(1));
    answer_at_ = world_.time.Monotonic() + takes;
    Await();
    return absl::OkStatus();
  }
  absl::StatusOr<event::TableSchemaPtr> Poll() override {
    if (process_.Step("the catalog")) return Dead();
    if (world_.time.Monotonic() < answer_at_) {
      Await();  // readable for the answer to an earlier question, which nobody took
      return nullptr;
    }
    if (world_.Happens(Fault::kCatalogFails))
      return absl::UnavailableError("the catalog's session was lost");
    return Schema(asked_);
  }
  static event::TableSchemaPtr Schema(const event::RelationDescription& relation) {
    auto schema = std::make_shared<event::TableSchema>();
    schema->relation = relation.relation;
    schema->schema = relation.schema;
    schema->table = relation.table;
    schema->key_columns = {0};
    for (const event::RelationColumn& column : relation.columns) {
      auto type = std::make_shared<event::Type>();
      type->oid = column.type;
      type->schema = "pg_catalog";
      type->name = column.type == Oid{23} ? "int4" : "text";
      event::Column described;
      described.name = column.name;
      described.type = std::move(type);
      described.optional = !column.part_of_identity;
      schema->columns.push_back(std::move(described));
    }
    return event::TableSchemaPtr(std::move(schema));
  }
  int ready_fd() const override { return fd_; }
  absl::Duration UntilDue() override { return absl::InfiniteDuration(); }

 private:
  void Await() {
    world_.time.SetReadable(fd_, false);
    world_.time.After(answer_at_ - world_.time.Monotonic(),
                      [time = &world_.time, fd = fd_] { time->SetReadable(fd, true); });
  }

  World& world_;
  Process& process_;
  const int fd_;
  event::RelationDescription asked_;
  absl::Duration answer_at_;
};

}  // namespace walduct::simulation
