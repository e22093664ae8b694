package outbox;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Base64;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Applies each event of an outbox to a database exactly once; the events come as signed webhooks (standardwebhooks.com). A
 * request is sent again until it is answered with 2xx, with the same webhook-id. The effect and that id are written in one
 * transaction; the second time the inbox says no. The effect here: orders counted and summed per customer.
 *
 * <p>DATABASE_URL=jdbc:postgresql://localhost/billing?user=billing WEBHOOK_SECRET=whsec_… PORT=8090 java -cp
 * 'target/classes:target/libs/*' outbox.Webhook
 */
public final class Webhook {
  private static final String INBOX = "INSERT INTO inbox (consumer, message_id) VALUES (?, ?) ON CONFLICT DO NOTHING";
  private static final String EFFECT =
      """
      INSERT INTO customer_totals (customer, orders, total) VALUES (?, 1, ?) ON CONFLICT (customer)
      DO UPDATE SET orders = customer_totals.orders + 1, total = customer_totals.total + excluded.total
      """;
  private static final String FORGET = "DELETE FROM inbox WHERE consumer = ? AND handled_at < now() - ?::interval";
  private static final long OLDEST_S = 300;
  private static final int LONGEST = 1 << 20; // bytes of a body
  private static final int THREADS = 8;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final String name = setting("GROUP", "billing");
  private final String url = setting("DATABASE_URL", "jdbc:postgresql://localhost/billing");
  private final ThreadLocal<Connection> sessions = new ThreadLocal<>();
  private final SecretKeySpec secret;

  private Webhook(byte[] secret) {
    this.secret = new SecretKeySpec(secret, "HmacSHA256");
  }

  /** That of this thread; one that was lost is made anew. */
  private Connection session() throws SQLException {
    var session = sessions.get();
    if (session == null || session.isClosed()) {
      session = DriverManager.getConnection(url);
      session.setAutoCommit(false);
      sessions.set(session);
    }
    return session;
  }

  /** Over the bytes that came, compared in constant time; what is old may be somebody's recording. */
  private boolean signed(Headers headers, byte[] body) throws GeneralSecurityException {
    var id = first(headers, "webhook-id");
    var at = first(headers, "webhook-timestamp");
    if (!at.matches("\\d{1,18}") || Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(at)) > OLDEST_S) {
      return false;
    }
    var mac = Mac.getInstance("HmacSHA256");
    mac.init(secret);
    mac.update((id + "." + at + ".").getBytes(StandardCharsets.UTF_8));
    var wanted = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(StandardCharsets.UTF_8);
    boolean found = false;
    for (var one : first(headers, "webhook-signature").split(" ")) {
      found |= MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), wanted);
    }
    return found;
  }

  private static String first(Headers headers, String name) {
    var value = headers.getFirst(name);
    return value == null ? "" : value;
  }

  /** 204 after the commit, and only then; 400: not understood, as often as it comes. */
  private int handle(String id, String kind, byte[] body) throws SQLException {
    var database = session();
    try (var inbox = database.prepareStatement(INBOX);
        var effect = database.prepareStatement(EFFECT)) {
      inbox.setString(1, name);
      inbox.setString(2, id);
      boolean isNew = inbox.executeUpdate() == 1;
      if (isNew && "OrderPlaced".equals(kind)) {
        var order = orderOf(body);
        if (order == null) {
          database.rollback();
          return 400;
        }
        effect.setString(1, order.get("customer").asText());
        effect.setBigDecimal(2, new BigDecimal(order.get("total").asText()));
        effect.executeUpdate();
      }
      database.commit();
      System.out.println((isNew ? "applied " : "seen before ") + id);
      return 204;
    } catch (SQLException | RuntimeException failed) {
      database.rollback();
      throw failed;
    }
  }

  private static JsonNode orderOf(byte[] body) {
    try {
      var order = JSON.readTree(new String(body, StandardCharsets.UTF_8));
      new BigDecimal(order.path("total").asText());
      return order.hasNonNull("customer") ? order : null;
    } catch (JsonProcessingException | NumberFormatException failed) {
      return null;
    }
  }

  private int answer(HttpExchange request) {
    try {
      var body = request.getRequestBody().readNBytes(LONGEST + 1);
      if (body.length > LONGEST) {
        return 413;
      }
      if (!signed(request.getRequestHeaders(), body)) {
        return 401;
      }
      var path = request.getRequestURI().getPath();
      return handle(first(request.getRequestHeaders(), "webhook-id"), path.substring(path.lastIndexOf('/') + 1), body);
    } catch (SQLException | IOException | GeneralSecurityException | RuntimeException failed) {
      System.err.println(failed.getMessage());
      return 500; // it comes again
    }
  }

  /** What a sender no longer repeats need not be remembered. */
  private void forget() {
    try {
      var database = session();
      try (var old = database.prepareStatement(FORGET)) {
        old.setString(1, name);
        old.setString(2, setting("INBOX_RETENTION", "30 days"));
        old.executeUpdate();
        database.commit();
      } catch (SQLException failed) {
        database.rollback();
        throw failed;
      }
    } catch (SQLException failed) {
      System.err.println(failed.getMessage());
    }
  }

  private static String setting(String name, String otherwise) {
    return System.getenv().getOrDefault(name, otherwise);
  }

  public static void main(String[] arguments) throws Exception {
    var secret = setting("WEBHOOK_SECRET", "").replaceFirst("^whsec_", "");
    if (secret.isEmpty()) {
      System.err.println("WEBHOOK_SECRET: whsec_ and base64 of the secret that the sender has");
      System.exit(2);
    }
    var webhook = new Webhook(Base64.getDecoder().decode(secret));
    var workers = Executors.newFixedThreadPool(THREADS);
    var hourly = Executors.newSingleThreadScheduledExecutor();
    hourly.scheduleWithFixedDelay(webhook::forget, 0, 1, TimeUnit.HOURS);
    var server = HttpServer.create(new InetSocketAddress(Integer.parseInt(setting("PORT", "8090"))), 0);
    server.setExecutor(workers);
    server.createContext("/", request -> request.sendResponseHeaders(webhook.answer(request), -1));
    server.start();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> server.stop(5)));
  }
}
