#include "http/exchange.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/percent.h"
#include "http/listener.h"

namespace walduct::http {
namespace {

std::string Header(MHD_Connection* connection, const char* name) {
  const char* value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
  return value == nullptr ? "" : value;
}

std::string DecodeForm(absl::string_view text) {
  return DecodePercent(absl::StrReplaceAll(text, {{"+", " "}}));
}

MHD_Result Send(MHD_Connection* connection, const Response& response) {
  MHD_Response* sent = MHD_create_response_from_buffer(
      response.body.size(), const_cast<char*>(response.body.data()), MHD_RESPMEM_MUST_COPY);
  if (sent == nullptr) return MHD_NO;
  if (!response.content_type.empty())
    MHD_add_response_header(sent, "Content-Type", response.content_type.c_str());
  for (const auto& [name, value] : response.headers)
    MHD_add_response_header(sent, name.c_str(), value.c_str());
  const MHD_Result result =
      MHD_queue_response(connection, static_cast<unsigned>(response.status), sent);
  MHD_destroy_response(sent);
  return result;
}

bool IsTooLarge(absl::string_view content_length) {
  uint64_t bytes = 0;
  return absl::SimpleAtoi(content_length, &bytes) && bytes > Listener::kMaxBodyBytes;
}

bool IsLocal(MHD_Connection* connection) {
  const MHD_ConnectionInfo* const peer =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  if (peer == nullptr || peer->client_addr == nullptr) return false;
  constexpr uint8_t kLoopback = 127;
  if (peer->client_addr->sa_family == AF_INET) {
    const auto* const four = reinterpret_cast<const sockaddr_in*>(peer->client_addr);
    return ntohl(four->sin_addr.s_addr) >> 24 == kLoopback;
  }
  if (peer->client_addr->sa_family != AF_INET6) return false;
  const in6_addr& six = reinterpret_cast<const sockaddr_in6*>(peer->client_addr)->sin6_addr;
  return IN6_IS_ADDR_LOOPBACK(&six) || (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == kLoopback);
}

}  // namespace

Exchange::Exchange(absl::string_view target) {
  target = target.substr(0, target.find('#'));
  const auto [path, query] = std::pair<absl::string_view, absl::string_view>(
      absl::StrSplit(target, absl::MaxSplits('?', 1)));
  request_.path = std::string(path);
  for (const absl::string_view part : absl::StrSplit(query, '&', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> both =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    request_.query.emplace(DecodeForm(both.first), DecodeForm(both.second));
  }
}

MHD_Result Exchange::Step(MHD_Connection* connection, const char* method, const char* part,
                          size_t* size, Handler* handler) {
  if (!begun_) return Begin(connection, method);
  if (*size == 0) return Answer(connection, handler);
  // Of a body whose length was not said before.
  if (request_.body.size() + *size > Listener::kMaxBodyBytes) return MHD_NO;
  request_.body.append(part, *size);
  *size = 0;
  return MHD_YES;
}

MHD_Result Exchange::Begin(MHD_Connection* connection, const char* method) {
  begun_ = true;
  if (IsTooLarge(Header(connection, MHD_HTTP_HEADER_CONTENT_LENGTH)))
    return Send(connection, {.status = MHD_HTTP_CONTENT_TOO_LARGE});
  request_.method = method;
  request_.accept = Header(connection, MHD_HTTP_HEADER_ACCEPT);
  request_.host = Header(connection, MHD_HTTP_HEADER_HOST);
  request_.authorization = Header(connection, MHD_HTTP_HEADER_AUTHORIZATION);
  request_.signature = Header(connection, "X-Connect-Authorization");
  request_.signature_algorithm = Header(connection, "X-Connect-Request-Signature-Algorithm");
  request_.origin = Header(connection, "Origin");
  request_.if_none_match = Header(connection, MHD_HTTP_HEADER_IF_NONE_MATCH);
  request_.asked_method = Header(connection, "Access-Control-Request-Method");
  request_.encrypted =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION) != nullptr;
  request_.local = IsLocal(connection);
  request_.content_type = Header(connection, MHD_HTTP_HEADER_CONTENT_TYPE);
  return MHD_YES;
}

MHD_Result Exchange::Answer(MHD_Connection* connection, Handler* handler) {
  return Send(connection, handler->Handle(request_));
}

}  // namespace walduct::http
