package outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A JUnit 5 extension: what the code under test writes into its outbox comes back as the events that walduct publishes.
 *
 * <pre>{@code
 * @RegisterExtension final Outbox outbox = new Outbox();
 *
 * @Test void anOrderIsTold() throws Exception {
 *   try (var database = outbox.connect()) {
 *     placeOrder(database, "c7", "99.90");
 *   }
 *   assertEquals("outbox.event.Order", outbox.events().get(0).topic());
 * }
 * }</pre>
 *
 * Each test has a new database with an outbox table. {@link #events} runs walduct until it has read all that is committed, and
 * returns what came since the last call: no Kafka, nothing to wait or to poll for. walduct is the program that WALDUCT names, else
 * the one on the path.
 */
final class Outbox implements BeforeEachCallback, AfterEachCallback {
  private static final int TIMEOUT_S = 60;
  private static final String WORKER =
      """
      config.providers=env
      config.providers.env.class=org.apache.kafka.common.config.provider.EnvVarConfigProvider
      offset.storage.file.filename=%s/offsets.dat
      """;

  private OutboxServer server;
  private String name;
  private String password;
  private Path directory;

  @Override
  public void beforeEach(ExtensionContext context) throws Exception {
    server = serverOf(context);
    name = "test_" + UUID.randomUUID().toString().replace("-", "").substring(0, 12);
    password = UUID.randomUUID().toString();
    directory = Files.createTempDirectory("outbox");
    admin("CREATE DATABASE " + name);
    try (var database = connect();
        var statement = database.createStatement()) {
      statement.execute(walduct("outbox", "init", "--role", name, "--slot", name));
      statement.execute("ALTER ROLE " + name + " PASSWORD '" + password + "'");
    }
    Files.writeString(
        directory.resolve("outbox.json"),
        walduct("outbox", "init", "--role", name, "--slot", name, "--print", "connector", "--host", server.host, "--port",
            Integer.toString(server.port), "--database", name));
    Files.writeString(directory.resolve("worker.properties"), WORKER.formatted(directory));
    events(); // makes the slot: what is committed from now on is told, whatever becomes of the rows
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    admin("SELECT pg_drop_replication_slot('" + name + "')");
    admin("DROP DATABASE " + name + " WITH (FORCE)");
    admin("DROP ROLE " + name);
    try (var files = Files.walk(directory)) {
      for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  /** For the code under test. */
  String url() {
    return urlOf(name);
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(url());
  }

  /** What was committed since the last call, in the order of commits. */
  List<Event> events() throws IOException, InterruptedException {
    var lines =
        walduct("run", "-f", directory + "/outbox.json", "-w", directory + "/worker.properties", "-o", "sink=stdout",
            "--until-caught-up", "--log-level", "warn");
    var events = new ArrayList<Event>();
    for (var line : lines.split("\n")) {
      if (!line.isEmpty()) {
        events.add(Event.of(line));
      }
    }
    return events;
  }

  private static OutboxServer serverOf(ExtensionContext context) {
    return context
        .getRoot()
        .getStore(ExtensionContext.Namespace.create(Outbox.class))
        .getOrComputeIfAbsent("server", key -> startServer(), OutboxServer.class);
  }

  private static OutboxServer startServer() {
    try {
      return OutboxServer.start();
    } catch (Exception failed) {
      throw new IllegalStateException(failed);
    }
  }

  private String urlOf(String database) {
    return "jdbc:postgresql://" + server.host + ":" + server.port + "/" + database + "?user=" + server.user + "&password=" + server.password;
  }

  private void admin(String sql) throws SQLException {
    try (var connection = DriverManager.getConnection(urlOf("postgres"));
        var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private String walduct(String... arguments) throws IOException, InterruptedException {
    var command = new ArrayList<>(List.of(System.getenv().getOrDefault("WALDUCT", "walduct")));
    command.addAll(Arrays.asList(arguments));
    var said = directory.resolve("stdout");
    var told = directory.resolve("stderr");
    var process = new ProcessBuilder(command).redirectOutput(said.toFile()).redirectError(told.toFile());
    process.environment().put("DATABASE_PASSWORD", password);
    var running = process.start();
    boolean ended = running.waitFor(TIMEOUT_S, TimeUnit.SECONDS);
    running.destroyForcibly();
    assertTrue(ended, () -> "walduct " + arguments[0] + " runs for more than " + TIMEOUT_S + " s");
    var error = Files.readString(told);
    assertEquals(0, running.exitValue(), () -> "walduct " + arguments[0] + ": " + error);
    return Files.readString(said);
  }
}
