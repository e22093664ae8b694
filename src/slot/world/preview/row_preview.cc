#include "slot/world/preview/row_preview.h"

#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "encode/options/encode_options.h"
#include "event/change_event.h"
#include "names/table_filter.h"
#include "route/options.h"
#include "route/router.h"
#include "transform/chain/chain.h"
#include "transform/chain/chain_spec.h"

namespace walduct::slot {
namespace {

// Counters of transactions are of no use to a row that is in none.
route::RouteOptions WithoutTransactions(route::RouteOptions options) {
  options.transaction_metadata = false;
  return options;
}

}  // namespace

struct RowPreview::Way {
  explicit Way(const Parts& parts)
      : filter(parts.tables),
        chain(transform::Chain::Create(parts.chain)),
        router(WithoutTransactions(parts.route), filter) {}

  const names::TableFilter filter;
  const std::unique_ptr<const transform::Chain> chain;
  route::Router router;
  std::unique_ptr<encode::RecordEncoder> encoder;
  std::vector<event::Value> row;
  event::ChangeEvent change;
  route::Router::Emissions emissions;
};

RowPreview::RowPreview(const Parts& parts) : way_(std::make_unique<Way>(parts)) {}

RowPreview::~RowPreview() = default;

absl::StatusOr<std::unique_ptr<RowPreview>> RowPreview::Open(const Parts& parts) {
  std::unique_ptr<RowPreview> preview(new RowPreview(parts));
  ASSIGN_OR_RETURN(preview->way_->encoder,
                   encode::RecordEncoder::Create(parts.encode, parts.clock, "",
                                                 preview->way_->chain.get(), parts.ids));
  return preview;
}

absl::Status RowPreview::Route(const event::TableSchema& schema) {
  way_->row.assign(schema.columns.size(), event::Value());
  way_->change = event::ChangeEvent();
  way_->change.schema = &schema;
  way_->change.after = way_->row;
  way_->emissions.clear();
  return way_->router.Route(way_->change, &way_->emissions);
}

absl::Span<const event::Emission> RowPreview::emissions() const { return way_->emissions; }

encode::RecordEncoder& RowPreview::encoder() { return *way_->encoder; }

bool RowPreview::has_chain() const { return way_->chain != nullptr; }

}  // namespace walduct::slot
