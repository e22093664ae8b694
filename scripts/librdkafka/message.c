/* Takes the place of rd_kafka_msgset_writer_write_msg_v2() in src/rdkafka_msgset_writer.c; inserted by scripts/deps.
 *
 * A record of a batch (record format 2) in four to six writes to the buffer in the place of eleven and four a header. */

/* The longest: length, attributes, timestamp, offset and length of the key; a key that fits; length of the value. */
enum { MSG_LENGTH = RD_UVARINT_ENC_SIZEOF(int64_t), MSG_FIELDS = 1 + 2 * RD_UVARINT_ENC_SIZEOF(int64_t) + RD_UVARINT_ENC_SIZEOF(int32_t),
       MSG_KEY = 128 };

static size_t rd_kafka_msgset_writer_write_msg_v2(rd_kafka_msgset_writer_t *msetw,
                                                  rd_kafka_msg_t *rkm,
                                                  int64_t Offset,
                                                  int8_t MsgAttributes,
                                                  void (*free_cb)(void *)) {
        rd_kafka_buf_t *rkbuf             = msetw->msetw_rkbuf;
        const rd_kafka_headers_t *headers = rkm->rkm_headers;
        const size_t headers_size         = headers ? headers->rkhdrs_ser_size : 0;
        const size_t key_size             = rkm->rkm_key ? rkm->rkm_key_len : 0;
        const int key_fits                = key_size <= MSG_KEY;
        char head[MSG_LENGTH + MSG_FIELDS + MSG_KEY + RD_UVARINT_ENC_SIZEOF(int32_t)];
        char length[MSG_LENGTH], value_length[RD_UVARINT_ENC_SIZEOF(int32_t)], count[RD_UVARINT_ENC_SIZEOF(int32_t)];
        char *end = head + MSG_LENGTH;
        size_t value_length_size, count_size, length_size, size;

        *end++ = 0; /* of this format's attributes none is a record's */
        end += rd_uvarint_enc_i64(end, RD_UVARINT_ENC_SIZEOF(int64_t), rkm->rkm_timestamp - msetw->msetw_firstmsg.timestamp);
        end += rd_uvarint_enc_i64(end, RD_UVARINT_ENC_SIZEOF(int64_t), Offset);
        end += rd_uvarint_enc_i32(end, RD_UVARINT_ENC_SIZEOF(int32_t),
                                  rkm->rkm_key ? (int32_t)rkm->rkm_key_len : (int32_t)RD_KAFKAP_BYTES_LEN_NULL);
        value_length_size = rd_uvarint_enc_i32(value_length, sizeof(value_length),
                                               rkm->rkm_payload ? (int32_t)rkm->rkm_len : (int32_t)RD_KAFKAP_BYTES_LEN_NULL);
        count_size = rd_uvarint_enc_i32(count, sizeof(count), headers ? (int32_t)headers->rkhdrs_list.rl_cnt : 0);

        /* What stands behind the length, which is as long as it must be: it is put right before the rest. */
        size = (size_t)(end - head) - MSG_LENGTH + key_size + value_length_size + rkm->rkm_len + count_size + headers_size;
        length_size = rd_uvarint_enc_i64(length, sizeof(length), (int64_t)size);
        memcpy(head + MSG_LENGTH - length_size, length, length_size);

        if (key_fits) {
                if (key_size > 0)
                        memcpy(end, rkm->rkm_key, key_size);
                memcpy(end + key_size, value_length, value_length_size);
                end += key_size + value_length_size;
        }
        rd_kafka_buf_write(rkbuf, head + MSG_LENGTH - length_size, (size_t)(end - head) - MSG_LENGTH + length_size);
        if (!key_fits) {
                rd_kafka_buf_write(rkbuf, rkm->rkm_key, key_size);
                rd_kafka_buf_write(rkbuf, value_length, value_length_size);
        }
        if (rkm->rkm_payload)
                rd_kafka_msgset_writer_write_msg_payload(msetw, rkm, free_cb);
        rd_kafka_buf_write(rkbuf, count, count_size);
        if (headers && headers->rkhdrs_wire)
                rd_kafka_buf_write(rkbuf, headers->rkhdrs_wire, headers_size);
        else if (headers)
                rd_kafka_msgset_writer_write_msg_headers(msetw, headers);
        return size + length_size;
}
