// What a listener needs for TLS. Immutable once built.
#pragma once

#include <string>

namespace walduct::http {

enum class ClientCertificates { kNone, kRequested, kRequired };

struct ServerTls {
  std::string key_pem = {};    // secret, not encrypted
  std::string chain_pem = {};  // the key's own certificate first
  std::string trust_pem = {};  // the authorities of clients' certificates
  ClientCertificates clients = ClientCertificates::kNone;
  bool tls12 = true;
  bool tls13 = true;
};

}  // namespace walduct::http
