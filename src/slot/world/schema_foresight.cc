#include "slot/world/schema_foresight.h"

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "base/log.h"
#include "base/status_macros.h"

namespace walduct::slot {
namespace {

// Beyond it a start would take longer than the advice is worth.
constexpr size_t kMaxTables = 1000;

// Hands on what an encoder asks for, and answers with an id of its own.
class Foreseen final : public event::SchemaIds {
 public:
  explicit Foreseen(event::SchemaIds* registry) : registry_(registry) {}

  absl::StatusOr<int64_t> Find(absl::string_view subject, absl::string_view schema) override {
    registry_->Foresee(subject, schema);
    return ++ids_;
  }
  int ready_fd() const override { return -1; }
  std::string WaitingFor() const override { return ""; }

 private:
  event::SchemaIds* const registry_;
  int64_t ids_ = 0;
};

// A table that cannot be written says so with its first row.
void Foresee(const event::TableSchema& schema, RowPreview* rows) {
  if (!rows->Route(schema).ok()) return;
  for (const event::Emission& emission : rows->emissions()) {
    if (rows->has_chain()) {
      const absl::StatusOr<event::ChainOutcome> outcome = rows->encoder().Preview(emission);
      if (!outcome.ok() || outcome->kind != event::ChainOutcome::Kind::kRecord) continue;
    }
    event::Record record;
    // Without values it is no record; its schemas have been asked for all the same.
    const absl::Status encoded = rows->encoder().Encode(emission, &record);
    log::Debug("schemas are foreseen",
               {{"topic", emission.topic}, {"record", std::string(encoded.message())}});
  }
}

}  // namespace

absl::Status ForeseeSchemas(RowPreview::Parts parts, postgres::Catalog& catalog,
                            const std::vector<postgres::TableName>& captured) {
  if (parts.ids.key == nullptr && parts.ids.value == nullptr) return absl::OkStatus();
  Foreseen key(parts.ids.key), value(parts.ids.value);
  if (parts.ids.key != nullptr) parts.ids.key = &key;
  if (parts.ids.value != nullptr) parts.ids.value = &value;
  ASSIGN_OR_RETURN(const std::unique_ptr<RowPreview> rows, RowPreview::Open(parts));
  for (size_t i = 0; i < captured.size() && i < kMaxTables; ++i) {
    const absl::StatusOr<event::TableSchemaPtr> schema = catalog.Describe(captured[i].relation);
    if (absl::IsNotFound(schema.status())) continue;
    RETURN_IF_ERROR(schema.status());
    Foresee(**schema, rows.get());
  }
  return absl::OkStatus();
}

}  // namespace walduct::slot
