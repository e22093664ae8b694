// RowPreview: a row of a table, without values, on its way to a record: what can be told about a
// table's records before there are any.
//
// Thread-safety: none. Emissions live until the next Route.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/clock.h"
#include "encode/record_encoder.h"
#include "event/emission.h"
#include "event/schema_ids.h"
#include "event/table_schema.h"

namespace walduct::names {
struct TableFilterOptions;
}
namespace walduct::route {
struct RouteOptions;
}
namespace walduct::transform {
struct ChainSpec;
}

namespace walduct::slot {

class RowPreview {
 public:
  // All borrowed for life.
  struct Parts {
    const names::TableFilterOptions& tables;
    const route::RouteOptions& route;
    const transform::ChainSpec& chain;
    const encode::EncodeOptions& encode;
    Clock& clock;
    event::SchemaIdSources ids = {};
  };
  // Errors: those of the encoder's options.
  static absl::StatusOr<std::unique_ptr<RowPreview>> Open(const Parts& parts);
  ~RowPreview();

  // schema: borrowed until the next Route. Errors: those of the router.
  absl::Status Route(const event::TableSchema& schema);
  absl::Span<const event::Emission> emissions() const;

  encode::RecordEncoder& encoder();
  bool has_chain() const;

 private:
  struct Way;
  explicit RowPreview(const Parts& parts);

  const std::unique_ptr<Way> way_;
};

}  // namespace walduct::slot
