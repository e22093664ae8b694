#!/usr/bin/env bash
# Debezium's JdbcOffsetBackingStore: two connectors whose positions are in one table.
#
# Two processes of Debezium Server, with the same database for their positions and the table's default name. Their keys
# differ. Each stores its position now and then; one of them is started again.
#
# Guess, written down before the run: as in the offset topic of Kafka Connect and in the hash of the Redis store, each key
# is kept on its own. A process that starts finds its last position, whatever the others have stored meanwhile.
#
# Behaviour: a store reads the table once, when it starts. Each save empties the table and writes what the store knows: its
# own key, and the other's as it was at that time, or not at all. Who saves last decides for both: the other one, started
# again, finds an old position, or none.
set -euo pipefail

. "$(dirname "$(realpath "$0")")/jars.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

debezium=3.5.0.Final kafka=4.1.1
jars io.debezium:debezium-{storage-jdbc,core,api,config,util}:$debezium org.apache.kafka:{connect-runtime,connect-api,kafka-clients}:$kafka \
  com.h2database:h2:2.3.232 org.slf4j:slf4j-{api,nop}:1.7.36

cat >Finding.java <<'JAVA'
import io.debezium.storage.jdbc.offset.JdbcOffsetBackingStore;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.runtime.standalone.StandaloneConfig;

public class Finding {
  static ByteBuffer bytes(String text) { return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)); }

  static JdbcOffsetBackingStore started() {
    JdbcOffsetBackingStore store = new JdbcOffsetBackingStore();
    String unused = "org.apache.kafka.connect.converters.ByteArrayConverter";
    store.configure(new StandaloneConfig(Map.of(
        "offset.storage.jdbc.connection.url", "jdbc:h2:mem:positions;DB_CLOSE_DELAY=-1;DATABASE_TO_LOWER=TRUE",
        "offset.storage.jdbc.connection.user", "sa", "offset.storage.jdbc.connection.password", "sa",
        "bootstrap.servers", "unused:1", "offset.storage.file.filename", "unused",
        "key.converter", unused, "value.converter", unused)));
    store.start();
    return store;
  }

  static void save(JdbcOffsetBackingStore store, String key, String position) throws Exception {
    store.set(Map.of(bytes(key), bytes(position)), null).get();
  }

  static void show(String when) throws Exception {
    JdbcOffsetBackingStore store = started();
    for (String key : List.of("shop", "bank")) {
      ByteBuffer found = store.get(List.of(bytes(key))).get().get(bytes(key));
      System.out.println(when + ": " + key + " finds " + (found == null ? "nothing" : StandardCharsets.UTF_8.decode(found)));
    }
    store.stop();
  }

  public static void main(String[] arguments) throws Exception {
    JdbcOffsetBackingStore shop = started(), bank = started();
    save(shop, "shop", "100");
    save(bank, "bank", "7");
    show("both have saved");
    save(shop, "shop", "200");
    bank.stop();
    bank = started();
    save(shop, "shop", "300");
    save(bank, "bank", "8");
    show("bank was started between shop's 200 and 300");
    shop.stop();
    bank.stop();
    System.exit(0);
  }
}
JAVA

cat >expected <<'TEXT'
both have saved: shop finds nothing
both have saved: bank finds 7
bank was started between shop's 200 and 300: shop finds 200
bank was started between shop's 200 and 300: bank finds 8
TEXT

echo "software:  Debezium $debezium, debezium-storage-jdbc"
echo 'guess:     each connector finds its own last position, whoever else stores his in the table'
echo 'behaviour: who saves last writes the whole table: the other one finds an old position, or none'
java -cp '*' Finding.java | tee output
diff expected output || { echo 'the output has changed' >&2 && exit 1; }
