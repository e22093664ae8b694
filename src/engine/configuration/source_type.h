// A source is a row: what it is called, when it is the connector's, which properties it has, what
// attempts it makes. loader/source_types.cc lists the rows; nobody else asks which source it is.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/environment.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"

namespace walduct::engine {

class Attempts;
struct AttemptParts;
struct ConnectorOptions;

struct SourceType {
  absl::string_view name;
  // Whether the properties ask for it. Null: it is there where no other one is asked for.
  bool (*chosen)(const config::PropertySet& properties) = nullptr;
  absl::string_view section = {};  // of docs/configuration.md
  // Null: it has none of its own.
  absl::Span<const config::PropertyDefinition> (*rows)() = nullptr;
  // Of all properties, whichever source was chosen.
  void (*check)(const config::PropertySet& properties, config::Findings* findings) = nullptr;
  std::unique_ptr<Attempts> (*attempts)(const AttemptParts& parts) = nullptr;
  // Whether an attempt could begin now, and what it would warn of, for who looks without running
  // it; changes nothing. Null: a doctor asks by itself, about the slot.
  absl::StatusOr<std::vector<absl::Status>> (*examine)(const ConnectorOptions& config,
                                                       const Environment& environment) = nullptr;
  // Streams a replication slot: a second one reads beside it and changes nothing (tail, shadow),
  // and an LSN says how far it has come.
  bool by_slot = false;
  // Where it is known what is published, when that is no stored position: "the outbox tables".
  absl::string_view instead_of_position = {};
  // A connector that several threads read is run as so many, each with its name and attempts of its
  // own. They are commanded together and shown one by one. Null: it is run as it is.
  std::vector<ConnectorOptions> (*lanes)(const ConnectorOptions& whole) = nullptr;
};

}  // namespace walduct::engine
