/* Appended to src/rdkafka_header.c by scripts/deps.
 *
 * Headers of messages as one piece of memory: what they are on the wire, behind what counts who has them. Without it a message
 * takes an allocation for the list, one for its elements and one for each header, and each is written field by field. */

static size_t header_text_size(const rd_kafka_header_text_t *text) {
        char length[RD_UVARINT_ENC_SIZEOF(int64_t)];
        return text->name_size + rd_uvarint_enc_i64(length, sizeof(length), (int64_t)text->name_size) + text->value_size +
               rd_uvarint_enc_i64(length, sizeof(length), text->value ? (int64_t)text->value_size : -1);
}

static char *put_header_text(char *end, const rd_kafka_header_text_t *text) {
        end += rd_uvarint_enc_i64(end, RD_UVARINT_ENC_SIZEOF(int64_t), (int64_t)text->name_size);
        memcpy(end, text->name, text->name_size);
        end += text->name_size;
        end += rd_uvarint_enc_i64(end, RD_UVARINT_ENC_SIZEOF(int64_t), text->value ? (int64_t)text->value_size : -1);
        if (text->value_size > 0)
                memcpy(end, text->value, text->value_size);
        return end + text->value_size;
}

rd_kafka_headers_t *rd_kafka_headers_make(const rd_kafka_header_text_t *texts, size_t count) {
        rd_kafka_headers_t *hdrs;
        size_t size = 0, i;
        char *end;

        for (i = 0; i < count; i++)
                size += header_text_size(&texts[i]);
        hdrs = rd_malloc(sizeof(*hdrs) + size);
        memset(&hdrs->rkhdrs_list, 0, sizeof(hdrs->rkhdrs_list));
        hdrs->rkhdrs_list.rl_cnt = (int)count;
        hdrs->rkhdrs_ser_size    = size;
        hdrs->rkhdrs_wire = end = (char *)(hdrs + 1);
        rd_atomic32_init(&hdrs->rkhdrs_shares, 0);
        for (i = 0; i < count; i++)
                end = put_header_text(end, &texts[i]);
        rd_assert((size_t)(end - hdrs->rkhdrs_wire) == size);
        return hdrs;
}

rd_kafka_headers_t *rd_kafka_headers_share(rd_kafka_headers_t *hdrs) {
        rd_atomic32_add(&hdrs->rkhdrs_shares, 1);
        return hdrs;
}
