import com.fasterxml.jackson.databind.*;
import com.fasterxml.jackson.databind.node.*;
import java.nio.ByteBuffer;
import java.io.*;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.*;
import org.apache.kafka.connect.data.*;
import org.apache.kafka.connect.header.*;
import org.apache.kafka.connect.json.JsonConverter;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.storage.SimpleHeaderConverter;
import org.apache.kafka.connect.transforms.Transformation;
import org.apache.kafka.connect.transforms.predicates.Predicate;

/**
 * Runs chains of the real transforms over fixed records: cases on stdin (JSON lines), results on stdout. The records are those
 * of ../sample_records.h.
 */
public class RecordVectors {
  static final ObjectMapper M = new ObjectMapper();
  static Schema row(boolean optional) {
    SchemaBuilder b = SchemaBuilder.struct().name("srv.public.cust.Value");
    b.field("id", Schema.INT32_SCHEMA);
    b.field("n", SchemaBuilder.string().optional().defaultValue("dflt").build());
    b.field("nn", Schema.STRING_SCHEMA);
    b.field("v", Decimal.builder(2).optional().parameter("connect.decimal.precision", "10").build());
    b.field("b", Schema.OPTIONAL_BOOLEAN_SCHEMA);
    b.field("ts", SchemaBuilder.int64().optional().name("io.debezium.time.MicroTimestamp").version(1).build());
    b.field("d", SchemaBuilder.int32().optional().name("io.debezium.time.Date").version(1).build());
    b.field("ct", org.apache.kafka.connect.data.Timestamp.builder().optional().build());
    b.field("z", SchemaBuilder.string().optional().name("io.debezium.time.ZonedTimestamp").version(1).build());
    b.field("by", Schema.OPTIONAL_BYTES_SCHEMA);
    b.field("arr", SchemaBuilder.array(Schema.OPTIONAL_STRING_SCHEMA).optional().build());
    b.field("pt", SchemaBuilder.struct().optional().name("io.debezium.data.geometry.Point").version(1).doc("Geometry (POINT)").field("x", Schema.FLOAT64_SCHEMA).field("y", Schema.FLOAT64_SCHEMA).field("wkb", Schema.OPTIONAL_BYTES_SCHEMA).field("srid", Schema.OPTIONAL_INT32_SCHEMA).build());
    b.field("f", Schema.OPTIONAL_FLOAT64_SCHEMA);
    b.field("big", SchemaBuilder.int64().defaultValue(7L).build());
    if (optional) b.optional();
    return b.build();
  }
  static final Schema ROW = row(true);
  static final Schema KEY = SchemaBuilder.struct().name("srv.public.cust.Key").field("id", Schema.INT32_SCHEMA).build();
  static final Schema SOURCE = SchemaBuilder.struct().name("io.debezium.connector.postgresql.Source").version(1)
    .field("version", Schema.STRING_SCHEMA).field("connector", Schema.STRING_SCHEMA).field("name", Schema.STRING_SCHEMA)
    .field("ts_ms", Schema.INT64_SCHEMA)
    .field("snapshot", SchemaBuilder.string().name("io.debezium.data.Enum").version(1).parameter("allowed", "true,first,first_in_data_collection,last_in_data_collection,last,false,incremental").optional().defaultValue("false").build())
    .field("db", Schema.STRING_SCHEMA).field("sequence", Schema.OPTIONAL_STRING_SCHEMA).field("ts_us", Schema.OPTIONAL_INT64_SCHEMA).field("ts_ns", Schema.OPTIONAL_INT64_SCHEMA)
    .field("schema", Schema.STRING_SCHEMA).field("table", Schema.STRING_SCHEMA).field("txId", Schema.OPTIONAL_INT64_SCHEMA).field("lsn", Schema.OPTIONAL_INT64_SCHEMA).field("xmin", Schema.OPTIONAL_INT64_SCHEMA)
    .field("origin", Schema.OPTIONAL_STRING_SCHEMA).field("origin_lsn", Schema.OPTIONAL_INT64_SCHEMA).build();
  static final Schema TX = SchemaBuilder.struct().optional().name("event.block").version(1).field("id", Schema.STRING_SCHEMA).field("total_order", Schema.INT64_SCHEMA).field("data_collection_order", Schema.INT64_SCHEMA).build();
  static final Schema ENV = SchemaBuilder.struct().name("srv.public.cust.Envelope").version(2).field("before", ROW).field("after", ROW).field("source", SOURCE).field("transaction", TX).field("op", Schema.STRING_SCHEMA).field("ts_ms", Schema.OPTIONAL_INT64_SCHEMA).field("ts_us", Schema.OPTIONAL_INT64_SCHEMA).field("ts_ns", Schema.OPTIONAL_INT64_SCHEMA).build();
  static final Schema HBK = SchemaBuilder.struct().name("io.debezium.connector.common.ServerNameKey").version(1).field("serverName", Schema.STRING_SCHEMA).build();
  static final Schema HBV = SchemaBuilder.struct().name("io.debezium.connector.common.Heartbeat").version(1).field("ts_ms", Schema.INT64_SCHEMA).build();

  static Struct full(int id, String nn) {
    Struct s = new Struct(ROW);
    s.put("id", id);
    s.put("n", "x");
    s.put("nn", nn);
    s.put("v", new BigDecimal("1.50"));
    s.put("b", true);
    s.put("ts", 1577934245678901L);
    s.put("d", 18263);
    s.put("ct", new java.util.Date(1577934245678L));
    s.put("z", "2020-01-02T03:04:05.678901Z");
    s.put("by", ByteBuffer.wrap(new byte[]{1, 2, (byte) 255})); s.put("arr", List.of("p", "q")); s.put("f", 2.5);
    s.put("pt", new Struct(ROW.field("pt").schema()).put("x", 1.0).put("y", 2.5));
    s.put("big", 5000000000L);
    return s;
  }
  static Struct sparse(int id) {
    Struct s = new Struct(ROW);
    s.put("id", id);
    s.put("nn", "a");
    s.put("big", 1L);
    return s;
  }
  static Struct source() { return new Struct(SOURCE).put("version", "3.6.1.Final").put("connector", "postgresql").put("name", "srv").put("ts_ms", 1699999999000L).put("db", "shop").put("sequence", "[null,\"9\"]").put("ts_us", 1699999999000001L).put("ts_ns", 1699999999000001000L).put("schema", "public").put("table", "cust").put("txId", 771L).put("lsn", 24023128L); }
  static Struct env(String op, Struct before, Struct after) {
    Struct e = new Struct(ENV).put("before", before).put("after", after).put("source", source()).put("op", op).put("ts_ms", 1700000000123L).put("ts_us", 1700000000123456L).put("ts_ns", 1700000000123456789L);
    return e;
  }
  // Text of one, two and three bytes per character; no column that EnforceRecordSize stops at.
  static Struct wide(String text) {
    return full(1, text.repeat(30)).put("v", null).put("n", "y".repeat(50)).put("by", ByteBuffer.wrap(new byte[40]));
  }
  static Schema column(SchemaBuilder b, String... parameters) {
    for (int i = 0; i < parameters.length; i += 2) b.parameter("__debezium.source.column." + parameters[i], parameters[i + 1]);
    return b.build();
  }
  static final Schema TYPED_ROW = SchemaBuilder.struct().name("srv.public.cust.Value").optional()
    .field("id", column(SchemaBuilder.int32(), "type", "INT4", "length", "10", "scale", "0", "name", "id"))
    .field("n_x", column(SchemaBuilder.string().optional().defaultValue("dflt"), "type", "VARCHAR", "length", "20", "name", "n-x", "comment", "a \"name\""))
    .field("t", column(SchemaBuilder.string().optional(), "type", "TEXT", "name", "t")).build();
  static final Schema TYPED = SchemaBuilder.struct().name("srv.public.cust.Envelope").version(2).field("before", TYPED_ROW).field("after", TYPED_ROW).field("source", SOURCE).field("transaction", TX).field("op", Schema.STRING_SCHEMA).field("ts_ms", Schema.OPTIONAL_INT64_SCHEMA).field("ts_us", Schema.OPTIONAL_INT64_SCHEMA).field("ts_ns", Schema.OPTIONAL_INT64_SCHEMA).build();
  static Struct typed(String op) {
    Struct row = new Struct(TYPED_ROW).put("id", 1).put("t", "a");
    Struct e = new Struct(TYPED).put("source", source()).put("op", op).put("ts_ms", 1700000000123L).put("ts_us", 1700000000123456L).put("ts_ns", 1700000000123456789L);
    if (op.equals("u") || op.equals("d")) e.put("before", row);
    if (op.equals("u") || op.equals("c")) e.put("after", row);
    return e;
  }
  // Columns that are the same, or not quite, before and after.
  static final Schema ALIKE_ROW = SchemaBuilder.struct().name("srv.public.cust.Value").optional()
    .field("id", Schema.INT32_SCHEMA)
    .field("bits", SchemaBuilder.bytes().optional().name("io.debezium.data.Bits").version(1).parameter("length", "3").build())
    .field("nobits", SchemaBuilder.bytes().optional().name("io.debezium.data.Bits").version(1).parameter("length", "3").build())
    .field("n", SchemaBuilder.string().optional().defaultValue("dflt").build())
    .field("by", Schema.OPTIONAL_BYTES_SCHEMA).field("zero", Schema.OPTIONAL_FLOAT64_SCHEMA).field("nan", Schema.OPTIONAL_FLOAT64_SCHEMA)
    .field("arr", SchemaBuilder.array(Schema.OPTIONAL_STRING_SCHEMA).optional().build()).build();
  static final Schema ALIKE = SchemaBuilder.struct().name("srv.public.cust.Envelope").version(2).field("before", ALIKE_ROW).field("after", ALIKE_ROW).field("source", SOURCE).field("transaction", TX).field("op", Schema.STRING_SCHEMA).field("ts_ms", Schema.OPTIONAL_INT64_SCHEMA).field("ts_us", Schema.OPTIONAL_INT64_SCHEMA).field("ts_ns", Schema.OPTIONAL_INT64_SCHEMA).build();
  static Struct alike(String n, double zero) {
    return new Struct(ALIKE_ROW).put("id", 1).put("bits", new byte[]{5}).put("n", n).put("by", ByteBuffer.wrap(new byte[]{1, 2})).put("zero", zero).put("nan", Double.NaN).put("arr", List.of("p"));
  }
  static final Map<String, String> PARTITION = Map.of("server", "srv");
  // As many entries as the connector's offsets have; with the transaction's, two more.
  static Map<String, Object> offset(boolean transaction) {
    Map<String, Object> m = new HashMap<>(Map.of("ts_usec", 1L, "txId", 1L, "lsn", 1L, "lsn_proc", 1L, "lsn_commit", 1L, "messageType", "INSERT"));
    if (transaction) m.putAll(Map.of("transaction_id", "771:9", "transaction_data_collection_order_public.cust", 1L));
    return m;
  }
  static SourceRecord rec(String name) {
    if (name.startsWith("outbox") || name.startsWith("json ") || name.startsWith("message ")) return OutboxRecords.rec(name);
    if (name.startsWith("spatial ")) return SpatialRecords.rec(name);
    Struct key = new Struct(KEY).put("id", 1);
    Headers h = new ConnectHeaders();
    h.addString("__debezium.context.taskId", "0");
    String topic = "srv.public.cust";
    Object v = null;
    Schema vs = ENV;
    Schema ks = KEY;
    switch (name) {
      case "c": v = env("c", null, full(1, "a")); break;
      case "sparse": v = env("c", null, sparse(1)); break;
      case "r": v = env("r", null, sparse(1)); break;
      case "u": v = env("u", full(1, "b"), full(1, "a")); break;
      case "utx": v = env("u", null, sparse(1)).put("transaction", new Struct(TX).put("id", "771:9").put("total_order", 1L).put("data_collection_order", 1L)); break;
      case "d": v = env("d", full(1, "a"), null); break;
      case "dk": v = env("d", sparse(1), null); break;
      case "dtx": v = env("d", sparse(1), null).put("transaction", new Struct(TX).put("id", "771:9").put("total_order", 1L).put("data_collection_order", 1L)); break;
      case "tombstone": v = null; vs = null; break;
      case "t": v = env("t", null, null); ks = null; key = null; break;
      case "wide_c": v = env("c", null, wide("a\u00f1\u20ac")); break;
      case "wide_u": v = env("u", wide("b"), wide("a\u00f1\u20ac")); break;
      case "wide_d": v = env("d", wide("a\u00f1\u20ac"), null); break;
      case "typed_c": case "typed_u": case "typed_d": case "typed_t": v = typed(name.substring(6)); vs = TYPED; break;
      case "sparse_u": v = env("u", sparse(1), sparse(1)); break;
      case "bits_u": v = new Struct(ALIKE).put("before", alike(null, 0.0)).put("after", alike("dflt", -0.0)).put("source", source()).put("op", "u").put("ts_ms", 1700000000123L).put("ts_us", 1700000000123456L).put("ts_ns", 1700000000123456789L); vs = ALIKE; break;
      case "nokey": v = env("c", null, full(1, "a")); ks = null; key = null; break;
      case "heartbeat": return new SourceRecord(PARTITION, offset(false), "__debezium-heartbeat.srv", null, HBK, new Struct(HBK).put("serverName", "srv"), HBV, new Struct(HBV).put("ts_ms", 1700000000123L), null, h);
      default: throw new RuntimeException(name);
    }
    return new SourceRecord(PARTITION, offset(name.endsWith("tx")), topic, null, ks, key, vs, v, null, h);
  }
  static Map<String, Object> strip(Map<String, String> props, String prefix) { Map<String, Object> m = new HashMap<>(); props.forEach((k, v) -> { if (k.startsWith(prefix)) m.put(k.substring(prefix.length()), v); }); return m; }
  static JsonConverter conv(boolean key) {
    JsonConverter c = new JsonConverter();
    c.configure(Map.of("schemas.enable", "true"), key);
    return c;
  }
  /** A transform of the chain, with its predicate. */
  record Link(Transformation<SourceRecord> transform, Predicate<SourceRecord> predicate, boolean negate) {}
  @SuppressWarnings("unchecked")
  static List<Link> chain(Map<String, String> props) throws Exception {
    Map<String, Predicate<SourceRecord>> preds = new HashMap<>();
    for (String p : props.getOrDefault("predicates", "").split(",")) { if (p.isBlank()) continue; p = p.trim();
      Predicate<SourceRecord> q = (Predicate<SourceRecord>) Class.forName(props.get("predicates." + p + ".type")).getConstructor().newInstance();
      q.configure(strip(props, "predicates." + p + "."));
      preds.put(p, q);
    }
    List<Link> links = new ArrayList<>();
    for (String t : props.get("transforms").split(",")) { t = t.trim();
      Transformation<SourceRecord> x = (Transformation<SourceRecord>) Class.forName(props.get("transforms." + t + ".type")).getConstructor().newInstance();
      x.configure(strip(props, "transforms." + t + "."));
      links.add(new Link(x, preds.get(props.get("transforms." + t + ".predicate")), "true".equals(props.get("transforms." + t + ".negate"))));
    }
    return links;
  }
  static SourceRecord apply(List<Link> links, SourceRecord r) {
    for (Link link : links) {
      if (link.predicate() != null && link.predicate().test(r) == link.negate()) continue;
      r = link.transform().apply(r);
      if (r == null) return null;
    }
    return r;
  }
  /** A name after "behind": the tombstone that the connector makes of that delete, which has gone through the chain before it. */
  static ObjectNode run(Map<String, String> props, String name) {
    ObjectNode out = M.createObjectNode();
    try {
      List<Link> links = chain(props);
      boolean behind = name.startsWith("behind ");
      SourceRecord r = rec(behind ? name.substring(7) : name);
      if (behind) {
        SourceRecord tombstone = r.newRecord(r.topic(), r.kafkaPartition(), r.keySchema(), r.key(), null, null, r.timestamp(), r.headers());
        apply(links, r);
        r = tombstone;
      }
      r = apply(links, r);
      if (r == null) { out.put("dropped", true); return out; }
      out.put("topic", r.topic());
      byte[] k = conv(true).fromConnectData(r.topic(), r.keySchema(), r.key());
      byte[] v = conv(false).fromConnectData(r.topic(), r.valueSchema(), r.value());
      out.put("key", k == null ? null : new String(k, StandardCharsets.UTF_8));
      out.put("value", v == null ? null : new String(v, StandardCharsets.UTF_8));
      ArrayNode hs = out.putArray("headers");
      SimpleHeaderConverter hc = new SimpleHeaderConverter();
      for (Header h : r.headers()) { byte[] b = hc.fromConnectHeader(r.topic(), h.key(), h.schema(), h.value()); hs.addArray().add(h.key()).add(b == null ? null : new String(b, StandardCharsets.UTF_8)); }
      if (r.kafkaPartition() != null) out.put("partition", r.kafkaPartition());
      if (r.timestamp() != null) out.put("timestamp", r.timestamp());
    } catch (Throwable e) { Throwable c = e; out = M.createObjectNode(); out.put("error", c.getClass().getSimpleName() + ": " + c.getMessage()); }
    return out;
  }
  public static void main(String[] a) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, "UTF-8");
    String line;
    while ((line = in.readLine()) != null) {
      if (line.isBlank()) continue;
      JsonNode n = M.readTree(line);
      Map<String, String> props = M.convertValue(n.get("props"), LinkedHashMap.class);
      for (JsonNode rn : n.get("records")) { ObjectNode o = M.createObjectNode(); o.set("props", n.get("props")); o.put("record", rn.asText()); o.set("result", run(props, rn.asText())); out.println(M.writeValueAsString(o)); }
    }
  }
}
