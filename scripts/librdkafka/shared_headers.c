/* Appended to src/rdkafka_header.c by scripts/deps.
 *
 * Headers that many messages have in common: one list, counted, and its bytes on the wire written once. Without it each message
 * takes an allocation for the list, one for its elements and one for each header, and each is written field by field. */

static char *headers_wire(const rd_kafka_headers_t *hdrs) {
        char *wire = rd_malloc(hdrs->rkhdrs_ser_size + 1);
        char *end  = wire;
        const rd_kafka_header_t *hdr;
        int i;

        RD_LIST_FOREACH(hdr, &hdrs->rkhdrs_list, i) {
                end += rd_uvarint_enc_i64(end, RD_UVARINT_ENC_SIZEOF(int64_t), (int64_t)hdr->rkhdr_name_size);
                memcpy(end, hdr->rkhdr_name, hdr->rkhdr_name_size);
                end += hdr->rkhdr_name_size;
                end += rd_uvarint_enc_i64(end, RD_UVARINT_ENC_SIZEOF(int64_t),
                                          hdr->rkhdr_value ? (int64_t)hdr->rkhdr_value_size : -1);
                if (hdr->rkhdr_value_size > 0)
                        memcpy(end, hdr->rkhdr_value, hdr->rkhdr_value_size);
                end += hdr->rkhdr_value_size;
        }
        rd_assert((size_t)(end - wire) == hdrs->rkhdrs_ser_size);
        return wire;
}

rd_kafka_headers_t *rd_kafka_headers_share(rd_kafka_headers_t *hdrs) {
        if (!hdrs->rkhdrs_wire)
                hdrs->rkhdrs_wire = headers_wire(hdrs);
        rd_atomic32_add(&hdrs->rkhdrs_shares, 1);
        return hdrs;
}
