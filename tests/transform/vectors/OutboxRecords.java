import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.kafka.connect.data.*;
import org.apache.kafka.connect.header.ConnectHeaders;
import org.apache.kafka.connect.source.SourceRecord;

/** Rows of an outbox table and logical messages: those of ../outbox_records.h. */
public class OutboxRecords {
  static Schema named(SchemaBuilder b, String name) { return b.optional().name(name).version(1).build(); }
  static final Schema ROW = SchemaBuilder.struct().name("srv.public.outbox.Value").optional()
    .field("id", SchemaBuilder.string().name("io.debezium.data.Uuid").version(1).build())
    .field("aggregatetype", Schema.OPTIONAL_STRING_SCHEMA)
    .field("aggregateid", Schema.OPTIONAL_STRING_SCHEMA)
    .field("type", Schema.STRING_SCHEMA)
    .field("payload", named(SchemaBuilder.string(), "io.debezium.data.Json"))
    .field("ts", named(SchemaBuilder.int64(), "io.debezium.time.MicroTimestamp"))
    .field("tenant", SchemaBuilder.string().optional().defaultValue("acme").build())
    .field("ver", Schema.OPTIONAL_INT32_SCHEMA)
    .field("part", Schema.OPTIONAL_INT32_SCHEMA)
    .field("small", Schema.OPTIONAL_INT16_SCHEMA)
    .field("num", Schema.OPTIONAL_INT64_SCHEMA)
    .field("zts", named(SchemaBuilder.string(), "io.debezium.time.ZonedTimestamp"))
    .field("bin", Schema.OPTIONAL_BYTES_SCHEMA)
    .field("f", Schema.OPTIONAL_FLOAT64_SCHEMA)
    .build();
  static final Schema KEY = SchemaBuilder.struct().name("srv.public.outbox.Key").field("id", ROW.field("id").schema()).build();
  static final Schema ENV = SchemaBuilder.struct().name("srv.public.outbox.Envelope").version(2).field("before", ROW).field("after", ROW).field("source", RecordVectors.SOURCE).field("transaction", RecordVectors.TX).field("op", Schema.STRING_SCHEMA).field("ts_ms", Schema.OPTIONAL_INT64_SCHEMA).field("ts_us", Schema.OPTIONAL_INT64_SCHEMA).field("ts_ns", Schema.OPTIONAL_INT64_SCHEMA).build();
  static final Schema MESSAGE_KEY = SchemaBuilder.struct().name("io.debezium.connector.postgresql.MessageKey").version(1).field("prefix", Schema.OPTIONAL_STRING_SCHEMA).build();
  static final Schema MESSAGE = SchemaBuilder.struct().name("io.debezium.connector.postgresql.Message").version(1).field("prefix", Schema.OPTIONAL_STRING_SCHEMA).field("content", Schema.OPTIONAL_BYTES_SCHEMA).build();
  static final Schema MESSAGE_VALUE = SchemaBuilder.struct().name("io.debezium.connector.postgresql.MessageValue").version(1).field("op", Schema.STRING_SCHEMA).field("ts_ms", Schema.OPTIONAL_INT64_SCHEMA).field("source", RecordVectors.SOURCE).field("transaction", RecordVectors.TX).field("message", MESSAGE).build();

  static Struct full() {
    return new Struct(ROW).put("id", "11111111-1111-1111-1111-111111111111").put("aggregatetype", "Order").put("aggregateid", "10").put("type", "OrderCreated")
      .put("payload", "{\"o\": {\"a\": \"b\"}, \"x\": null, \"id\": 1, \"arr\": [1, 2], \"e\": []}").put("ts", 1577836800123456L).put("tenant", "ten").put("ver", 3).put("part", 2)
      .put("small", (short) 4).put("num", 5000000000L).put("zts", "2020-01-01T00:00:00.5Z").put("bin", ByteBuffer.wrap(new byte[]{1, 2, (byte) 255})).put("f", 2.5);
  }
  static Struct sparse() { return new Struct(ROW).put("id", "11111111-1111-1111-1111-111111111111").put("aggregatetype", "Order").put("type", "OrderCreated"); }

  static SourceRecord rec(String name) {
    ConnectHeaders headers = new ConnectHeaders();
    headers.addString("__debezium.context.taskId", "0");
    if (name.startsWith("message ")) {
      Struct message = new Struct(MESSAGE).put("prefix", "outbox").put("content", name.substring(8).getBytes(StandardCharsets.UTF_8));
      Struct value = new Struct(MESSAGE_VALUE).put("op", "m").put("ts_ms", 1700000000123L).put("source", RecordVectors.source()).put("message", message);
      return new SourceRecord(Map.of(), Map.of(), "srv.message", null, MESSAGE_KEY, new Struct(MESSAGE_KEY).put("prefix", "outbox"), MESSAGE_VALUE, value, null, headers);
    }
    Struct key = new Struct(KEY).put("id", "11111111-1111-1111-1111-111111111111");
    Struct before = null, after = full();
    String op = "c";
    if (name.startsWith("json ")) after = full().put("payload", name.substring(5));
    switch (name) {
      case "outbox": break;
      case "outbox_read": op = "r"; break;
      case "outbox_update": op = "u"; before = full(); break;
      case "outbox_delete": op = "d"; before = full(); after = null; break;
      case "outbox_truncate": op = "t"; after = null; break;
      case "outbox_sparse": after = sparse(); break;
      case "outbox_blank": after = full().put("payload", " \t "); break;
      case "outbox_no_route": after = full().put("aggregatetype", null); break;
      case "outbox_empty_route": after = full().put("aggregatetype", ""); break;
      case "outbox_old": after = full().put("ts", -1234567L); break;
      case "outbox_tombstone": return new SourceRecord(Map.of(), Map.of(), "srv.public.outbox", null, KEY, key, null, null, null, headers);
      default: if (!name.startsWith("json ")) throw new RuntimeException(name);
    }
    Struct value = new Struct(ENV).put("before", before).put("after", after).put("source", RecordVectors.source().put("table", "outbox")).put("op", op).put("ts_ms", 1700000000123L).put("ts_us", 1700000000123456L).put("ts_ns", 1700000000123456789L);
    return new SourceRecord(Map.of(), Map.of(), "srv.public.outbox", null, KEY, key, ENV, value, null, headers);
  }
}
