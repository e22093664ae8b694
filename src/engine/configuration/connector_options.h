// ConnectorOptions: the configuration of one connector, one struct per room. Only what composes the
// rooms takes the whole; a class takes the struct of its own room. Built by
// loader/load_connector.h; immutable afterwards.
#pragma once

#include <string>

#include "encode/options/encode_options.h"
#include "engine/configuration/heartbeat_options.h"
#include "engine/configuration/record_error_options.h"
#include "engine/configuration/runtime_options.h"
#include "kafka/options.h"
#include "names/table_filter.h"
#include "offset/options.h"
#include "outbox/options.h"
#include "postgres/options.h"
#include "replication/options.h"
#include "route/options.h"
#include "sink/options.h"
#include "snapshot/options.h"
#include "transform/chain/chain_spec.h"

namespace walduct::engine {

struct ConnectorOptions {
  std::string name;  // namespace of the offsets
  postgres::DatabaseOptions database;
  replication::ReplicationOptions replication;
  names::TableFilterOptions tables;
  snapshot::SnapshotOptions snapshot;
  encode::EncodeOptions encode;
  route::RouteOptions route;
  transform::ChainSpec chain;
  kafka::KafkaOptions kafka;
  sink::SinkOptions sink;
  offset::OffsetOptions offset;
  HeartbeatOptions heartbeat;
  RecordErrorOptions record_errors;
  RuntimeOptions runtime;
  outbox::OutboxOptions outbox;
};

}  // namespace walduct::engine
