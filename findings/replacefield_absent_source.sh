#!/usr/bin/env bash
# Kafka Connect's ReplaceField: a rename whose source is not in the record.
#
# One connector sends many tables through one transform, with renames=customer_id:id. Some tables have no customer_id
# and a field of their own that is called id.
#
# Guess, written down before the run: a rename without its source does nothing. Such a record passes unchanged, and it
# does not matter whether it has a schema.
#
# Behaviour: without a schema that is so. With one, each field of the result is looked up in the old record by the name
# that the renames give it backwards: the table's own id is looked up as customer_id, and the record fails. Where the
# source is there and excluded, its value comes in the other field's place; without a schema the other's own value stays.
set -euo pipefail

. "$(dirname "$(realpath "$0")")/jars.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

kafka=4.1.1
jars org.apache.kafka:{connect-transforms,connect-api,kafka-clients}:$kafka org.slf4j:slf4j-{api,nop}:1.7.36

cat >Finding.java <<'JAVA'
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.connect.data.*;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.transforms.ReplaceField;

public class Finding {
  static final String[] IDS = {"customer_id", "id"};

  static Object withSchema(Map<String, Integer> row) {
    SchemaBuilder schema = SchemaBuilder.struct();
    for (String name : row.keySet()) schema.field(name, Schema.INT32_SCHEMA);
    Struct struct = new Struct(schema.build());
    row.forEach(struct::put);
    return struct;
  }

  static Map<String, Object> fields(Object value) {
    Map<String, Object> found = new TreeMap<>();
    if (value instanceof Struct struct)
      for (Field field : struct.schema().fields()) found.put(field.name(), struct.get(field));
    else
      ((Map<?, ?>) value).forEach((name, each) -> found.put((String) name, each));
    return found;
  }

  static void show(String what, Map<String, String> config, Object value) {
    try (ReplaceField<SourceRecord> transform = new ReplaceField.Value<>()) {
      transform.configure(config);
      Schema schema = value instanceof Struct struct ? struct.schema() : null;
      SourceRecord record = new SourceRecord(Map.of(), Map.of(), "topic", schema, value);
      System.out.println(what + ": " + fields(transform.apply(record).value()));
    } catch (DataException e) {
      System.out.println(what + ": DataException: " + e.getMessage());
    }
  }

  public static void main(String[] arguments) {
    Map<String, String> renames = Map.of("renames", "customer_id:id");
    Map<String, Integer> absent = new TreeMap<>(Map.of("id", 7));
    show("source absent, no schema", renames, absent);
    show("source absent, schema", renames, withSchema(absent));
    Map<String, String> excludes = Map.of("renames", "customer_id:id", "exclude", "customer_id");
    Map<String, Integer> both = new TreeMap<>(Map.of("customer_id", 1, "id", 7));
    show("source excluded, no schema", excludes, both);
    show("source excluded, schema", excludes, withSchema(both));
  }
}
JAVA

cat >expected <<'TEXT'
source absent, no schema: {id=7}
source absent, schema: DataException: customer_id is not a valid field name
source excluded, no schema: {id=7}
source excluded, schema: {id=1}
TEXT

echo "software:  Apache Kafka Connect $kafka, connect-transforms"
echo 'guess:     a rename whose source is absent changes nothing, with a schema or without'
echo 'behaviour: with a schema the field that has the new name already is read by the old name'
java -cp '*' Finding.java | tee output
diff expected output || { echo 'the output has changed' >&2 && exit 1; }
