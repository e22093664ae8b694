#!/usr/bin/env bash
# Kafka Connect's JsonConverter without schemas: whole numbers of more than 64 bits.
#
# JSON has numbers of any size. A numeric(20) of PostgreSQL or an unsigned BIGINT of MySQL, written as a plain number, may
# be larger than what 64 bits with a sign hold.
#
# Guess: a large whole number becomes a BigInteger or a decimal, at worst a double that is near, or the record fails with
# a DataException.
#
# Behaviour: every whole number becomes 64 bits, and the bits above are dropped without a word. 18446744073709551615 is
# read as -1 and written back as -1.
set -euo pipefail

. "$(dirname "$(realpath "$0")")/jars.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

kafka=4.1.1 jackson=2.19.2
jars org.apache.kafka:{connect-json,connect-api,kafka-clients}:$kafka com.fasterxml.jackson.core:jackson-{core,databind,annotations}:$jackson \
  com.fasterxml.jackson.datatype:jackson-datatype-jdk8:$jackson com.fasterxml.jackson.module:jackson-module-blackbird:$jackson \
  org.slf4j:slf4j-{api,nop}:1.7.36

cat >Finding.java <<'JAVA'
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Map;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.json.JsonConverter;

public class Finding {
  static void show(String json) {
    try (JsonConverter converter = new JsonConverter()) {
      converter.configure(Map.of("schemas.enable", false, "converter.type", "value"));
      SchemaAndValue read = converter.toConnectData("topic", json.getBytes(UTF_8));
      Object id = ((Map<?, ?>) read.value()).get("id");
      String back = new String(converter.fromConnectData("topic", null, read.value()), UTF_8);
      System.out.println(json + ": " + id.getClass().getSimpleName() + " " + id + ", written back " + back);
    } catch (DataException e) {
      System.out.println(json + ": DataException: " + e.getMessage());
    }
  }

  public static void main(String[] arguments) {
    show("{\"id\":9223372036854775807}");
    show("{\"id\":9223372036854775808}");
    show("{\"id\":18446744073709551615}");
    show("{\"id\":12345678901234567890123}");
  }
}
JAVA

cat >expected <<'TEXT'
{"id":9223372036854775807}: Long 9223372036854775807, written back {"id":9223372036854775807}
{"id":9223372036854775808}: Long -9223372036854775808, written back {"id":-9223372036854775808}
{"id":18446744073709551615}: Long -1, written back {"id":-1}
{"id":12345678901234567890123}: Long 4807115922877859019, written back {"id":4807115922877859019}
TEXT

echo "software:  Apache Kafka Connect $kafka, connect-json"
echo 'guess:     a whole number of more than 64 bits is kept, rounded or refused'
echo 'behaviour: its lower 64 bits are taken for the number'
java -cp '*' Finding.java | tee output
diff expected output || { echo 'the output has changed' >&2 && exit 1; }
