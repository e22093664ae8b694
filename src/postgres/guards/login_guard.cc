#include "postgres/guards/login_guard.h"

#include <libpq-fe.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <array>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/error.h"
#include "base/status_macros.h"

namespace walduct::postgres {
namespace {

// PostgreSQL's default is 4096. So many take about a second.
constexpr uint64_t kMostIterations = 1'000'000;
constexpr size_t kLooksAt = 16384;
constexpr size_t kHeader = 5;           // type and length
constexpr uint32_t kSaslContinue = 11;  // of an 'R'

uint32_t Number(absl::string_view bytes) {
  uint32_t value = 0;
  for (const char c : bytes.substr(0, 4)) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

// server-first-message: r=NONCE,s=SALT,i=ITERATIONS
absl::Status CheckChallenge(absl::string_view challenge) {
  for (const absl::string_view part : absl::StrSplit(challenge, ',')) {
    uint64_t iterations = 0;
    if (part.substr(0, 2) != "i=" || !absl::SimpleAtoi(part.substr(2), &iterations)) continue;
    if (iterations <= kMostIterations) continue;
    return Error(absl::StatusCode::kFailedPrecondition, "scram_iterations",
                 absl::StrCat("the server asks for ", iterations, " rounds of SCRAM, more than ",
                              kMostIterations, ": the login would take too long"),
                 "check that database.hostname and database.port lead to the right server; if so, "
                 "set the role's password anew with scram_iterations=4096");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckMessages(absl::string_view* bytes) {
  while (bytes->size() >= kHeader) {
    const size_t size = 1 + size_t{Number(bytes->substr(1))};
    // A message larger than what is looked at does not belong to a login; libpq refuses it.
    if (size > kLooksAt || size < kHeader) {
      *bytes = {};
      return absl::OkStatus();
    }
    if (bytes->size() < size) return absl::OkStatus();
    const absl::string_view body = bytes->substr(kHeader, size - kHeader);
    if ((*bytes)[0] == 'R' && body.size() > 4 && Number(body) == kSaslContinue)
      RETURN_IF_ERROR(CheckChallenge(body.substr(4)));
    bytes->remove_prefix(size);
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> LoginGuard::MayGoOn(pg_conn* connection) {
  if (PQstatus(connection) != CONNECTION_AWAITING_RESPONSE) return true;
  if (auto* const tls = static_cast<SSL*>(PQsslStruct(connection, "OpenSSL")); tls != nullptr)
    return MayGoOn(tls);
  std::array<char, kLooksAt> buffer;
  const ssize_t size =
      recv(PQsocket(connection), buffer.data(), buffer.size(), MSG_PEEK | MSG_DONTWAIT);
  // Nothing there, or an end: libpq's to tell.
  if (size <= 0) return true;
  absl::string_view bytes(buffer.data(), static_cast<size_t>(size));
  RETURN_IF_ERROR(CheckMessages(&bytes));
  return bytes.empty();
}

// What is behind a record shows once libpq has read that one, which it does at once. It computes
// nothing before a message is whole.
absl::StatusOr<bool> LoginGuard::MayGoOn(SSL* tls) {
  std::array<char, kLooksAt> buffer;
  const int size = SSL_peek(tls, buffer.data(), static_cast<int>(buffer.size()));
  // libpq's next call looks at the queue.
  ERR_clear_error();
  if (size <= 0) return true;
  begun_.append(buffer.data(), static_cast<size_t>(size));
  absl::string_view bytes = begun_;
  RETURN_IF_ERROR(CheckMessages(&bytes));
  begun_.erase(0, begun_.size() - bytes.size());
  return true;
}

}  // namespace walduct::postgres
