// The properties of the slot, the publication and the stream: their rows, and the options they
// make.
#pragma once

#include "absl/types/span.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "replication/options.h"

namespace walduct::replication {

absl::Span<const config::PropertyDefinition> ReplicationProperties();

// What is accepted and yet may surprise.
void WarnOfReplication(const config::PropertySet& properties, config::Findings* findings);

// What walduct.slots asks of names and of walduct.slots.tables.
void CheckSlots(const config::PropertySet& properties, config::Findings* findings);

// Expects values that passed their checks. publish_operations follows from what is published, and
// is not set here.
ReplicationOptions BuildReplication(const config::PropertySet& properties,
                                    config::Findings* findings);

}  // namespace walduct::replication
