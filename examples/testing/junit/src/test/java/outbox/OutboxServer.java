package outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.PostgreSQLContainer;

/**
 * A PostgreSQL for tests: the server that WALDUCT_TEST_DATABASE names (postgres://USER:PASSWORD@HOST:PORT/DATABASE of a superuser;
 * wal_level=logical), else a container where Docker answers, else the PostgreSQL that is installed on the machine.
 */
final class OutboxServer implements AutoCloseable {
  private static final String IMAGE = "postgres:17";
  private static final List<String> SETTINGS =
      List.of("wal_level=logical", "fsync=off", "max_replication_slots=100", "max_wal_senders=100");

  final String host;
  final int port;
  final String user;
  final String password;
  private final AutoCloseable server;

  private OutboxServer(String host, int port, String user, String password, AutoCloseable server) {
    this.host = host;
    this.port = port;
    this.user = user;
    this.password = password;
    this.server = server;
  }

  static OutboxServer start() throws Exception {
    var given = System.getenv("WALDUCT_TEST_DATABASE");
    if (given != null) {
      var address = new java.net.URI(given);
      var login = address.getUserInfo().split(":", 2);
      int port = address.getPort() < 0 ? 5432 : address.getPort();
      return new OutboxServer(address.getHost(), port, login[0], login.length > 1 ? login[1] : "", () -> {});
    }
    return DockerClientFactory.instance().isDockerAvailable() ? inContainer() : asProcesses();
  }

  @Override
  public void close() throws Exception {
    server.close();
  }

  private static OutboxServer inContainer() {
    var command = new ArrayList<>(List.of("postgres"));
    SETTINGS.forEach(one -> command.addAll(List.of("-c", one)));
    var container = new PostgreSQLContainer<>(IMAGE).withUsername("postgres").withPassword("postgres");
    container.withCommand(command.toArray(String[]::new));
    container.start();
    return new OutboxServer(container.getHost(), container.getFirstMappedPort(), "postgres", "postgres", container::stop);
  }

  private static OutboxServer asProcesses() throws Exception {
    var bin = binaries();
    var directory = run("mktemp", "-d").strip();
    var data = directory + "/data";
    int port;
    try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    var settings = new ArrayList<>(SETTINGS);
    settings.addAll(List.of("port=" + port, "listen_addresses=127.0.0.1", "unix_socket_directories=" + directory));
    run(bin + "/initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync");
    run(bin + "/pg_ctl", "-D", data, "-l", directory + "/log", "-w", "-o", "-c " + String.join(" -c ", settings), "start");
    return new OutboxServer("127.0.0.1", port, "postgres", "", () -> {
      run(bin + "/pg_ctl", "-D", data, "-m", "immediate", "stop");
      run("rm", "-rf", directory);
    });
  }

  private static Path binaries() throws IOException {
    for (var folder : System.getenv("PATH").split(File.pathSeparator)) {
      if (Files.isExecutable(Path.of(folder, "initdb"))) {
        return Path.of(folder);
      }
    }
    var debian = Path.of("/usr/lib/postgresql");
    if (Files.isDirectory(debian)) {
      try (var versions = Files.list(debian)) {
        var newest =
            versions
                .filter(one -> Files.isExecutable(one.resolve("bin/initdb")))
                .max(Comparator.comparingInt(one -> Integer.parseInt(one.getFileName().toString())));
        if (newest.isPresent()) {
          return newest.get().resolve("bin");
        }
      }
    }
    throw new IllegalStateException("no PostgreSQL: install one, or start Docker, or set WALDUCT_TEST_DATABASE");
  }

  /** PostgreSQL does not run as root, as containers of CI do. */
  private static String run(String... command) throws IOException, InterruptedException {
    var all = new ArrayList<String>();
    if ("root".equals(System.getProperty("user.name"))) {
      all.addAll(List.of("runuser", "-u", "postgres", "--"));
    }
    all.addAll(Arrays.asList(command));
    var said = Files.createTempFile("postgres", ".log"); // not a pipe: the server would keep it open
    try {
      int code = new ProcessBuilder(all).directory(new File("/")).redirectErrorStream(true).redirectOutput(said.toFile()).start().waitFor();
      var text = Files.readString(said);
      assertEquals(0, code, () -> String.join(" ", command) + ": " + text);
      return text;
    } finally {
      Files.delete(said);
    }
  }
}
