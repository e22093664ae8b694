// From checked properties to typed options. Expects a PropertySet whose every value passed its
// check; adds warnings about assumptions (a default broker, a default name, a store that forgets).
// Pure.
#pragma once

#include <string>

#include "config/options/transform_spec.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "engine/configuration/connector_options.h"

namespace walduct::loader {

// default_name: the connector's name when the property is absent.
engine::ConnectorOptions BuildOptions(const config::PropertySet& properties,
                                      const std::string& default_name, config::Findings* findings);

// Its parts. source_options.cc:
postgres::DatabaseOptions BuildDatabase(const config::PropertySet& properties);
replication::ReplicationOptions BuildReplication(const config::PropertySet& properties,
                                                 config::Findings* findings);
names::TableFilterOptions BuildTables(const config::PropertySet& properties);
snapshot::SnapshotOptions BuildSnapshot(const config::PropertySet& properties);

// record_options.cc:
encode::EncodeOptions BuildEncode(const config::PropertySet& properties,
                                  config::Findings* findings);
route::RouteOptions BuildRoute(const config::PropertySet& properties);
config::TransformChainOptions BuildChain(const config::PropertySet& properties);
encode::ConverterOptions BuildConverter(const config::PropertySet& properties,
                                        absl::string_view role, config::Findings* findings);

// client_options.cc:
kafka::KafkaOptions BuildKafka(const config::PropertySet& properties);
sink::SinkOptions BuildSink(const config::PropertySet& properties,
                            const kafka::KafkaOptions& kafka);
offset::OffsetOptions BuildOffset(const config::PropertySet& properties,
                                  const sink::SinkOptions& sink, config::Findings* findings);

}  // namespace walduct::loader
