/* Inserted into src/rdkafka.h, behind rd_kafka_headers_copy, by scripts/deps.
 *
 * Headers for messages that are produced, of one or of many. They can be neither changed nor read. */
#define RD_KAFKA_HEADERS_MAKE 1
typedef struct rd_kafka_header_text_s {
        const char *name;
        size_t name_size;
        const char *value; /* NULL: null, and value_size 0 */
        size_t value_size;
} rd_kafka_header_text_t;
/* Copies the texts. */
RD_EXPORT rd_kafka_headers_t *rd_kafka_headers_make(const rd_kafka_header_text_t *texts, size_t count);
/* One reference more. Each is given back by rd_kafka_headers_destroy(), or by the message that took it over. */
RD_EXPORT rd_kafka_headers_t *rd_kafka_headers_share(rd_kafka_headers_t *hdrs);
