#include "engine/world/schema_foresight.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "encode/options/encode_options.h"
#include "encode/record_encoder.h"
#include "engine/configuration/connector_options.h"
#include "engine/world/row_preview.h"
#include "transform/chain/chain.h"
#include "transform/chain/chain_spec.h"

namespace walduct::engine {
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

class Foresight {
 public:
  Foresight(const ConnectorOptions& config, const event::SchemaIdSources& ids)
      : rows_(config),
        chain_(transform::Chain::Create(*config.chain)),
        key_(ids.key),
        value_(ids.value),
        sources_{ids.key == nullptr ? nullptr : &key_, ids.value == nullptr ? nullptr : &value_} {}

  absl::Status Open(const ConnectorOptions& config, Clock& clock) {
    ASSIGN_OR_RETURN(
        encoder_, encode::RecordEncoder::Create(*config.encode, clock, "", chain_.get(), sources_));
    return absl::OkStatus();
  }

  // A table that cannot be written says so with its first row.
  void Add(const event::TableSchema& schema) {
    if (!rows_.Route(schema).ok()) return;
    for (const event::Emission& emission : rows_.emissions()) {
      if (chain_ != nullptr) {
        const absl::StatusOr<event::ChainOutcome> outcome = encoder_->Preview(emission);
        if (!outcome.ok() || outcome->kind != event::ChainOutcome::Kind::kRecord) continue;
      }
      event::Record record;
      // Without values it is no record; its schemas have been asked for all the same.
      const absl::Status encoded = encoder_->Encode(emission, &record);
      log::Debug("schemas are foreseen",
                 {{"topic", emission.topic}, {"record", std::string(encoded.message())}});
    }
  }

 private:
  RowPreview rows_;
  const std::unique_ptr<const transform::Chain> chain_;
  Foreseen key_, value_;
  const event::SchemaIdSources sources_;
  std::unique_ptr<encode::RecordEncoder> encoder_;
};

}  // namespace

absl::Status ForeseeSchemas(const ConnectorOptions& config, const event::SchemaIdSources& ids,
                            postgres::Connection& connection, postgres::Catalog& catalog,
                            const std::vector<postgres::TableName>& captured) {
  if (ids.key == nullptr && ids.value == nullptr) return absl::OkStatus();
  Foresight foresight(config, ids);
  RETURN_IF_ERROR(foresight.Open(config, *connection.environment().clock));
  for (size_t i = 0; i < captured.size() && i < kMaxTables; ++i) {
    const absl::StatusOr<event::TableSchemaPtr> schema = catalog.Describe(captured[i].relation);
    if (absl::IsNotFound(schema.status())) continue;
    RETURN_IF_ERROR(schema.status());
    foresight.Add(**schema);
  }
  return absl::OkStatus();
}

}  // namespace walduct::engine
