#include "admin/reasons/tables.h"

namespace walduct::admin {
namespace {

constexpr Reason kRows[] = {
    {.name = "rabbitmq_authentication_failed",
     .meaning = "RabbitMQ refuses the login.",
     .remedy = "Correct sink.rabbitmq.connection.username and .password, or set it: rabbitmqctl "
               "change_password USER PASSWORD. guest may log in from the same machine alone. A "
               "start stops, later it is tried again."},
    {.name = "rabbitmq_blocked",
     .meaning = "An alarm of memory or disk is on: RabbitMQ takes nothing from publishers. Nothing "
                "is lost; the slot keeps the WAL.",
     .remedy =
         "rabbitmq-diagnostics alarms says which. Give it memory or disk, as with rabbitmqctl "
         "set_vm_memory_high_watermark 0.6, or let consumers empty the queues. It waits, "
         "however long."},
    {.name = "rabbitmq_nack",
     .meaning = "RabbitMQ refuses a message, as where a queue is full (reject-publish). Nothing is "
                "lost; the slot keeps the WAL.",
     .remedy = "Make room: rabbitmqctl list_queues name messages arguments shows the queue. It is "
               "sent again each second; walduct.sink.rabbitmq.nack=refuse follows "
               "walduct.errors.refused instead."},
    {.name = "rabbitmq_no_exchange",
     .meaning = "There is no such exchange in the virtual host.",
     .remedy = "Declare it (rabbitmqadmin declare exchange name=EXCHANGE type=topic), or correct "
               "sink.rabbitmq.exchange. A start stops, later it waits."},
    {.name = "rabbitmq_permission_denied",
     .meaning = "The user may not write to the exchange, or not declare the queue.",
     .remedy = "rabbitmqctl set_permissions -p VHOST USER CONFIGURE WRITE READ. A start stops, "
               "later it is tried again."},
    {.name = "rabbitmq_precondition_failed",
     .meaning = "A queue is there with other properties than it would be declared with.",
     .remedy = "Set sink.rabbitmq.routingKeyDurable and walduct.sink.rabbitmq.queue.type as it has "
               "them (rabbitmqctl list_queues name durable type), or delete it."},
    {.name = "rabbitmq_refused",
     .meaning = "RabbitMQ closed the connection for a reason that nobody foresaw.",
     .remedy = "The message has its words and number; see its log."},
    {.name = "rabbitmq_tls_failed",
     .meaning = "TLS with RabbitMQ cannot be set up: its certificate is not trusted or names "
                "another host, ours cannot be read, or the port speaks no TLS.",
     .remedy = "Name its authority in sink.rabbitmq.connection.ssl.trust.store, ours in "
               "….ssl.key.store, and the port that has TLS (5671). A start stops, later it is "
               "tried again."},
    {.name = "rabbitmq_unavailable",
     .meaning = "RabbitMQ cannot be reached, closed the connection, or does not confirm in time.",
     .remedy = "Check that it runs, and sink.rabbitmq.connection.host and .port. It connects again "
               "and again; what was not confirmed is sent again. The slot keeps the WAL."},
    {.name = "rabbitmq_unroutable",
     .meaning = "No queue takes a message: RabbitMQ would drop it. Nothing is lost; the slot keeps "
                "the WAL.",
     .remedy = "Bind a queue: rabbitmqadmin declare binding source=EXCHANGE destination=QUEUE "
               "routing_key=KEY. It is sent again each second; "
               "walduct.sink.rabbitmq.unroutable=refuse follows walduct.errors.refused instead."},
    {.name = "rabbitmq_virtual_host",
     .meaning = "There is no such virtual host, or the user may not enter it.",
     .remedy = "Correct sink.rabbitmq.connection.virtual.host, or rabbitmqctl add_vhost VHOST and "
               "set_permissions. A start stops, later it is tried again."},
};

}  // namespace

absl::Span<const Reason> RabbitMqReasons() { return kRows; }

}  // namespace walduct::admin
