// How a converter reaches its schema registry, and what it may do there. Immutable once built.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"

namespace walduct::registry {

struct HttpOptions {
  bool operator==(const HttpOptions&) const = default;

  // "user:password" of Basic, or the token of Bearer; empty: neither.
  std::string basic, bearer;
  std::vector<std::pair<std::string, std::string>> headers;  // sent with every request
  std::map<std::string, std::string> tls;                    // Kafka's ssl.* of a Java client
  std::string proxy;                                         // "host:port"; empty: none
  absl::Duration connect_timeout = absl::Seconds(60);
  absl::Duration read_timeout = absl::Seconds(60);
};

enum class RegistryApi {
  kConfluent,
  kApicurio,  // version 2 of its own
};

struct RegistryOptions {
  RegistryApi api = RegistryApi::kConfluent;
  std::string schema_type = "AVRO";  // as registries name it
  std::string property;              // "value.converter": whose registry it is, for messages
  std::vector<std::string> urls;     // without a slash at the end; empty: no registry is asked
  HttpOptions http;
  bool register_schemas = true;
  bool normalize = false;
  // Without registration: a schema of the registry stands for each, the latest of the subject, or
  // that of an id (-1: none). strict: it has a null wherever a value may be NULL.
  bool latest = false;
  int64_t schema_id = -1;
  bool strict = true;
  bool content_id = false;  // kApicurio: the id of the content, not that of the version
  absl::Duration retry_wait = absl::Seconds(1);
  absl::Duration retry_wait_max = absl::Seconds(20);
};

// Whether one client can ask for both.
inline bool SameRegistry(const RegistryOptions& a, const RegistryOptions& b) {
  // Apicurio's converters remember ids by the schema alone, each its own.
  if (a.api == RegistryApi::kApicurio && a.property != b.property) return false;
  return a.api == b.api && a.schema_type == b.schema_type && a.latest == b.latest &&
         a.schema_id == b.schema_id && a.strict == b.strict && a.content_id == b.content_id &&
         a.urls == b.urls && a.http == b.http && a.register_schemas == b.register_schemas &&
         a.normalize == b.normalize && a.retry_wait == b.retry_wait &&
         a.retry_wait_max == b.retry_wait_max;
}

// Of a connector: two converters that may have registries of their own.
struct RegistriesOptions {
  RegistryOptions key, value;
};

}  // namespace walduct::registry
