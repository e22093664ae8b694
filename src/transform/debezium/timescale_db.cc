// Debezium's TimescaleDb: rows of chunks are published as rows of their hypertable.
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "event/hypertable.h"
#include "transform/options/transform_class.h"
#include "transform/template/template_edit.h"

namespace walduct::transform {
namespace {

using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;
using enum OptionType;

constexpr absl::string_view kInternalSchema = "_timescaledb_internal";

constexpr OptionRow kOptions[] = {
    {.name = "schema.list",
     .type = kList,
     .default_value = "_timescaledb_internal",
     .doc = "Schemas whose tables are chunks."},
    {.name = "target.topic.prefix",
     .default_value = "timescaledb",
     .doc = "Topics are this, and the schema and the name of the hypertable, joined by dots."},
    {.name = "database.hostname", .doc = "No effect: the connector's own connection is asked."},
    {.name = "database.port", .doc = "No effect."},
    {.name = "database.user", .doc = "No effect."},
    {.name = "database.password", .doc = "No effect."},
    {.name = "database.dbname", .doc = "No effect."},
};

struct Options {
  std::vector<std::string> schemas;
  std::string prefix;
};

Options Read(const Setting& setting) {
  Options options{.schemas = setting.options.List("schema.list"),
                  .prefix = setting.options.Text("target.topic.prefix")};
  if (options.schemas.empty()) options.schemas.emplace_back(kInternalSchema);
  return options;
}

Node TextNode(absl::string_view text, std::string name) {
  return event::ConstantNode(PlainSchema(ConnectType::kString, false), Scalar::Text(text),
                             std::move(name));
}

void Replace(absl::string_view text, Node* field) {
  *field = event::ConstantNode(field->schema, Scalar::Text(text), field->name);
}

class TimescaleDb final : public Stage {
 public:
  explicit TimescaleDb(Options options) : options_(std::move(options)) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions* questions) const override {
    if (!IsEnvelope(record->value)) return Verdict::kKeep;
    Node* const source = record->value->Find("source");
    if (source == nullptr || !source->is_struct()) return Verdict::kKeep;
    const std::string schema(ConstantText(*source, "schema"));
    const std::string table(ConstantText(*source, "table"));
    if (table.empty() || !absl::c_linear_search(options_.schemas, schema)) return Verdict::kKeep;
    if (record->hypertable == nullptr) {
      questions->Tell(absl::StrCat("no hypertable is known of which ", schema, ".", table,
                                   " is a chunk; its records stay as they are"));
      return Verdict::kKeep;
    }
    const event::Hypertable& owner = *record->hypertable;
    const bool aggregate = !owner.aggregate.empty();
    const std::string& owner_schema = aggregate ? owner.aggregate_schema : owner.schema;
    const std::string& owner_table = aggregate ? owner.aggregate : owner.table;
    Replace(owner_schema, source->Find("schema"));
    Replace(owner_table, source->Find("table"));
    record->topic = absl::StrCat(options_.prefix, ".", owner_schema, ".", owner_table);
    std::vector<Node>& headers = record->headers;
    headers.push_back(TextNode(table, "__debezium_timescaledb_chunk_table"));
    headers.push_back(TextNode(schema, "__debezium_timescaledb_chunk_schema"));
    if (aggregate) {
      headers.push_back(TextNode(owner.table, "__debezium_timescaledb_hypertable_table"));
      headers.push_back(TextNode(owner.schema, "__debezium_timescaledb_hypertable_schema"));
    }
    return Verdict::kKeep;
  }

 private:
  const Options options_;
};

}  // namespace

extern constinit const TransformClass kTimescaleDb = {
    .name = "io.debezium.connector.postgresql.transforms.timescaledb.TimescaleDb",
    .options = kOptions,
    .doc =
        "Publishes rows of TimescaleDB's chunks as rows of their hypertable or continuous "
        "aggregate. The extension's catalog is asked when a chunk is first seen; tombstones keep "
        "the chunk's topic, as in Debezium (`tombstones.on.delete=false` leaves them out).",
    .make = MakeStage<TimescaleDb, Read>};

}  // namespace walduct::transform
