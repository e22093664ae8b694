package outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An application's own tests: its code writes, the events are looked at. */
class OrdersTest {
  private static final String ORDERS =
      "CREATE TABLE orders (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, customer text NOT NULL, total numeric NOT NULL CHECK (total > 0))";

  @RegisterExtension final Outbox outbox = new Outbox();

  @BeforeEach
  void createTables() throws SQLException {
    try (var database = outbox.connect()) {
      execute(database, ORDERS);
    }
  }

  @Test
  void anOrderIsTold() throws Exception {
    place("c7", "99.90");
    var events = outbox.events();
    assertEquals(1, events.size());
    var event = events.get(0);
    assertEquals("outbox.event.Order", event.topic());
    assertEquals("c7", event.key());
    assertEquals("OrderPlaced", event.type());
    assertEquals("99.90", event.json().get("total").asText());
    assertNotNull(event.id());
  }

  @Test
  void anOrderThatFailsIsNot() throws Exception {
    assertThrows(SQLException.class, () -> place("c7", "-1"));
    assertEquals(List.of(), outbox.events());
  }

  @Test
  void eventsComeOnceAndInOrder() throws Exception {
    for (var total : List.of("1", "2", "3")) {
      place("c7", total);
    }
    assertEquals(List.of("1", "2", "3"), outbox.events().stream().map(OrdersTest::total).toList());
    place("c8", "4");
    try (var database = outbox.connect()) {
      execute(database, "DELETE FROM outbox");
    }
    assertEquals(List.of("c8"), outbox.events().stream().map(Event::key).toList());
  }

  private static String total(Event event) {
    try {
      return event.json().get("total").asText();
    } catch (java.io.IOException malformed) {
      throw new java.io.UncheckedIOException(malformed);
    }
  }

  private void place(String customer, String total) throws SQLException {
    try (var database = outbox.connect()) {
      placeOrder(database, customer, new BigDecimal(total));
    }
  }

  /** The code under test. */
  private static void placeOrder(Connection database, String customer, BigDecimal total) throws SQLException {
    database.setAutoCommit(false);
    execute(database, "INSERT INTO outbox (aggregatetype, aggregateid, type, payload)"
        + " VALUES ('Order', ?, 'OrderPlaced', jsonb_build_object('customer', ?::text, 'total', ?::text))",
        customer, customer, total.toPlainString());
    execute(database, "INSERT INTO orders (customer, total) VALUES (?, ?)", customer, total);
    database.commit();
  }

  private static void execute(Connection database, String sql, Object... values) throws SQLException {
    try (var statement = database.prepareStatement(sql)) {
      for (int i = 0; i < values.length; ++i) {
        statement.setObject(i + 1, values[i]);
      }
      statement.execute();
    }
  }
}
