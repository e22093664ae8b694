#include "engine/world/row_preview.h"

#include <utility>

#include "engine/configuration/connector_options.h"
#include "route/options.h"

namespace walduct::engine {

RowPreview::RowPreview(const ConnectorOptions& config) : filter_(*config.tables) {
  route::RouteOptions options = *config.route;
  options.transaction_metadata = false;
  router_ = std::make_unique<route::Router>(std::move(options), filter_);
}

absl::Status RowPreview::Route(const event::TableSchema& schema) {
  row_.assign(schema.columns.size(), event::Value());
  change_ = event::ChangeEvent();
  change_.schema = &schema;
  change_.after = row_;
  emissions_.clear();
  return router_->Route(change_, &emissions_);
}

}  // namespace walduct::engine
