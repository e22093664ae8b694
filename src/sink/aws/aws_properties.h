// What the properties of Kinesis, SQS and SNS have in common. Names: sink.NAME.….
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "aws/options.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"

namespace walduct::sink {

// "" when it is fine.
std::string CheckAwsRegion(absl::string_view value);
std::string CheckAwsEndpoint(absl::string_view value);

// Of a sink that was chosen: it cannot do without this one.
void RequireForAws(absl::string_view sink, absl::string_view name, absl::string_view fix,
                   const config::PropertySet& properties, config::Findings* findings);

// Where all records go to one place, letters need another one: `place` names it.
void CheckAwsLetters(absl::string_view place, absl::string_view topic,
                     const config::PropertySet& properties, config::Findings* findings);

// service: as signatures name it, which is the sink's name, too.
aws::AwsOptions BuildAws(absl::string_view service, const config::PropertySet& properties);
// Absent: not set, so that what passes is waited for.
std::optional<int> AwsAttempts(absl::string_view service, const config::PropertySet& properties);

}  // namespace walduct::sink
