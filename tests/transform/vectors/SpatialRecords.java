import io.debezium.data.geometry.*;
import io.debezium.data.vector.*;
import java.nio.ByteBuffer;
import java.util.*;
import org.apache.kafka.connect.data.*;
import org.apache.kafka.connect.header.ConnectHeaders;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * Rows with geometries and vectors: those of ../spatial_records.h. "spatial OP BEFORE AFTER"; a row is "." (none), "-" (columns
 * are NULL), "~" (empty vectors, no geometry) or the geometry in hexadecimal, "@SRID" behind it.
 */
public class SpatialRecords {
  static Schema bare(SchemaBuilder builder) { return builder.optional().build(); }
  static final Schema GEOMETRY = bare(Geometry.builder()), GEOGRAPHY = bare(Geography.builder());
  static final Schema ROW = SchemaBuilder.struct().name("srv.public.cust.Value").optional()
    .field("id", Schema.INT32_SCHEMA)
    .field("g", GEOMETRY)
    .field("gg", GEOGRAPHY)
    .field("ga", SchemaBuilder.array(GEOMETRY).optional().build())
    .field("pt", bare(Point.builder()))
    .field("dv", bare(DoubleVector.builder()))
    .field("fv", bare(FloatVector.builder()))
    .field("sv", bare(SparseDoubleVector.builder()))
    .field("rv", DoubleVector.builder().build())
    .field("wd", DoubleVector.builder().optional().defaultValue(List.of(1.5)).build())
    .field("n", SchemaBuilder.string().optional().defaultValue("dflt").build())
    .build();
  static final Schema ENV = SchemaBuilder.struct().name("srv.public.cust.Envelope").version(2).field("before", ROW).field("after", ROW).field("source", RecordVectors.SOURCE).field("transaction", RecordVectors.TX).field("op", Schema.STRING_SCHEMA).field("ts_ms", Schema.OPTIONAL_INT64_SCHEMA).field("ts_us", Schema.OPTIONAL_INT64_SCHEMA).field("ts_ns", Schema.OPTIONAL_INT64_SCHEMA).build();

  static Struct geometry(Schema schema, String hex, Integer srid) {
    return new Struct(schema).put("wkb", ByteBuffer.wrap(HexFormat.of().parseHex(hex)).array()).put("srid", srid);
  }
  static Struct row(String spec) {
    if (spec.equals(".")) return null;
    Struct row = new Struct(ROW).put("id", 1).put("rv", List.of());
    if (spec.equals("-")) return row;
    Schema sparse = ROW.field("sv").schema();
    if (spec.equals("~"))
      return row.put("dv", List.of()).put("fv", List.of()).put("sv", new Struct(sparse).put("dimensions", (short) 3).put("vector", Map.of())).put("wd", List.of());
    String[] parts = spec.split("@");
    Integer srid = parts.length == 1 ? null : Integer.valueOf(parts[1]);
    Map<Short, Double> entries = new HashMap<>();
    entries.put((short) 1000, 1.0);
    entries.put((short) 1, 10.0);
    entries.put((short) 3, 20.5);
    return row.put("g", geometry(GEOMETRY, parts[0], srid)).put("gg", geometry(GEOGRAPHY, parts[0], srid))
      .put("ga", Arrays.asList(geometry(GEOMETRY, parts[0], srid), null))
      .put("pt", new Struct(ROW.field("pt").schema()).put("x", 1.0).put("y", 2.5))
      .put("dv", List.of(101.0, 102.5, 1e-7, -0.25, 1e10)).put("fv", List.of(1.0f, 0.1f, 65504.0f))
      .put("sv", new Struct(sparse).put("dimensions", (short) 1200).put("vector", entries))
      .put("rv", List.of(0.125)).put("wd", List.of(2.0, -0.0)).put("n", "x");
  }
  static SourceRecord rec(String name) {
    String[] parts = name.split(" ");
    ConnectHeaders headers = new ConnectHeaders();
    headers.addString("__debezium.context.taskId", "0");
    Struct value = new Struct(ENV).put("before", row(parts[2])).put("after", row(parts[3])).put("source", RecordVectors.source()).put("op", parts[1])
      .put("ts_ms", 1700000000123L).put("ts_us", 1700000000123456L).put("ts_ns", 1700000000123456789L);
    return new SourceRecord(Map.of(), Map.of(), "srv.public.cust", null, RecordVectors.KEY, new Struct(RecordVectors.KEY).put("id", 1), ENV, value, null, headers);
  }
}
