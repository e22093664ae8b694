// RowPreview: a row of a table, without values, as the router hands it to the encoder: what can be
// told about a table's records before there are any.
//
// Thread-safety: none. Emissions live until the next Route.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "event/change_event.h"
#include "event/table_schema.h"
#include "names/table_filter.h"
#include "route/router.h"

namespace walduct::engine {

struct ConnectorOptions;

class RowPreview {
 public:
  explicit RowPreview(const ConnectorOptions& config);

  // schema: borrowed until the next Route. Errors: those of the router.
  absl::Status Route(const event::TableSchema& schema);
  const route::Router::Emissions& emissions() const { return emissions_; }

 private:
  const names::TableFilter filter_;
  std::unique_ptr<route::Router> router_;
  std::vector<event::Value> row_;
  event::ChangeEvent change_;
  route::Router::Emissions emissions_;
};

}  // namespace walduct::engine
