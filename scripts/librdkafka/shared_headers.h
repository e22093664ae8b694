/* Inserted into src/rdkafka.h, behind rd_kafka_headers_copy, by scripts/deps.
 *
 * One reference more to a list of headers, which must not be changed from now on. Each reference is given back by
 * rd_kafka_headers_destroy(), or by the message that took it over. The first call: one thread, before the list is in a message. */
#define RD_KAFKA_HEADERS_SHARE 1
RD_EXPORT rd_kafka_headers_t *rd_kafka_headers_share(rd_kafka_headers_t *hdrs);
