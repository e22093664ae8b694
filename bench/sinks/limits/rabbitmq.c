// What a plain client makes of RabbitMQ on this machine: persistent messages with confirms through
// an exchange, 1,000 of them on their way at once.   rabbitmq HOST PORT EXCHANGE MESSAGES BYTES
#include <amqp.h>
#include <amqp_tcp_socket.h>

#include "limit.h"

enum { kWindow = 1000 };

static char* settled;     // by number of a message
static long all_before;   // have been confirmed
static long count_settled;

static void settle(long number) {
  count_settled += !settled[number];
  settled[number] = 1;
}

static int take_confirm(amqp_connection_state_t connection) {
  amqp_frame_t frame;
  if (amqp_simple_wait_frame(connection, &frame) != AMQP_STATUS_OK ||
      frame.frame_type != AMQP_FRAME_METHOD || frame.payload.method.id != AMQP_BASIC_ACK_METHOD)
    return 0;
  const amqp_basic_ack_t ack = *(amqp_basic_ack_t*)frame.payload.method.decoded;
  if (!ack.multiple) settle((long)ack.delivery_tag);
  while (ack.multiple && all_before < (long)ack.delivery_tag) settle(++all_before);
  amqp_maybe_release_buffers(connection);
  return 1;
}

int main(int count, char** arguments) {
  if (count != 6) return 2;
  const long messages = atol(arguments[4]), bytes = atol(arguments[5]);
  const amqp_bytes_t body = {(size_t)bytes, body_of(bytes)};
  const amqp_bytes_t exchange = amqp_cstring_bytes(arguments[3]);
  settled = calloc((size_t)messages + 1, 1);
  amqp_connection_state_t connection = amqp_new_connection();
  amqp_socket_t* const socket = amqp_tcp_socket_new(connection);
  if (amqp_socket_open(socket, arguments[1], atoi(arguments[2])) != AMQP_STATUS_OK)
    return failed("no connection");
  amqp_login(connection, "/", 0, 131072, 0, AMQP_SASL_METHOD_PLAIN, "guest", "guest");
  amqp_channel_open(connection, 1);
  amqp_confirm_select(connection, 1);
  if (amqp_get_rpc_reply(connection).reply_type != AMQP_RESPONSE_NORMAL)
    return failed("no confirms");
  const amqp_basic_properties_t properties = {._flags = AMQP_BASIC_DELIVERY_MODE_FLAG,
                                              .delivery_mode = 2};
  const double begin = seconds();
  for (long sent = 0; count_settled < messages;) {
    if (sent < messages && sent - count_settled < kWindow) {
      if (amqp_basic_publish(connection, 1, exchange, exchange, 0, 0, &properties, body) != 0)
        return failed("refused");
      ++sent;
    } else if (!take_confirm(connection)) {
      return failed("not confirmed");
    }
  }
  return printed(messages, begin);
}
