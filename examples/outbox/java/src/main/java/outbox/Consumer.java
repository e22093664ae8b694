package outbox;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Applies each event of an outbox to a database exactly once. Kafka delivers at least once; the effect and the event's id are
 * written in one transaction, and only then is the offset committed. A crash anywhere repeats records and applies nothing
 * twice. The effect here: orders counted and summed per customer.
 *
 * <p>DATABASE_URL=jdbc:postgresql://localhost/billing?user=billing BOOTSTRAP_SERVERS=localhost:9092 java -cp
 * 'target/classes:target/libs/*' outbox.Consumer
 */
public final class Consumer {
  private static final String INBOX = "INSERT INTO inbox (consumer, message_id) VALUES (?, ?) ON CONFLICT DO NOTHING";
  private static final String EFFECT =
      """
      INSERT INTO customer_totals (customer, orders, total) VALUES (?, 1, ?) ON CONFLICT (customer)
      DO UPDATE SET orders = customer_totals.orders + 1, total = customer_totals.total + excluded.total
      """;
  private static final String FORGET = "DELETE FROM inbox WHERE consumer = ? AND handled_at < now() - ?::interval";

  private static final ObjectMapper JSON = new ObjectMapper();

  private final String name;
  private final Connection database;

  private Consumer(String name, Connection database) {
    this.name = name;
    this.database = database;
  }

  private void handle(ConsumerRecord<String, String> record) throws SQLException, JsonProcessingException {
    var id = header(record, "id");
    if (record.value() == null || id == null) {
      return;
    }
    try (var inbox = database.prepareStatement(INBOX);
        var effect = database.prepareStatement(EFFECT)) {
      inbox.setString(1, name);
      inbox.setString(2, id);
      boolean isNew = inbox.executeUpdate() == 1;
      if (isNew && "OrderPlaced".equals(header(record, "eventType"))) {
        var order = JSON.readTree(record.value());
        effect.setString(1, order.get("customer").asText());
        effect.setBigDecimal(2, new BigDecimal(order.get("total").asText()));
        effect.executeUpdate();
      }
      database.commit();
      System.out.println((isNew ? "applied " : "seen before ") + id);
    } catch (SQLException | JsonProcessingException | RuntimeException failed) {
      database.rollback();
      throw failed;
    }
  }

  /** What no longer comes again: keep it longer than the topic keeps records. */
  private void forget() throws SQLException {
    try (var old = database.prepareStatement(FORGET)) {
      old.setString(1, name);
      old.setString(2, setting("INBOX_RETENTION", "30 days"));
      old.executeUpdate();
      database.commit();
    }
  }

  private static String header(ConsumerRecord<String, String> record, String name) {
    var header = record.headers().lastHeader(name);
    return header == null || header.value() == null ? null : new String(header.value(), StandardCharsets.UTF_8);
  }

  private static String setting(String name, String otherwise) {
    return System.getenv().getOrDefault(name, otherwise);
  }

  public static void main(String[] arguments) throws Exception {
    var group = setting("GROUP", "billing");
    Map<String, Object> config =
        Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, setting("BOOTSTRAP_SERVERS", "localhost:9092"),
            ConsumerConfig.GROUP_ID_CONFIG, group,
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false, // an offset is committed after the transaction, never before
            ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest",
            ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    var main = Thread.currentThread();
    try (var kafka = new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer());
        var database = DriverManager.getConnection(setting("DATABASE_URL", "jdbc:postgresql://localhost/billing"))) {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(kafka, main)));
      database.setAutoCommit(false);
      var consumer = new Consumer(group, database);
      kafka.subscribe(List.of(setting("TOPIC", "outbox.event.Order")));
      var forgets = Instant.now();
      while (true) {
        if (!Instant.now().isBefore(forgets)) {
          consumer.forget();
          forgets = Instant.now().plus(Duration.ofHours(1));
        }
        for (var record : kafka.poll(Duration.ofMillis(500))) {
          consumer.handle(record);
        }
        commit(kafka);
      }
    } catch (WakeupException stopped) {
      // SIGTERM or SIGINT
    }
  }

  private static void commit(KafkaConsumer<String, String> kafka) {
    try {
      kafka.commitSync();
    } catch (CommitFailedException | RebalanceInProgressException failed) {
      System.err.println("offsets not committed: " + failed.getMessage()); // they come again
    }
  }

  private static void stop(KafkaConsumer<String, String> kafka, Thread main) {
    kafka.wakeup();
    try {
      main.join(10_000);
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }
}
