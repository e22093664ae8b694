# librdkafka: where it comes from, what is changed in it, how it is built. Sourced by scripts/deps.

LIBRDKAFKA_MIN=2.3.0
LIBRDKAFKA_VERSION=2.15.1
LIBRDKAFKA_NPM=@confluentinc/kafka-javascript@1.10.1
LIBRDKAFKA_BUILD=12  # how it is built; a higher number builds it anew
LIBRDKAFKA_SHA256=ada7d703bb1d3237e2292bfabf438d663b6160c9f1ac2a2406b5dc4257c81b66

# An idempotent producer has one batch of a partition in flight. While that batch is on its way and more waits behind it,
# librdkafka's broker thread polls without sleeping, although nothing but the answer lets it go on. Here it sleeps until the
# answer comes: half of the producer's CPU time under load.
#
# Headers are one piece of memory, as they are on the wire; all records of a connector have the same as a rule, and share them. A
# record is written in few pieces (librdkafka/).
#
# A request of the admin interface that waits for a broker asks for a connection whenever the broker's state changes, which
# makes it try at once; it is refused, which changes its state: thousands of attempts a second, most of a core, as long as
# the broker is away. Here two attempts are 250 ms apart at least.
#
# A broker that was frozen for longer than its session answers, until it has joined again, that the cluster has no broker.
# librdkafka then gives up each that it knows, and when a look at bootstrap.servers is called off by an answer, it takes it for under way
# and never looks again: it sends nothing any more. Here such an answer takes no broker away, as in Kafka's own client, and a look that is
# called off is not under way. A source that does not look as expected is refused.
librdkafka_patch() {
  librdkafka_patch_broker && librdkafka_patch_brokers && librdkafka_patch_headers && librdkafka_patch_produce
}

librdkafka_patch_broker() {
  local file=src/rdkafka_broker.c
  sed -i '/^static int rd_kafka_broker_connect(/,/^}/ {
    s/^ *rd_atomic32_add(&rkb->rkb_c.connects, 1);$/&\n        rkb->rkb_ts_connect = rd_clock();/
  }
  /Expedite next reconnect/ {
    n; s/rkb->rkb_ts_reconnect = 0;/rkb->rkb_ts_reconnect = RD_MIN(rkb->rkb_ts_reconnect, rkb->rkb_ts_connect + 250000);/
  }' "$file"
  [ "$(grep -cE 'rkb_ts_connect (=|\+ 250000)' "$file")" = 3 ] || return 1
  sed -i '/^static int rd_kafka_toppar_producer_serve(/,/^}/ {
    s/^ *int cnt = 0;$/        const rd_ts_t idle_wakeup = *next_wakeup;\n&/
    /^ *if (max_requests <= 0)$/ { n; s/return 0;$/{ *next_wakeup = idle_wakeup; return 0; }/ }
  }' "$file"
  [ "$(grep -c idle_wakeup "$file")" = 2 ]
}

librdkafka_patch_brokers() {
  local file=src/rdkafka_metadata.c
  sed -i '/^static void rd_kafka_metadata_decommission_unavailable_brokers(/,/^}/ {
    0,/^ *rd_kafka_wrlock(rk);$/ s/^ *rd_kafka_wrlock(rk);$/        if (md->broker_cnt == 0)\n                return;\n\n&/
  }' "$file"
  [ "$(grep -c '^ *if (md->broker_cnt == 0)$' "$file")" = 1 ] || return 1
  file=src/rdkafka.c
  sed -i '/^int rd_kafka_rebootstrap_tmr_stop(/,/^}/ {
    s/^ *return rd_kafka_timer_stop(/        const int stopped = rd_kafka_timer_stop(/
    s/^ *rd_true \/\* lock \*\/);$/&\n        if (stopped)\n                rd_atomic32_set(\&rk->rk_rebootstrap_in_progress, 0);\n        return stopped;/
  }' "$file"
  [ "$(grep -cE '^ *(const int stopped =|return stopped;)' "$file")" = 2 ]
}

# Averages that nobody asked for take no lock, and the time of a message is read once.
librdkafka_patch_produce() {
  sed -i '/^static RD_UNUSED void rd_avg_add(/,/^}/ s/^ *mtx_lock(/        if (!ra->ra_enabled)\n                return;\n&/' src/rdavg.h
  sed -i 's/^\( *rd_kafka_toppar_enq_msg(rktp_new, rkm, \)rd_clock());/\1do_lock ? rkm->rkm_ts_enq : rd_clock());/' src/rdkafka_msg.c
  [ "$(grep -c 'if (!ra->ra_enabled)$' src/rdavg.h)" = 1 ] && grep -q 'do_lock ? rkm->rkm_ts_enq' src/rdkafka_msg.c
}

librdkafka_patch_headers() {
  local ours="$ROOT/scripts/librdkafka" file
  sed -i 's/^struct rd_kafka_headers_s {$/&\n        rd_atomic32_t rkhdrs_shares;\n        char rkhdrs_line[64]; \/* between what threads write and what they read, the wire behind it included *\/\n        char *rkhdrs_wire;/' \
    src/rdkafka_header.h
  [ "$(grep -c '^ *\(char \*rkhdrs_wire\|rd_atomic32_t rkhdrs_shares\);' src/rdkafka_header.h)" = 2 ] || return 1
  sed -i 's/^ *\(hdrs\|dst\)->rkhdrs_ser_size = 0;.*/&\n        \1->rkhdrs_wire = NULL;\n        rd_atomic32_init(\&\1->rkhdrs_shares, 0);/
    /^void rd_kafka_headers_destroy(/ {
      s/$/\n        if (rd_atomic32_sub(\&hdrs->rkhdrs_shares, 1) >= 0)\n                return;\n        if (hdrs->rkhdrs_wire) {\n                rd_free(hdrs);\n                return;\n        }/
    }' src/rdkafka_header.c
  [ "$(grep -c 'rkhdrs_shares' src/rdkafka_header.c)" = 3 ] || return 1
  cat "$ours/shared_headers.c" >>src/rdkafka_header.c
  sed -i "/^rd_kafka_headers_copy(const rd_kafka_headers_t \*src);/r $ours/shared_headers.h" src/rdkafka.h
  grep -q RD_KAFKA_HEADERS_MAKE src/rdkafka.h || return 1
  file=src/rdkafka_msgset_writer.c
  sed -i '/^static size_t$/ { N
    /\nrd_kafka_msgset_writer_write_msg_v2(/ { :more
      N; /\n}$/!b more
      r '"$ours/message.c"'
      d } }' "$file"
  grep -q 'key_fits' "$file" && ! grep -q 'sz_KeyLen' "$file"
}

# SCRAM and PLAIN need OpenSSL only; Kerberos and the HTTP client would pull in much more. LZ4 and snappy are
# compiled in. Link with: ssl crypto z zstd dl pthread m. librdkafka_make PREFIX CFLAGS OPTION...
librdkafka_make() {
  CFLAGS="$2" logged librdkafka-configure ./configure --prefix="$1" --enable-static --enable-ssl --enable-zlib \
    --enable-zstd --disable-lz4-ext --disable-gssapi --disable-curl --disable-debug-symbols "${@:3}" &&
    logged librdkafka-make make -j"$(nproc)" -C src librdkafka.a
}

# What no record passes through: half of the sources, which are compiled in less time and into less code.
LIBRDKAFKA_COLD=(rdkafka_{admin,mock,mock_handlers,mock_cgrp,mock_sharegrp,cgrp,conf,txnmgr,metadata,metadata_cache,coord,cert}
  rdkafka_{range,roundrobin,sticky}_assignor rdkafka_{assignor,assignment,aux,feature,error,pattern,subscription}
  rdkafka_telemetry{,_encode,_decode} rdkafka_sasl{,_plain,_scram,_oauthbearer} rdunittest{,_fetcher,_acknowledge,_msgset_errors} cJSON)

librdkafka_compile() {
  local prefix=$1
  # Hardened as walduct itself is: it reads what brokers send.
  local flags="-O2 -ffunction-sections -fdata-sections -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2"
  [ "$(uname -m)" != x86_64 ] || flags+=" -fcf-protection"
  printf '%s: CFLAGS:=$(CFLAGS) -O1\n' "$(printf '%s.o ' "${LIBRDKAFKA_COLD[@]}")" >>src/Makefile
  librdkafka_make "$prefix" "$flags" &&
    mkdir -p "$prefix/include/librdkafka" "$prefix/lib" &&
    install -m 644 src/rdkafka.h src/rdkafka_mock.h "$prefix/include/librdkafka/" &&
    install -m 644 src/librdkafka.a LICENSES.txt "$prefix/lib/" &&
    echo "-lssl -lcrypto -lz -lzstd -ldl -lpthread -lm" >"$prefix/lib/link-flags"
}

# ThreadSanitizer does not know the threads and mutexes of <threads.h>, and each lock that it does not see is a false report.
librdkafka_compile_tsan() {
  export LDFLAGS=-fsanitize=thread
  librdkafka_make "$1" -fsanitize=thread --disable-c11threads --disable-optimization &&
    grep -q __tsan_read src/librdkafka.a &&
    mkdir -p "$1/lib" &&
    install -m 644 src/librdkafka.a "$1/lib/librdkafka-tsan.a"
}

# librdkafka_source DIR: its source, with our changes.
librdkafka_source() {
  npm_unpack "$LIBRDKAFKA_NPM" "$LIBRDKAFKA_SHA256" "$1"
  (cd "$1/deps/librdkafka" && librdkafka_patch) || die "librdkafka $LIBRDKAFKA_VERSION: its source is not as expected"
}

tsan() {
  local source="$DEPS/build/librdkafka-tsan" version="$LIBRDKAFKA_VERSION-$LIBRDKAFKA_BUILD-thread"
  build
  [ -f "$DEPS/librdkafka/lib/librdkafka.a" ] || die "the librdkafka of the system is in use; preset tsan needs one that was built here"
  done_before librdkafka-tsan "$version" && return 0
  say "building librdkafka $LIBRDKAFKA_VERSION for ThreadSanitizer (about two minutes on two cores)"
  librdkafka_source "$source"
  (cd "$source/deps/librdkafka" && librdkafka_compile_tsan "$DEPS/librdkafka") ||
    die "librdkafka did not build (logs: .deps/log/librdkafka-*.log)"
  rm -rf "$source"
  mark_done librdkafka-tsan "$version"
}

librdkafka() {
  local prefix="$DEPS/librdkafka" source="$DEPS/build/librdkafka" feature
  done_before librdkafka "$LIBRDKAFKA_VERSION-$LIBRDKAFKA_BUILD" && return 0
  if pkg-config --atleast-version="$LIBRDKAFKA_MIN" rdkafka 2>/dev/null; then return 0; fi
  need_space "$DEPS" 500
  say "building librdkafka $LIBRDKAFKA_VERSION (about two minutes on two cores)"
  librdkafka_source "$source"
  (cd "$source/deps/librdkafka" && librdkafka_compile "$prefix") ||
    die "librdkafka did not build (logs: .deps/log/librdkafka-*.log)"
  for feature in SSL SASL_SCRAM ZLIB ZSTD SNAPPY; do
    grep -q "define WITH_$feature 1" "$source/deps/librdkafka/config.h" ||
      die "librdkafka was built without $feature (log: .deps/log/librdkafka-configure.log)"
  done
  rm -rf "$source"
  mark_done librdkafka "$LIBRDKAFKA_VERSION-$LIBRDKAFKA_BUILD"
}
