// How long errors are borne and stops may take. Immutable once built.
#pragma once

#include <string>

#include "absl/time/time.h"
#include "names/called.h"

namespace walduct::engine {

struct ConnectorOptions;

struct RuntimeOptions {
  int errors_max_retries = -1;  // -1: for ever
  // retriable.restart.connector.wait.ms: cap of the backoff
  absl::Duration retry_wait = absl::Seconds(10);
  absl::Duration shutdown_timeout = absl::Milliseconds(7500);
  // See slot/duties/stall_watch.h; zero: never.
  absl::Duration stall_warning = absl::Seconds(10);
  // See slot/phases/delayed_schema_resolver.h.
  absl::Duration catalog_delay = absl::Milliseconds(500);
  // Of Debezium's series, behind the prefix: ", k=v, …".
  std::string metric_tags = {};
  bool counts_per_table = false;
  names::Called called = {};  // who empty: by its name alone
};

const RuntimeOptions& RuntimeOf(const ConnectorOptions& options);

}  // namespace walduct::engine
