package outbox;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.HashMap;
import java.util.Map;

/** An event as it would be in its topic; {@code value} is its text. */
record Event(String topic, String key, String value, Map<String, String> headers) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Of a line that the sink stdout writes. */
  static Event of(String line) throws JsonProcessingException {
    var record = JSON.readTree(line);
    var headers = new HashMap<String, String>();
    record.get("headers").forEach(header -> headers.put(header.get(0).asText(), header.get(1).asText(null)));
    return new Event(record.get("topic").asText(), record.get("key").asText(null), record.get("value").asText(null), headers);
  }

  String id() {
    return headers.get("id");
  }

  String type() {
    return headers.get("eventType");
  }

  JsonNode json() throws JsonProcessingException {
    return JSON.readTree(value);
  }
}
