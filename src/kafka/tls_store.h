// Java's key and trust stores, told apart by their content rather than by ssl.*.type: the JVM reads
// PKCS12 under the name of JKS too.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::kafka {

enum class StoreFormat { kPem, kPkcs12 };

// InvalidArgument: kafka_store_unreadable names property and path; kafka_store_jks for Java's own
// format, which nothing but a JVM reads.
absl::StatusOr<StoreFormat> DetectStore(absl::string_view property, const std::string& path);

// All certificates of a PKCS12 store as PEM. InvalidArgument kafka_store_unreadable (wrong
// password, old cipher).
absl::StatusOr<std::string> Pkcs12Certificates(const std::string& path,
                                               const std::string& password);

}  // namespace walduct::kafka
