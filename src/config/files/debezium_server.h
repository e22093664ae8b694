// Debezium Server's application.properties, as a connector's properties:
//
//   debezium.source.<name>                 <name>
//   debezium.sink.kafka.producer.<name>    producer.<name>; addresses and security for all clients
//   debezium.sink.redis.<name>             sink.redis.<name>; so nats-jetstream, http
//   debezium.format.{key,value,header}     the converter; debezium.format[.key].<name>: its options
//   debezium.transforms…, debezium.predicates…
//   DEBEZIUM_SOURCE_…                      of the environment; win over the file
//
// Values may hold Quarkus's expressions (quarkus_expression.h). The name is that of the sink, as
// the stored position has it, and the position goes to data/offsets.dat, unless the file says
// otherwise. quarkus.* stays as it is; other names are ignored, with a warning. Pure.
#pragma once

#include "absl/status/statusor.h"
#include "config/files/key_values.h"

namespace walduct::config {

bool IsDebeziumServer(const KeyValues& values);

// variables: of the environment, unrelated ones included. InvalidArgument: a sink
// or a format that is not there, naming the property.
absl::StatusOr<ParsedFile> FromDebeziumServer(const ParsedFile& file, const KeyValues& variables);

}  // namespace walduct::config
