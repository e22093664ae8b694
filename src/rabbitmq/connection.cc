#include "rabbitmq/connection.h"

#include <amqp_framing.h>
#include <amqp_tcp_socket.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "rabbitmq/error.h"

namespace walduct::rabbitmq {
namespace {

constexpr amqp_channel_t kMessages = 1, kDeclarations = 2;
constexpr int kFrameBytes = 131072;

amqp_bytes_t BytesOf(absl::string_view text) {
  return {.len = text.size(), .bytes = const_cast<char*>(text.data())};
}
absl::string_view TextIn(const amqp_bytes_t& bytes) {
  return {static_cast<const char*>(bytes.bytes), bytes.len};
}

amqp_table_entry_t Truth(const char* name) {
  return {.key = amqp_cstring_bytes(name),
          .value = {.kind = AMQP_FIELD_KIND_BOOLEAN, .value = {.boolean = 1}}};
}
amqp_table_entry_t Utf8(const char* name, absl::string_view text) {
  return {.key = amqp_cstring_bytes(name),
          .value = {.kind = AMQP_FIELD_KIND_UTF8, .value = {.bytes = BytesOf(text)}}};
}

// AMQP's code and text; 0: it is no close.
std::pair<int, std::string> Closed(const amqp_method_t& method) {
  if (method.id == AMQP_CONNECTION_CLOSE_METHOD) {
    const auto* const close = static_cast<const amqp_connection_close_t*>(method.decoded);
    return {close->reply_code, std::string(TextIn(close->reply_text))};
  }
  if (method.id == AMQP_CHANNEL_CLOSE_METHOD) {
    const auto* const close = static_cast<const amqp_channel_close_t*>(method.decoded);
    return {close->reply_code, std::string(TextIn(close->reply_text))};
  }
  return {0, ""};
}

}  // namespace

std::string TextOf(const Address& address) { return absl::StrCat(address.host, ":", address.port); }

std::string AddressOf(const RabbitOptions& options) {
  return absl::StrJoin(options.addresses, ", ", [](std::string* out, const Address& address) {
    absl::StrAppend(out, TextOf(address));
  });
}

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(const RabbitOptions& options) {
  absl::Status last;
  for (const Address& address : options.addresses) {
    std::unique_ptr<Connection> connection(new Connection(TextOf(address)));
    last = connection->Connect(options, address);
    if (last.ok()) return connection;
  }
  return last;
}

Connection::Connection(std::string address)
    : address_(std::move(address)), state_(amqp_new_connection()) {
  CHECK(state_ != nullptr);
}

// What is on its way is sent again by whoever wants it: it is not to come behind that.
Connection::~Connection() {
  if (fd() >= 0) {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    setsockopt(fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  }
  amqp_destroy_connection(state_);
}

absl::Status Connection::Connect(const RabbitOptions& options, const Address& address) {
  amqp_socket_t* socket = nullptr;
  if (options.tls.enabled) {
    ASSIGN_OR_RETURN(socket, MakeTlsSocket(options.tls, address.host, state_, &handshake_));
  } else {
    socket = amqp_tcp_socket_new(state_);
  }
  if (socket == nullptr) return Unreachable(address_, "no memory is left");
  timeval timeout = absl::ToTimeval(options.connect_timeout);
  const int opened = amqp_socket_open_noblock(socket, address.host.c_str(), address.port, &timeout);
  if (opened != AMQP_STATUS_OK)
    return options.tls.enabled ? HandshakeError(handshake_, address_, opened) : Failed(opened);
  amqp_set_handshake_timeout(state_, &timeout);
  timeval answer = absl::ToTimeval(options.answer_timeout);
  amqp_set_rpc_timeout(state_, &answer);
  RETURN_IF_ERROR(LogIn(options));
  amqp_channel_open(state_, kMessages);
  RETURN_IF_ERROR(Answered(amqp_get_rpc_reply(state_)));
  amqp_confirm_select(state_, kMessages);
  return Answered(amqp_get_rpc_reply(state_));
}

absl::Status Connection::LogIn(const RabbitOptions& options) {
  amqp_table_entry_t abilities[] = {Truth("connection.blocked"), Truth("publisher_confirms"),
                                    Truth("basic.nack")};
  amqp_table_entry_t told[] = {
      {.key = amqp_cstring_bytes("capabilities"),
       .value = {.kind = AMQP_FIELD_KIND_TABLE,
                 .value = {.table = {.num_entries = 3, .entries = abilities}}}},
      Utf8("connection_name", options.connection_name)};
  const amqp_table_t properties{.num_entries = 2, .entries = told};
  const amqp_rpc_reply_t reply = amqp_login_with_properties(
      state_, options.virtual_host.c_str(), 0, kFrameBytes, options.heartbeat_seconds, &properties,
      AMQP_SASL_METHOD_PLAIN, options.user.c_str(), options.password.c_str());
  if (reply.reply_type != AMQP_RESPONSE_SERVER_EXCEPTION) return Answered(reply);
  const auto [code, text] = Closed(reply.reply);
  return CloseError(code, text, address_, While::kLoggingIn);
}

absl::Status Connection::Failed(int status) const {
  return Unreachable(address_, status == AMQP_STATUS_HEARTBEAT_TIMEOUT
                                   ? "it sent no heartbeat"
                                   : amqp_error_string2(status));
}

absl::Status Connection::Answered(const amqp_rpc_reply_t& reply) {
  switch (reply.reply_type) {
    case AMQP_RESPONSE_NORMAL:
      return absl::OkStatus();
    case AMQP_RESPONSE_LIBRARY_EXCEPTION:
      return Failed(reply.library_error);
    default:
      break;
  }
  const auto [code, text] = Closed(reply.reply);
  if (code == 0) return Unreachable(address_, "it sent what nobody expects");
  if (reply.reply.id == AMQP_CHANNEL_CLOSE_METHOD) {
    amqp_channel_close_ok_t ok{};
    amqp_send_method(state_, kDeclarations, AMQP_CHANNEL_CLOSE_OK_METHOD, &ok);
    declares_ = false;
  }
  return CloseError(code, text, address_, While::kWorking);
}

absl::Status Connection::Publish(absl::string_view exchange, absl::string_view routing_key,
                                 bool mandatory, const amqp_basic_properties_t& properties,
                                 absl::string_view body) {
  const int status = amqp_basic_publish(state_, kMessages, BytesOf(exchange), BytesOf(routing_key),
                                        mandatory, false, &properties, BytesOf(body));
  return status == AMQP_STATUS_OK ? absl::OkStatus() : Failed(status);
}

bool Connection::HasRoom() const {
  pollfd one = {.fd = fd(), .events = POLLOUT, .revents = 0};
  return poll(&one, 1, 0) > 0;
}

absl::StatusOr<Event> Connection::Next() {
  while (true) {
    amqp_maybe_release_buffers(state_);
    amqp_frame_t frame;
    timeval now{};
    const int status = amqp_simple_wait_frame_noblock(state_, &frame, &now);
    if (status == AMQP_STATUS_TIMEOUT) return Event();
    if (status != AMQP_STATUS_OK) return Failed(status);
    if (frame.frame_type != AMQP_FRAME_METHOD) continue;
    ASSIGN_OR_RETURN(Event event, OnMethod(frame));
    if (event.kind != Event::Kind::kNothing) return event;
  }
}

absl::StatusOr<Event> Connection::OnMethod(const amqp_frame_t& frame) {
  const amqp_method_t& method = frame.payload.method;
  if (const auto [code, text] = Closed(method); code != 0)
    return CloseError(code, text, address_, While::kWorking);
  switch (method.id) {
    case AMQP_BASIC_ACK_METHOD: {
      const auto* const ack = static_cast<const amqp_basic_ack_t*>(method.decoded);
      return Event{.kind = Event::Kind::kConfirmed,
                   .tag = ack->delivery_tag,
                   .multiple = ack->multiple != 0};
    }
    case AMQP_BASIC_NACK_METHOD: {
      const auto* const nack = static_cast<const amqp_basic_nack_t*>(method.decoded);
      return Event{.kind = Event::Kind::kRefused,
                   .tag = nack->delivery_tag,
                   .multiple = nack->multiple != 0};
    }
    case AMQP_BASIC_RETURN_METHOD: {
      const auto* const back = static_cast<const amqp_basic_return_t*>(method.decoded);
      Event event{.kind = Event::Kind::kReturned,
                  .exchange = std::string(TextIn(back->exchange)),
                  .routing_key = std::string(TextIn(back->routing_key)),
                  .text = absl::StrCat(TextIn(back->reply_text), " (", back->reply_code, ")")};
      amqp_message_t message;
      RETURN_IF_ERROR(Answered(amqp_read_message(state_, kMessages, &message, 0)));
      event.body = std::string(TextIn(message.body));
      amqp_destroy_message(&message);
      return event;
    }
    case AMQP_CONNECTION_BLOCKED_METHOD:
      return Event{.kind = Event::Kind::kBlocked,
                   .text = std::string(TextIn(
                       static_cast<const amqp_connection_blocked_t*>(method.decoded)->reason))};
    case AMQP_CONNECTION_UNBLOCKED_METHOD:
      return Event{.kind = Event::Kind::kUnblocked};
    default:
      return Event();
  }
}

absl::Status Connection::OpenDeclarations() {
  if (declares_) return absl::OkStatus();
  amqp_channel_open(state_, kDeclarations);
  RETURN_IF_ERROR(Answered(amqp_get_rpc_reply(state_)));
  declares_ = true;
  return absl::OkStatus();
}

absl::Status Connection::CheckExchange(const std::string& name) {
  RETURN_IF_ERROR(OpenDeclarations());
  amqp_exchange_declare_t request{};
  request.exchange = BytesOf(name);
  request.type = amqp_cstring_bytes("direct");
  request.passive = 1;
  amqp_method_number_t answers[] = {AMQP_EXCHANGE_DECLARE_OK_METHOD, 0};
  return Answered(
      amqp_simple_rpc(state_, kDeclarations, AMQP_EXCHANGE_DECLARE_METHOD, answers, &request));
}

absl::Status Connection::DeclareQueue(const QueueSpec& queue) {
  RETURN_IF_ERROR(OpenDeclarations());
  amqp_table_entry_t type = Utf8("x-queue-type", queue.type);
  const amqp_table_t arguments{.num_entries = queue.type.empty() ? 0 : 1, .entries = &type};
  amqp_queue_declare(state_, kDeclarations, BytesOf(queue.name), false, queue.durable, false, false,
                     arguments);
  return Answered(amqp_get_rpc_reply(state_));
}

absl::Status Connection::Bind(const std::string& queue, const std::string& exchange,
                              const std::string& routing_key) {
  RETURN_IF_ERROR(OpenDeclarations());
  amqp_queue_bind(state_, kDeclarations, BytesOf(queue), BytesOf(exchange), BytesOf(routing_key),
                  amqp_empty_table);
  return Answered(amqp_get_rpc_reply(state_));
}

}  // namespace walduct::rabbitmq
