#include "http/tls_session.h"

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

namespace walduct::http {
namespace {

constexpr char kBoth[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";
constexpr char kTls12[] = "NORMAL:-VERS-ALL:+VERS-TLS1.2";
constexpr char kTls13[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3";

void* Pointer(const char* text) { return const_cast<char*>(text); }

// Zero: trusted, or none was sent where none is required.
int Verify(gnutls_session_t session) {
  unsigned count = 0;
  if (gnutls_certificate_get_peers(session, &count) == nullptr || count == 0) return 0;
  gnutls_typed_vdata_st purpose = {};
  purpose.type = GNUTLS_DT_KEY_PURPOSE_OID;
  purpose.data = reinterpret_cast<unsigned char*>(const_cast<char*>(GNUTLS_KP_TLS_WWW_CLIENT));
  unsigned wrong = 0;
  if (gnutls_certificate_verify_peers(session, &purpose, 1, &wrong) != GNUTLS_E_SUCCESS)
    return GNUTLS_E_CERTIFICATE_ERROR;
  return wrong == 0 ? 0 : GNUTLS_E_CERTIFICATE_ERROR;
}

}  // namespace

std::vector<MHD_OptionItem> TlsListenerOptions(const std::optional<ServerTls>& tls) {
  std::vector<MHD_OptionItem> options;
  if (tls) {
    const char* const versions = tls->tls12 && tls->tls13 ? kBoth : tls->tls12 ? kTls12 : kTls13;
    options = {{MHD_OPTION_HTTPS_MEM_KEY, 0, Pointer(tls->key_pem.c_str())},
               {MHD_OPTION_HTTPS_MEM_CERT, 0, Pointer(tls->chain_pem.c_str())},
               {MHD_OPTION_HTTPS_PRIORITIES, 0, Pointer(versions)}};
    if (tls->clients != ClientCertificates::kNone)
      options.push_back({MHD_OPTION_HTTPS_MEM_TRUST, 0, Pointer(tls->trust_pem.c_str())});
  }
  options.push_back({MHD_OPTION_END, 0, nullptr});
  return options;
}

void CheckClientCertificates(const ServerTls& tls, MHD_Connection* connection) {
  if (tls.clients == ClientCertificates::kNone) return;
  const MHD_ConnectionInfo* const found =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  if (found == nullptr) return;
  auto* const session = static_cast<gnutls_session_t>(found->tls_session);
  const bool required = tls.clients == ClientCertificates::kRequired;
  gnutls_certificate_server_set_request(session,
                                        required ? GNUTLS_CERT_REQUIRE : GNUTLS_CERT_REQUEST);
  gnutls_session_set_verify_function(session, &Verify);
}

}  // namespace walduct::http
