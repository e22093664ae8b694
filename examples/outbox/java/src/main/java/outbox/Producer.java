package outbox;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;

/**
 * Places an order: the order's row and its event in one transaction, so that both are there or neither.
 *
 * <p>DATABASE_URL=jdbc:postgresql://localhost/shop?user=shop java -cp 'target/classes:target/libs/*' outbox.Producer c7 99.90
 */
public final class Producer {
  private static final String ORDER = "INSERT INTO orders (customer, total) VALUES (?, ?) RETURNING id";
  private static final String EVENT =
      "INSERT INTO outbox (aggregatetype, aggregateid, type, payload) VALUES ('Order', ?, 'OrderPlaced', ?::jsonb)";

  private static final ObjectMapper JSON = new ObjectMapper();

  static long placeOrder(Connection database, String customer, BigDecimal total)
      throws SQLException, JsonProcessingException {
    database.setAutoCommit(false);
    try (var order = database.prepareStatement(ORDER);
        var event = database.prepareStatement(EVENT)) {
      order.setString(1, customer);
      order.setBigDecimal(2, total);
      long id;
      try (var row = order.executeQuery()) {
        row.next();
        id = row.getLong(1);
      }
      // The total as text: JSON has no decimals.
      var payload = Map.of("orderId", id, "customer", customer, "total", total.toPlainString());
      event.setString(1, Long.toString(id));
      event.setString(2, JSON.writeValueAsString(payload));
      event.executeUpdate();
      database.commit();
      return id;
    } catch (SQLException | JsonProcessingException | RuntimeException failed) {
      database.rollback();
      throw failed;
    }
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments.length != 2) {
      System.err.println("usage: Producer CUSTOMER TOTAL");
      System.exit(2);
    }
    var url = System.getenv().getOrDefault("DATABASE_URL", "jdbc:postgresql://localhost/shop");
    try (var database = DriverManager.getConnection(url)) {
      System.out.println("placed " + placeOrder(database, arguments[0], new BigDecimal(arguments[1])));
    }
  }

  private Producer() {}
}
