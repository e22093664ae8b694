// From checked properties to typed options. Expects a PropertySet whose every value passed its
// check; adds warnings about assumptions (a default broker, a default name, a store that forgets).
// Pure.
#pragma once

#include <string>

#include "config/options/options.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"

namespace walduct::config {

// default_name: the connector's name when the property is absent.
ConnectorOptions BuildOptions(const PropertySet& properties, const std::string& default_name,
                              Findings* findings);

// Its parts. source_options.cc:
DatabaseOptions BuildDatabase(const PropertySet& properties);
ReplicationOptions BuildReplication(const PropertySet& properties, Findings* findings);
TableFilterOptions BuildTables(const PropertySet& properties);
SnapshotOptions BuildSnapshot(const PropertySet& properties);

// record_options.cc:
EncodeOptions BuildEncode(const PropertySet& properties, Findings* findings);
TransformOptions BuildTransform(const PropertySet& properties);
TransformChainOptions BuildChain(const PropertySet& properties);
ConverterOptions BuildConverter(const PropertySet& properties, absl::string_view role,
                                Findings* findings);

// client_options.cc:
KafkaOptions BuildKafka(const PropertySet& properties);
SinkOptions BuildSink(const PropertySet& properties, const KafkaOptions& kafka);
OffsetOptions BuildOffset(const PropertySet& properties, const SinkOptions& sink,
                          Findings* findings);

}  // namespace walduct::config
