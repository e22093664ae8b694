// TLS of a connection: certificates of the options, as OpenSSL has them.
#pragma once

#include <openssl/ssl.h>

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/freed_by.h"
#include "redis/options.h"

namespace walduct::redis {

using TlsContext = std::unique_ptr<SSL_CTX, FreedBy<SSL_CTX_free>>;
using TlsSession = std::unique_ptr<SSL, FreedBy<SSL_free>>;

// Reads the stores. Null: without TLS. InvalidArgument kafka_store_…, FailedPrecondition
// redis_tls_failed: a store cannot be used.
absl::StatusOr<TlsContext> MakeTlsContext(const RedisTls& tls);

// Null: OpenSSL has no memory left.
TlsSession MakeTlsSession(const RedisOptions& options, SSL_CTX* context, int fd);

// Of the call that has just failed.
absl::Status TlsError(const RedisOptions& options, const SSL* session);

}  // namespace walduct::redis
