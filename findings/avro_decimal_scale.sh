#!/usr/bin/env bash
# Avro: two schemas that differ in a logical type alone.
#
# A column numeric(10,2) becomes numeric(10,4), or a timestamp goes from milliseconds to microseconds. The schema in Avro
# changes nothing but an attribute of its logical type. Each message is in Avro's single-object encoding, which begins
# with the fingerprint of the writer's schema.
#
# Guess, written down before the run: the fingerprints differ, so that a consumer that knows the new schema alone says
# that it lacks the old one. One that knows both converts: 123.45 is 123.4500, and the time stays the same.
#
# Behaviour: the fingerprint is that of the canonical form, which leaves logical types out. Both schemas have the same
# one, and old bytes are taken for new ones: 123.45 is read as 1.2345. One that is given both schemas converts nothing
# either. The specification has decimals match only where scale and precision are the same.
set -euo pipefail

. "$(dirname "$(realpath "$0")")/jars.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

avro=1.12.1 jackson=2.19.2
jars org.apache.avro:avro:$avro com.fasterxml.jackson.core:jackson-{core,databind,annotations}:$jackson org.slf4j:slf4j-{api,nop}:1.7.36

cat >Finding.java <<'JAVA'
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.time.Instant;
import org.apache.avro.*;
import org.apache.avro.data.TimeConversions;
import org.apache.avro.generic.*;
import org.apache.avro.io.*;
import org.apache.avro.message.*;

public class Finding {
  static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

  static GenericData data() {
    GenericData data = new GenericData();
    data.addLogicalTypeConversion(new Conversions.DecimalConversion());
    data.addLogicalTypeConversion(new TimeConversions.TimestampMillisConversion());
    data.addLogicalTypeConversion(new TimeConversions.TimestampMicrosConversion());
    return data;
  }

  static Schema schema(int scale, LogicalType time) {
    Schema decimal = LogicalTypes.decimal(10, scale).addToSchema(Schema.create(Schema.Type.BYTES));
    Schema at = time.addToSchema(Schema.create(Schema.Type.LONG));
    return SchemaBuilder.record("payment").fields().name("amount").type(decimal).noDefault()
        .name("at").type(at).noDefault().endRecord();
  }

  static void show(String what, GenericRecord read) {
    System.out.println(what + ": " + read.get("amount") + " at " + read.get("at"));
  }

  public static void main(String[] arguments) throws Exception {
    Schema before = schema(2, LogicalTypes.timestampMillis());
    Schema after = schema(4, LogicalTypes.timestampMicros());
    GenericRecord payment = new GenericData.Record(before);
    payment.put("amount", new BigDecimal("123.45"));
    payment.put("at", NOON);
    show("written", payment);

    System.out.println("schemas equal: " + before.equals(after));
    System.out.println("fingerprints equal: "
        + (SchemaNormalization.parsingFingerprint64(before) == SchemaNormalization.parsingFingerprint64(after)));
    var message = new BinaryMessageEncoder<GenericRecord>(data(), before).encode(payment);
    try {
      show("read, new schema alone", new BinaryMessageDecoder<GenericRecord>(data(), after).decode(message));
    } catch (MissingSchemaException e) {
      System.out.println("read, new schema alone: the schema is missing");
    }

    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
    new GenericDatumWriter<GenericRecord>(before, data()).write(payment, encoder);
    encoder.flush();
    BinaryDecoder decoder = DecoderFactory.get().binaryDecoder(bytes.toByteArray(), null);
    show("read, both schemas", new GenericDatumReader<GenericRecord>(before, after, data()).read(null, decoder));
  }
}
JAVA

cat >expected <<'TEXT'
written: 123.45 at 2026-01-01T12:00:00Z
schemas equal: false
fingerprints equal: true
read, new schema alone: 1.2345 at 1970-01-21T10:54:28.800Z
read, both schemas: 1.2345 at 1970-01-21T10:54:28.800Z
TEXT

echo "software:  Apache Avro $avro for Java"
echo 'guess:     the fingerprint tells the two schemas apart, and a reader that has both converts the values'
echo 'behaviour: the fingerprints are equal, and the old bytes are read as if the new schema had written them'
java -cp '*' Finding.java | tee output
diff expected output || { echo 'the output has changed' >&2 && exit 1; }
