// Drives a worker through the life of a connector with SourceLab's kafka-connect-client, which AKHQ uses: Drive URL NAME CONFIG.properties
import java.io.FileReader;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.sourcelab.kafka.connect.apiclient.Configuration;
import org.sourcelab.kafka.connect.apiclient.KafkaConnectClient;
import org.sourcelab.kafka.connect.apiclient.request.dto.ConnectorPluginConfigDefinition;
import org.sourcelab.kafka.connect.apiclient.request.dto.ConnectorStatus;
import org.sourcelab.kafka.connect.apiclient.request.dto.NewConnectorDefinition;

class Drive {
  static void check(boolean holds, String what) {
    if (!holds) throw new AssertionError(what);
  }

  static void await(KafkaConnectClient client, String name, String state) throws InterruptedException {
    String seen = "";
    for (long end = System.currentTimeMillis() + 60_000; System.currentTimeMillis() < end; Thread.sleep(100)) {
      ConnectorStatus status = client.getConnectorStatus(name);
      seen = status.toString();
      if (status.getConnector().get("state").equals(state) && status.getTasks().size() == 1
          && status.getTasks().get(0).getState().equals(state)) {
        return;
      }
    }
    throw new AssertionError(name + " is not " + state + ": " + seen);
  }

  public static void main(String[] arguments) throws Exception {
    String name = arguments[1];
    Properties properties = new Properties();
    try (FileReader reader = new FileReader(arguments[2])) {
      properties.load(reader);
    }
    Map<String, String> config = new HashMap<>();
    properties.forEach((key, value) -> config.put((String) key, (String) value));
    KafkaConnectClient client = new KafkaConnectClient(new Configuration(arguments[0]));

    check(!client.getConnectServerVersion().getVersion().isEmpty(), "a version");
    String type = config.get("connector.class");
    check(client.getConnectorPlugins().stream().anyMatch(one -> one.getClassName().equals(type)), "the plug-in is listed");
    Map<String, String> sent = new HashMap<>(config);
    sent.put("name", name);
    int errors = client.validateConnectorPluginConfig(new ConnectorPluginConfigDefinition("PostgresConnector", sent)).getErrorCount();
    check(errors == 0, errors + " errors in a good configuration");
    client.addConnector(NewConnectorDefinition.newBuilder().withName(name).withConfig(config).build());
    await(client, name, "RUNNING");
    check(client.getConnectors().contains(name), "it is listed");
    check(client.getConnectorsWithAllExpandedMetadata().getAllDefinitions().size() == 1, "it is listed with its definition");
    check(client.getConnectorConfig(name).equals(sent), "the configuration is the one sent");
    check(client.getConnector(name).getTasks().size() == 1, "it has a task");
    check(client.getConnectorTaskStatus(name, 0).getState().equals("RUNNING"), "its task runs");
    check(client.pauseConnector(name), "pause");
    await(client, name, "PAUSED");
    check(client.resumeConnector(name), "resume");
    await(client, name, "RUNNING");
    sent.put("poll.interval.ms", "250");
    check(client.updateConnectorConfig(name, sent).getConfig().get("poll.interval.ms").equals("250"), "the new configuration");
    await(client, name, "RUNNING");
    check(client.restartConnector(name), "restart");
    check(client.restartConnectorTask(name, 0), "restart of the task");
    await(client, name, "RUNNING");
    client.getConnectorTopics(name);
    check(client.deleteConnector(name), "delete");
    check(!client.getConnectors().contains(name), "it is gone");
  }
}
