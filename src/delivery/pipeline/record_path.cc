#include "delivery/pipeline/record_path.h"

#include "base/status_macros.h"
#include "encode/options/encode_options.h"
#include "engine/configuration/connector_options.h"
#include "engine/configuration/record_error_options.h"
#include "names/table_filter.h"
#include "route/options.h"
#include "transform/chain/chain_spec.h"

namespace walduct::delivery {

namespace {

RecordErrors::Options ErrorsOf(const RecordPath::Parts& parts) {
  return {.policy = parts.config->record_errors.get(),
          .connector = parts.config->name,
          .called = engine::CalledOf(*parts.config),
          .encode = parts.config->encode.get(),
          .run_id = parts.run_id,
          .clock = parts.clock,
          .metrics = parts.metrics};
}

}  // namespace

RecordPath::RecordPath(const Parts& parts)
    : filter_(*parts.config->tables),
      chain_(transform::Chain::Create(*parts.config->chain)),
      errors_(ErrorsOf(parts)),
      refused_(ErrorsOf(parts), parts.sink, parts.destinations) {}

absl::StatusOr<std::unique_ptr<RecordPath>> RecordPath::Create(const Parts& parts) {
  std::unique_ptr<RecordPath> path(new RecordPath(parts));
  ASSIGN_OR_RETURN(path->encoder_,
                   encode::RecordEncoder::Create(*parts.config->encode, *parts.clock, parts.run_id,
                                                 path->chain_.get(), parts.schema_ids));
  path->router_ =
      std::make_unique<route::Router>(*parts.config->route, path->filter_, path->encoder_.get());
  path->pipeline_ = std::make_unique<Pipeline>(Pipeline::Parts{.router = path->router_.get(),
                                                               .encoder = path->encoder_.get(),
                                                               .sink = parts.sink,
                                                               .tracker = parts.tracker,
                                                               .waiter = parts.waiter,
                                                               .errors = &path->errors_,
                                                               .destinations = parts.destinations,
                                                               .metrics = parts.metrics,
                                                               .warn_once = parts.warn_once,
                                                               .clock = parts.clock});
  return path;
}

}  // namespace walduct::delivery
