// TLS of a listener: what libmicrohttpd and GnuTLS are told. Used by Listener only.
#pragma once

#include <microhttpd.h>

#include <optional>
#include <vector>

#include "http/server_tls.h"

namespace walduct::http {

// For MHD_OPTION_ARRAY; none without TLS. They point into tls.
std::vector<MHD_OptionItem> TlsListenerOptions(const std::optional<ServerTls>& tls);

// On a connection that has just been made: in the handshake the client is asked for its
// certificate; one that is not trusted ends it.
void CheckClientCertificates(const ServerTls& tls, MHD_Connection* connection);

}  // namespace walduct::http
