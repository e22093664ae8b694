#include "admin/reasons/tables.h"

namespace walduct::admin {
namespace {

constexpr Reason kRows[] = {
    {.name = "rabbitmq_authentication_failed",
     .meaning = "RabbitMQ refuses the login.",
     .remedy = "Correct sink.rabbitmq.connection.username and .password. guest may log in from "
               "the same machine alone."},
    {.name = "rabbitmq_blocked",
     .meaning = "An alarm of memory or disk is on: RabbitMQ takes nothing from publishers.",
     .remedy = "Give it memory or disk, or let consumers empty the queues. It waits."},
    {.name = "rabbitmq_nack",
     .meaning = "RabbitMQ refuses a message, as where a queue is full (reject-publish).",
     .remedy = "Make room. It waits; walduct.sink.rabbitmq.nack=refuse follows "
               "walduct.errors.refused instead."},
    {.name = "rabbitmq_no_exchange",
     .meaning = "There is no such exchange in the virtual host.",
     .remedy = "Declare it, or correct sink.rabbitmq.exchange. A start stops, later it waits."},
    {.name = "rabbitmq_permission_denied",
     .meaning = "The user may not write to the exchange, or not declare the queue.",
     .remedy = "rabbitmqctl set_permissions -p VHOST USER CONFIGURE WRITE READ."},
    {.name = "rabbitmq_precondition_failed",
     .meaning = "A queue is there with other properties than it would be declared with.",
     .remedy = "Set sink.rabbitmq.routingKeyDurable and walduct.sink.rabbitmq.queue.type as it has "
               "them, or delete it."},
    {.name = "rabbitmq_refused",
     .meaning = "RabbitMQ closed the connection for a reason that nobody foresaw.",
     .remedy = "The message has its words and number; see its log."},
    {.name = "rabbitmq_unavailable",
     .meaning = "RabbitMQ cannot be reached, closed the connection, or does not confirm in time.",
     .remedy = "Check that it runs, and sink.rabbitmq.connection.host and .port. It connects again "
               "and again."},
    {.name = "rabbitmq_unroutable",
     .meaning = "No queue takes a message: RabbitMQ would drop it.",
     .remedy = "Bind a queue. It waits; walduct.sink.rabbitmq.unroutable=refuse follows "
               "walduct.errors.refused instead."},
    {.name = "rabbitmq_virtual_host",
     .meaning = "There is no such virtual host, or the user may not enter it.",
     .remedy = "Correct sink.rabbitmq.connection.virtual.host, or rabbitmqctl set_permissions."},
};

}  // namespace

absl::Span<const Reason> RabbitMqReasons() { return kRows; }

}  // namespace walduct::admin
