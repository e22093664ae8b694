#include "nats/connection.h"

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "nats/nkey.h"
#include "security/tls_store.h"

namespace walduct::nats {
namespace {

// The library is there whenever one of its objects is.
const NatsLibrary& Loaded() { return **NatsLibrary::Load(); }

char* Copied(absl::string_view text) {
  auto* const copy = static_cast<char*>(malloc(text.size() + 1));  // libnats frees it
  if (copy == nullptr) return nullptr;
  text.copy(copy, text.size());
  copy[text.size()] = '\0';
  return copy;
}

natsStatus GiveJwt(char** jwt, char** error, void* closure) {
  static_cast<void>(error);
  *jwt = Copied(static_cast<const Notes*>(closure)->jwt);
  return *jwt == nullptr ? NATS_NO_MEMORY : NATS_OK;
}

natsStatus Sign(char** error, unsigned char** signature, int* size, const char* nonce,
                void* closure) {
  static_cast<void>(error);
  return Loaded().nats_Sign(static_cast<const Notes*>(closure)->seed.c_str(), nonce, signature,
                            size);
}

absl::Status OfOptions(const NatsLibrary& nats, natsStatus status, absl::string_view property) {
  if (status == NATS_OK) return absl::OkStatus();
  natsStatus last = NATS_OK;
  const char* const text = nats.nats_GetLastError(&last);
  return Error(
      absl::StatusCode::kInvalidArgument,
      status == NATS_SSL_ERROR ? "nats_tls_failed" : "nats_bad_options",
      absl::StrCat(property, ": libnats does not take it: ", nats.natsStatus_GetText(status),
                   text == nullptr ? "" : ": ", text == nullptr ? "" : text),
      "check its value");
}

absl::Status SetTrust(const NatsOptions& options, const NatsLibrary& nats, natsOptions* to) {
  constexpr absl::string_view kProperty = "walduct.sink.nats.tls.truststore.path";
  if (options.trust_store.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const security::StoreFormat format,
                   security::DetectStore(kProperty, options.trust_store));
  absl::StatusOr<std::string> pem =
      format == security::StoreFormat::kPem ? security::ReadStore(kProperty, options.trust_store)
      : format == security::StoreFormat::kJks
          ? security::JksCertificates(options.trust_store, options.trust_store_password)
          : security::Pkcs12Certificates(options.trust_store, options.trust_store_password);
  RETURN_IF_ERROR(pem.status());
  return OfOptions(nats, nats.natsOptions_SetCATrustedCertificates(to, pem->c_str()), kProperty);
}

absl::StatusOr<security::KeyAndChain> OwnKey(const NatsOptions& options) {
  constexpr absl::string_view kProperty = "sink.nats-jetstream.auth.tls.keystore";
  ASSIGN_OR_RETURN(const security::StoreFormat format,
                   security::DetectStore(kProperty, options.key_store));
  switch (format) {
    case security::StoreFormat::kJks:
      return security::JksOwnKey(options.key_store, options.key_store_password,
                                 options.key_password);
    case security::StoreFormat::kPkcs12:
      return security::Pkcs12OwnKey(options.key_store, options.key_store_password);
    case security::StoreFormat::kPem:
      break;
  }
  ASSIGN_OR_RETURN(const std::string text, security::ReadStore(kProperty, options.key_store));
  return security::KeyAndChain{.chain_pem = text, .key_pem = text};
}

absl::Status SetTls(const NatsOptions& options, const NatsLibrary& nats, natsOptions* to) {
  if (!options.tls) return absl::OkStatus();
  RETURN_IF_ERROR(OfOptions(nats, nats.natsOptions_SetSecure(to, true), "sink.nats-jetstream.url"));
  RETURN_IF_ERROR(SetTrust(options, nats, to));
  if (options.key_store.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const security::KeyAndChain own, OwnKey(options));
  return OfOptions(
      nats, nats.natsOptions_SetCertificatesChain(to, own.chain_pem.c_str(), own.key_pem.c_str()),
      "sink.nats-jetstream.auth.tls.keystore");
}

absl::Status SetNkey(const NatsOptions& options, const NatsLibrary& nats, natsOptions* to,
                     Notes* notes) {
  constexpr absl::string_view kProperty = "walduct.sink.nats.nkey.path";
  ASSIGN_OR_RETURN(const std::string text, security::ReadStore(kProperty, options.nkey_seed));
  notes->seed = FindSeed(text);
  const absl::StatusOr<std::string> key = PublicKeyOf(notes->seed);
  if (!key.ok())
    return Error(
        absl::StatusCode::kInvalidArgument, "nats_bad_nkey",
        absl::StrCat(kProperty, ": file '", options.nkey_seed, "' ", key.status().message()),
        ErrorHint(key.status()));
  return OfOptions(nats, nats.natsOptions_SetNKey(to, key->c_str(), Sign, notes), kProperty);
}

absl::Status SetLogin(const NatsOptions& options, const NatsLibrary& nats, natsOptions* to,
                      Notes* notes) {
  if (!options.jwt.empty()) {
    notes->jwt = options.jwt;
    notes->seed = options.seed;
    return OfOptions(nats,
                     nats.natsOptions_SetUserCredentialsCallbacks(to, GiveJwt, notes, Sign, notes),
                     "sink.nats-jetstream.auth.jwt");
  }
  if (!options.credentials.empty()) {
    constexpr absl::string_view kProperty = "walduct.sink.nats.credentials.path";
    RETURN_IF_ERROR(security::ReadStore(kProperty, options.credentials).status());
    return OfOptions(
        nats,
        nats.natsOptions_SetUserCredentialsFromFiles(to, options.credentials.c_str(), nullptr),
        kProperty);
  }
  if (!options.nkey_seed.empty()) return SetNkey(options, nats, to, notes);
  if (!options.user.empty())
    return OfOptions(
        nats, nats.natsOptions_SetUserInfo(to, options.user.c_str(), options.password.c_str()),
        "sink.nats-jetstream.auth.user");
  if (!options.token.empty())
    return OfOptions(nats, nats.natsOptions_SetToken(to, options.token.c_str()),
                     "walduct.sink.nats.token");
  return absl::OkStatus();
}

// Of a thread of libnats.
void OnError(natsConnection* connection, natsSubscription* subscription, natsStatus status,
             void* closure) {
  static_cast<void>(subscription);
  const char* text = nullptr;
  Loaded().natsConnection_GetLastError(connection, &text);
  auto* const notes = static_cast<Notes*>(closure);
  const MutexLock lock(notes->mutex);
  notes->error = text == nullptr ? Loaded().natsStatus_GetText(status) : text;
}

void OnClosed(natsConnection* connection, void* closure) {
  static_cast<void>(connection);
  const std::shared_ptr<Notes> last = std::move(static_cast<Notes*>(closure)->self);
}

absl::Status ConnectError(const NatsOptions& options, const NatsLibrary& nats, natsStatus status) {
  const std::string address = AddressOf(options);
  natsStatus last = NATS_OK;
  const char* const text = nats.nats_GetLastError(&last);
  const std::string why = absl::StrCat(nats.natsStatus_GetText(status), text == nullptr ? "" : ": ",
                                       text == nullptr ? "" : text);
  switch (status) {
    case NATS_CONNECTION_AUTH_FAILED:
      return Error(absl::StatusCode::kUnauthenticated, "nats_authentication_failed",
                   absl::StrCat("NATS at ", address, " refuses the login"),
                   "check sink.nats-jetstream.auth.user and .password, .auth.jwt and .seed, or "
                   "walduct.sink.nats.credentials.path, .nkey.path, .token");
    case NATS_SSL_ERROR:
    case NATS_SECURE_CONNECTION_WANTED:
    case NATS_SECURE_CONNECTION_REQUIRED:
      return Error(absl::StatusCode::kFailedPrecondition, "nats_tls_failed",
                   absl::StrCat("TLS with NATS at ", address, ": ", why),
                   "write tls:// where the server has TLS, name its authority in "
                   "walduct.sink.nats.tls.truststore.path, and its host as the certificate has it");
    default:
      return Unreachable(address, why);
  }
}

}  // namespace

std::string AddressOf(const NatsOptions& options) {
  return absl::StrJoin(options.urls, ",", [](std::string* out, absl::string_view url) {
    if (const size_t scheme = url.find("://"); scheme != absl::string_view::npos)
      url.remove_prefix(scheme + 3);
    if (const size_t login = url.rfind('@'); login != absl::string_view::npos)
      url.remove_prefix(login + 1);
    absl::StrAppend(out, url);
  });
}

void FreeOptions::operator()(natsOptions* options) const { Loaded().natsOptions_Destroy(options); }

absl::StatusOr<OptionsPointer> MakeOptions(const NatsOptions& options, const NatsLibrary& nats,
                                           const std::string& inbox, Notes* notes) {
  natsOptions* made = nullptr;
  RETURN_IF_ERROR(OfOptions(nats, nats.natsOptions_Create(&made), "sink.nats-jetstream.url"));
  OptionsPointer owner(made);
  std::vector<const char*> urls;
  for (const std::string& url : options.urls) urls.push_back(url.c_str());
  const auto milliseconds = absl::ToInt64Milliseconds(options.connect_timeout);
  for (const natsStatus set :
       {nats.natsOptions_SetServers(made, urls.data(), static_cast<int>(urls.size())),
        nats.natsOptions_SetName(made, "walduct"), nats.natsOptions_SetTimeout(made, milliseconds),
        nats.natsOptions_SetAllowReconnect(made, false),
        nats.natsOptions_SetIgnoreDiscoveredServers(made, true),
        nats.natsOptions_SetCustomInboxPrefix(made, inbox.c_str()),
        nats.natsOptions_SetErrorHandler(made, OnError, notes),
        nats.natsOptions_SetClosedCB(made, OnClosed, notes)})
    RETURN_IF_ERROR(OfOptions(nats, set, "sink.nats-jetstream.url"));
  RETURN_IF_ERROR(SetTls(options, nats, made));
  RETURN_IF_ERROR(SetLogin(options, nats, made, notes));
  return owner;
}

absl::Status Unreachable(absl::string_view address, absl::string_view why) {
  return Error(absl::StatusCode::kUnavailable, "nats_unavailable",
               absl::StrCat("NATS at ", address, ": ", why),
               "check that the server runs and that sink.nats-jetstream.url is right");
}

absl::StatusOr<natsConnection*> ConnectWith(const NatsOptions& options, natsOptions* made,
                                            const NatsLibrary& nats,
                                            const std::shared_ptr<Notes>& notes) {
  notes->self = notes;
  natsConnection* connection = nullptr;
  const natsStatus status = nats.natsConnection_Connect(&connection, made);
  if (status == NATS_OK) return connection;
  notes->self.reset();
  return ConnectError(options, nats, status);
}

absl::Status RightError(absl::string_view error, absl::string_view address) {
  if (!absl::StrContains(absl::AsciiStrToLower(error), "permissions violation"))
    return absl::OkStatus();
  return Error(absl::StatusCode::kPermissionDenied, "nats_permission_denied",
               absl::StrCat("NATS at ", address, ": ", error),
               "let the user publish to the subjects and subscribe to _INBOX.walduct.>; to create "
               "or look for streams it publishes to $JS.API.STREAM.>");
}

}  // namespace walduct::nats
