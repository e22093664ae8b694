// RegistryClient against a server that answers as a test says.
#include "registry/registry_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>

#include "absl/strings/str_replace.h"
#include "base/error.h"
#include "base/json_text.h"
#include "tests/support/await.h"
#include "tests/support/http_server.h"
#include "tests/support/simulated_time.h"

namespace walduct::registry {
namespace {

using test::HttpAnswer;
using test::HttpCall;
using test::HttpServer;
using testing::HasSubstr;

constexpr char kIdAndNote[] = R"({"type":"record","name":"V","fields":[{"name":"id","type":"int"},)"
                              R"({"name":"note","type":"string"}]})";
constexpr char kIdNoteAndMore[] =
    R"({"type":"record","name":"V","fields":[{"name":"id","type":"int"},)"
    R"({"name":"note","type":"string"},{"name":"more","type":"string"}]})";

class RegistryClientTest : public testing::Test {
 protected:
  RegistryClientTest() {
    options_.property = "value.converter";
    options_.retry_wait = absl::Milliseconds(1);
    options_.retry_wait_max = absl::Milliseconds(1);
  }

  RegistryClient& client() {
    if (client_ == nullptr) client_ = *RegistryClient::Create(options_, "test", time_);
    return *client_;
  }

  // Asks until there is an answer.
  absl::StatusOr<int64_t> Find(absl::string_view subject, absl::string_view schema) {
    while (true) {
      absl::StatusOr<int64_t> id = client().Find(subject, schema);
      if (!absl::IsResourceExhausted(id.status())) return id;
      pollfd ready = {.fd = client().ready_fd(), .events = POLLIN, .revents = 0};
      if (poll(&ready, 1, 20000) != 1) return absl::DeadlineExceededError("no answer");
    }
  }

  // Returns once all that was foreseen has been looked at, then ends the client; what it logged.
  std::string LogOfForesight(const HttpServer& server) {
    client().Foresee("the-last", "\"int\"");
    test::Await([&] {
      const auto calls = server.calls();
      return !calls.empty() && calls.back().line.find("the-last") != std::string::npos;
    });
    client_.reset();
    return testing::internal::GetCapturedStderr();
  }

  test::SimulatedTime time_;
  RegistryOptions options_;
  std::unique_ptr<RegistryClient> client_;
};

TEST_F(RegistryClientTest, RegistersASchemaOnce) {
  HttpServer server([](const HttpCall&) { return HttpAnswer{.body = R"({"id":7})"}; });
  options_.urls = {server.url()};
  EXPECT_EQ(*Find("a/b-key", R"({"type":"int"})"), 7);
  EXPECT_EQ(*client().Find("a/b-key", R"({"type":"int"})"), 7);
  ASSERT_EQ(server.calls().size(), 1u);
  EXPECT_EQ(server.calls()[0].line, "POST /subjects/a%2Fb-key/versions?normalize=false");
  EXPECT_EQ(server.calls()[0].body, R"({"schema":"{\"type\":\"int\"}"})");
  EXPECT_THAT(server.calls()[0].headers,
              HasSubstr("Content-Type: application/vnd.schemaregistry.v1+json\r\n"));
}

TEST_F(RegistryClientTest, AnIdIsOfOneSchema) {
  HttpServer server([](const HttpCall&) { return HttpAnswer{.body = R"({"id":1})"}; });
  options_.urls = {server.url()};
  EXPECT_EQ(*Find("a-key", "\"int\""), 1);
  EXPECT_EQ(*Find("b-key", "\"int\""), 1);
  const absl::Status status = Find("b-value", "\"long\"").status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_EQ(ErrorReason(status), "schema_id_reused");
  EXPECT_THAT(status.message(), HasSubstr("subject b-value the id 1"));
}

TEST_F(RegistryClientTest, ANormalizedSchemaMayStandForSeveral) {
  HttpServer server([](const HttpCall&) { return HttpAnswer{.body = R"({"id":1})"}; });
  options_.urls = {server.url()};
  options_.normalize = true;
  EXPECT_EQ(*Find("a-key", R"({"type":"int"})"), 1);
  EXPECT_EQ(*Find("a-value", R"({"type": "int"})"), 1);
}

TEST_F(RegistryClientTest, OnlyLooksUpWhereItMayNotRegister) {
  HttpServer server([](const HttpCall&) {
    return HttpAnswer{404, R"({"error_code":40403,"message":"Schema not found"})"};
  });
  options_.urls = {server.url()};
  options_.register_schemas = false;
  const absl::Status status = Find("t-value", "\"int\"").status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_EQ(ErrorReason(status), "schema_not_registered");
  EXPECT_THAT(status.message(), HasSubstr("Schema not found (error code 40403)"));
  EXPECT_THAT(ErrorHint(status), HasSubstr("value.converter.auto.register.schemas=true"));
  EXPECT_EQ(server.calls()[0].line, "POST /subjects/t-value?normalize=false&deleted=false");
}

TEST_F(RegistryClientTest, TakesTheLatestSchemaOfTheSameShape) {
  HttpServer server([](const HttpCall& call) {
    if (call.line.find("GET") != 0) return HttpAnswer{.body = R"({"id":9})"};
    return HttpAnswer{.body = R"({"id":9,"schema":"{\"type\":\"int\",\"doc\":\"ours\"}"})"};
  });
  options_.urls = {server.url()};
  options_.register_schemas = false;
  options_.latest = true;
  EXPECT_EQ(*Find("t-value", R"("int")"), 9);
  ASSERT_EQ(server.calls().size(), 2u);
  EXPECT_EQ(server.calls()[0].line, "GET /subjects/t-value/versions/latest");
  EXPECT_EQ(server.calls()[1].line, "POST /subjects/t-value?normalize=false&deleted=false");
  EXPECT_EQ(server.calls()[1].body, R"({"schema":"{\"type\":\"int\",\"doc\":\"ours\"}"})");
}

TEST_F(RegistryClientTest, TakesTheSchemaOfAnId) {
  HttpServer server([](const HttpCall& call) {
    return HttpAnswer{.body =
                          call.line.find("GET") == 0 ? R"({"schema":"\"int\""})" : R"({"id":4})"};
  });
  options_.urls = {server.url()};
  options_.register_schemas = false;
  options_.latest = true;
  options_.schema_id = 4;
  EXPECT_EQ(*Find("t-value", R"("int")"), 4);
  EXPECT_EQ(server.calls()[0].line, "GET /schemas/ids/4?fetchMaxId=false&subject=t-value");
}

TEST_F(RegistryClientTest, RefusesALatestSchemaOfOtherValues) {
  HttpServer server([](const HttpCall&) {
    return HttpAnswer{
        .body =
            R"({"schema":"{\"type\":\"record\",\"name\":\"V\",\"fields\":[{\"name\":\"note\",\"type\":\"string\"}]}"})"};
  });
  options_.urls = {server.url()};
  options_.register_schemas = false;
  options_.latest = true;
  const absl::Status status = Find("t-value", kIdAndNote).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_EQ(ErrorReason(status), "schema_differs");
  EXPECT_THAT(status.message(),
              HasSubstr("the latest schema of subject t-value does not describe"));
  EXPECT_THAT(status.message(), HasSubstr("field 1 of the value is note there, and id"));
  EXPECT_THAT(ErrorHint(status), HasSubstr("value.converter.use.latest.version=false"));
  EXPECT_EQ(server.calls().size(), 1u);
}

TEST_F(RegistryClientTest, ANarrowerLatestSchemaLeavesFieldsOut) {
  HttpServer server([](const HttpCall& call) {
    if (call.line.find("GET") != 0) return HttpAnswer{.body = R"({"id":9})"};
    return HttpAnswer{
        .body =
            R"({"schema":"{\"type\":\"record\",\"name\":\"V\",\"fields\":[{\"name\":\"id\",\"type\":\"int\"}]}"})"};
  });
  options_.urls = {server.url()};
  options_.register_schemas = false;
  options_.latest = true;
  testing::internal::CaptureStderr();
  EXPECT_EQ(*Find("t-value", kIdAndNote), 9);
  const auto rewriter = client().RewriterOf("t-value", kIdAndNote);
  ASSERT_NE(rewriter, nullptr);
  std::string value;
  ASSERT_TRUE(rewriter->Rewrite("\2\2a", &value).ok());
  EXPECT_EQ(value, "\2");
  EXPECT_EQ(client().RewriterOf("other-value", kIdAndNote), nullptr);
  EXPECT_EQ(*Find("t-value", kIdNoteAndMore), 9);
  client_.reset();
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("fields=note"));
  EXPECT_EQ(log.find("more"), std::string::npos);  // told once for each subject
}

TEST_F(RegistryClientTest, SaysWhatASchemaIsOf) {
  HttpServer server([](const HttpCall& call) {
    if (call.line.find("GET") != 0) return HttpAnswer{.body = R"({"id":9})"};
    return HttpAnswer{.body = R"({"schema":"message V { int32 id = 1; }"})"};
  });
  options_.schema_type = "PROTOBUF";
  options_.urls = {server.url()};
  options_.register_schemas = false;
  options_.latest = true;
  EXPECT_EQ(*Find("t-value", "message V {\n  int32 id = 1;\n}\n"), 9);
  ASSERT_EQ(server.calls().size(), 2u);
  EXPECT_EQ(server.calls()[1].body,
            R"({"schemaType":"PROTOBUF","schema":"message V { int32 id = 1; }"})");
  EXPECT_EQ(ErrorReason(Find("t-value", "message V { int64 id = 1; }").status()), "schema_differs");
}

TEST_F(RegistryClientTest, SaysThatASubjectIsNotThere) {
  HttpServer server([](const HttpCall&) {
    return HttpAnswer{404, R"({"error_code":40401,"message":"Subject not found"})"};
  });
  options_.urls = {server.url()};
  options_.register_schemas = false;
  options_.latest = true;
  EXPECT_EQ(ErrorReason(Find("t-value", R"("int")").status()), "schema_not_registered");
}

TEST_F(RegistryClientTest, RemembersApicuriosIdsByTheSchemaAlone) {
  HttpServer server([](const HttpCall&) { return HttpAnswer{.body = R"({"globalId":7})"}; });
  options_.api = RegistryApi::kApicurio;
  options_.urls = {server.url()};
  EXPECT_EQ(*Find("a-key", R"("string")"), 7);
  EXPECT_EQ(*Find("b-key", R"("string")"), 7);
  ASSERT_EQ(server.calls().size(), 1u);
  EXPECT_THAT(server.calls()[0].headers, HasSubstr("X-Registry-ArtifactId: a-key\r\n"));
  EXPECT_THAT(server.calls()[0].headers, HasSubstr("X-Registry-ArtifactType: AVRO\r\n"));
}

TEST_F(RegistryClientTest, ConvertersOfApicurioRememberOnTheirOwn) {
  RegistryOptions key = options_, value = options_;
  key.property = "key.converter";
  EXPECT_TRUE(SameRegistry(key, value));
  key.api = value.api = RegistryApi::kApicurio;
  EXPECT_FALSE(SameRegistry(key, value));
  EXPECT_TRUE(SameRegistry(key, key));
}

TEST_F(RegistryClientTest, HandsOnWhatTheRegistrySays) {
  HttpServer server([](const HttpCall& call) {
    return call.line.find("old") != std::string::npos
               ? HttpAnswer{409, R"({"error_code":409,"message":"reader lacks field x"})"}
               : HttpAnswer{422, R"({"error_code":42201,"message":"Illegal initial character"})"};
  });
  options_.urls = {server.url()};
  const absl::Status incompatible = Find("old-value", "\"int\"").status();
  EXPECT_EQ(ErrorReason(incompatible), "schema_incompatible");
  EXPECT_THAT(incompatible.message(), HasSubstr("old-value: reader lacks field x"));
  EXPECT_THAT(ErrorHint(incompatible), HasSubstr("PUT /config/old-value"));
  const absl::Status invalid = Find("new-value", "\"int\"").status();
  EXPECT_EQ(ErrorReason(invalid), "schema_refused");
  EXPECT_THAT(invalid.message(), HasSubstr("Illegal initial character"));
}

// Karapace hides from a user which subjects there are.
TEST_F(RegistryClientTest, NotFoundWhereASchemaIsToBeRegisteredIsARightThatIsMissing) {
  HttpServer server([](const HttpCall& call) {
    return call.line.find("moved") != std::string::npos
               ? HttpAnswer{404, "<html>no such page</html>"}
               : HttpAnswer{404,
                            R"({"error_code":40401,"message":"Subject 't-value' not found."})"};
  });
  options_.urls = {server.url()};
  const absl::Status hidden = Find("t-value", "\"int\"").status();
  EXPECT_TRUE(absl::IsPermissionDenied(hidden)) << "not of this record alone";
  EXPECT_EQ(ErrorReason(hidden), "registry_forbidden");
  EXPECT_THAT(ErrorHint(hidden), HasSubstr("the permission Write on Subject:t-value"));
  EXPECT_THAT(ErrorHint(hidden), HasSubstr("value.converter.basic.auth.user.info"));
  const absl::Status moved = Find("moved-value", "\"int\"").status();
  EXPECT_EQ(ErrorReason(moved), "schema_refused");
  EXPECT_THAT(ErrorHint(moved),
              HasSubstr("check that the addresses of value.converter's registry"));
  EXPECT_EQ(ErrorHint(moved).find("adjustment"), std::string::npos);
}

TEST_F(RegistryClientTest, AJsonSchemaThatMayNotGrowIsToBeClosed) {
  HttpServer server([](const HttpCall&) {
    return HttpAnswer{409,
                      R"({"error_code":409,"message":"PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL"})"};
  });
  options_.urls = {server.url()};
  constexpr char kOption[] = "value.converter.object.additional.properties=false";
  EXPECT_EQ(ErrorHint(Find("t-value", "\"int\"").status()).find(kOption), std::string::npos);
  client_.reset();
  options_.schema_type = "JSON";
  EXPECT_THAT(ErrorHint(Find("t-value", R"({"type":"integer"})").status()), HasSubstr(kOption));
}

TEST_F(RegistryClientTest, AsksAgainWhenAnotherRegistersAtTheSameMoment) {
  std::atomic<int> asked{0};
  HttpServer server([&](const HttpCall&) {
    return asked++ == 0
               ? HttpAnswer{409, R"({"error_code":409,"message":"An artifact already exists."})"}
               : HttpAnswer{.body = R"({"id":4})"};
  });
  options_.urls = {server.url()};
  EXPECT_EQ(*Find("t-key", "\"int\""), 4);
}

TEST_F(RegistryClientTest, WaitsForOneThatIsBrokenOrBusy) {
  std::atomic<int> asked{0};
  HttpServer server([&](const HttpCall&) {
    constexpr int kStatus[] = {500, 503, 429, 408, 502};
    const int n = asked++;
    if (n < 5) return HttpAnswer{kStatus[n], "busy"};
    return n == 5 ? HttpAnswer{.body = "<html>welcome</html>"} : HttpAnswer{.body = R"({"id":3})"};
  });
  options_.urls = {server.url()};
  EXPECT_EQ(*Find("t-key", "\"int\""), 3);
  EXPECT_EQ(server.calls().size(), 7u);
  EXPECT_EQ(client().WaitingFor(), "");
}

TEST_F(RegistryClientTest, LeavesAnAddressThatFails) {
  HttpServer broken([](const HttpCall&) { return HttpAnswer{503, ""}; });
  HttpServer good([](const HttpCall&) { return HttpAnswer{.body = R"({"id":1})"}; });
  options_.urls = {test::DeadUrl(), broken.url(), good.url()};
  EXPECT_EQ(*Find("a-key", "\"int\""), 1);
  EXPECT_EQ(*Find("b-key", "\"int\""), 1);
  EXPECT_EQ(broken.calls().size(), 1u);
  EXPECT_EQ(good.calls().size(), 2u);
}

TEST_F(RegistryClientTest, SaysWhatItWaitsForAndEndsAtOnce) {
  HttpServer silent([](const HttpCall&) { return HttpAnswer{.never = true}; });
  options_.urls = {silent.url()};
  EXPECT_TRUE(absl::IsResourceExhausted(client().Find("t-key", "\"int\"").status()));
  ASSERT_TRUE(test::Await([&] { return !silent.calls().empty(); }));
  EXPECT_THAT(client().WaitingFor(), HasSubstr(silent.url()));
  EXPECT_THAT(client().WaitingFor(), HasSubstr("subject t-key, to answer"));
  client_.reset();
}

TEST_F(RegistryClientTest, SaysWhyItWaits) {
  options_.urls = {test::DeadUrl()};
  EXPECT_TRUE(absl::IsResourceExhausted(client().Find("t-key", "\"int\"").status()));
  ASSERT_TRUE(
      test::Await([&] { return client().WaitingFor().find("to answer") == std::string::npos; }));
  EXPECT_THAT(client().WaitingFor(), HasSubstr("t-key: "));
}

TEST_F(RegistryClientTest, GivesUpOneThatTurnsItAway) {
  HttpServer server([](const HttpCall& call) {
    return HttpAnswer{call.line.find("a-key") != std::string::npos ? 401 : 403, ""};
  });
  options_.urls = {server.url()};
  EXPECT_TRUE(absl::IsUnauthenticated(Find("a-key", "\"int\"").status()));
  EXPECT_TRUE(absl::IsPermissionDenied(Find("b-key", "\"int\"").status()));
}

TEST_F(RegistryClientTest, ShowsWhoItIs) {
  HttpServer server([](const HttpCall&) { return HttpAnswer{.body = R"({"id":1})"}; });
  options_.urls = {server.url()};
  options_.http.basic = "reader:s3cret";
  options_.http.headers = {{"X-Team", "orders"}};
  EXPECT_TRUE(Find("t-key", "\"int\"").ok());
  EXPECT_THAT(server.calls()[0].headers,
              HasSubstr("Authorization: Basic cmVhZGVyOnMzY3JldA==\r\n"));
  EXPECT_THAT(server.calls()[0].headers, HasSubstr("X-Team: orders\r\n"));
  client_.reset();
  options_.http.basic.clear();
  options_.http.bearer = "abc.def";
  EXPECT_TRUE(Find("t-key", "\"int\"").ok());
  EXPECT_THAT(server.calls()[1].headers, HasSubstr("Authorization: Bearer abc.def\r\n"));
}

TEST_F(RegistryClientTest, AsksThroughAProxy) {
  HttpServer proxy([](const HttpCall&) { return HttpAnswer{.body = R"({"id":9})"}; });
  options_.urls = {"http://registry.invalid:8081"};
  options_.http.proxy = proxy.url();
  EXPECT_EQ(*Find("t-key", "\"int\""), 9);
  EXPECT_EQ(proxy.calls()[0].line,
            "POST http://registry.invalid:8081/subjects/t-key/versions?normalize=false");
}

TEST_F(RegistryClientTest, AsksAgainAboutARefusalAfterAWhile) {
  std::atomic<bool> refuses{true};
  HttpServer server([&](const HttpCall&) {
    return refuses ? HttpAnswer{409, "{}"} : HttpAnswer{.body = R"({"id":1})"};
  });
  options_.urls = {server.url()};
  EXPECT_FALSE(Find("t-key", "\"int\"").ok());
  refuses = false;
  EXPECT_TRUE(absl::IsInvalidArgument(client().Find("t-key", "\"int\"").status()));
  time_.Advance(absl::Seconds(11));
  EXPECT_EQ(*Find("t-key", "\"int\""), 1);
}

TEST_F(RegistryClientTest, SaysWhatTheRefusedSchemaChanged) {
  HttpServer server([&](const HttpCall& call) {
    if (call.line.find("GET") != 0) return HttpAnswer{409, R"({"message":"no"})"};
    std::string body = R"({"version":3,"schema":)";
    AppendJsonString(kIdAndNote, &body);
    return HttpAnswer{.body = body + "}"};
  });
  options_.urls = {server.url()};
  const std::string retyped = absl::StrReplaceAll(kIdAndNote, {{R"("string")", R"("int")"}});
  EXPECT_THAT(
      Find("t-value", retyped).status().message(),
      HasSubstr("no; beside version 3, field note is string there, and int in the table's"));
  EXPECT_EQ(server.calls()[1].line, "GET /subjects/t-value/versions/latest");
  EXPECT_THAT(Find("t-value", kIdNoteAndMore).status().message(),
              HasSubstr("no; beside version 3, more is not there"));
}

TEST_F(RegistryClientTest, AsksAheadWithoutRegistering) {
  HttpServer server([&](const HttpCall& call) {
    if (call.line.find("GET") == 0) return HttpAnswer{404, "{}"};
    return HttpAnswer{.body = R"({"is_compatible":false,"messages":["reader lacks field x"]})"};
  });
  options_.urls = {server.url()};
  testing::internal::CaptureStderr();
  client().Foresee("t-value", "\"int\"");
  const std::string log = LogOfForesight(server);
  EXPECT_EQ(server.calls()[0].line, "POST /compatibility/subjects/t-value/versions?verbose=true");
  EXPECT_EQ(server.calls()[0].body, R"({"schema":"\"int\""})");
  EXPECT_THAT(log, HasSubstr("reader lacks field x"));
  EXPECT_THAT(log, HasSubstr("PUT /config/t-value"));
}

TEST_F(RegistryClientTest, IsSilentAboutWhatWillBeTakenAndWhatCannotBeTold) {
  HttpServer server([&](const HttpCall& call) {
    if (call.line.find("new") != std::string::npos) return HttpAnswer{404, R"({"message":"none"})"};
    if (call.line.find("odd") != std::string::npos) return HttpAnswer{.body = "<html>"};
    return HttpAnswer{.body = R"({"is_compatible":true,"messages":[]})"};
  });
  options_.urls = {server.url()};
  testing::internal::CaptureStderr();
  for (const char* subject : {"old-value", "new-value", "odd-value"})
    client().Foresee(subject, "\"int\"");
  EXPECT_EQ(LogOfForesight(server), "");
}

TEST_F(RegistryClientTest, ARegistryThatIsAwayIsSaidOnceAheadAndNotWaitedFor) {
  HttpServer server([](const HttpCall&) { return HttpAnswer{503, "busy"}; });
  options_.urls = {server.url()};
  testing::internal::CaptureStderr();
  client().Foresee("a-value", "\"int\"");
  client().Foresee("b-value", "\"int\"");
  EXPECT_EQ(client().WaitingFor(), "");
  const std::string log = LogOfForesight(server);
  EXPECT_THAT(log, HasSubstr("cannot be asked yet"));
  EXPECT_EQ(log.find("cannot be asked yet"), log.rfind("cannot be asked yet"));
}

TEST_F(RegistryClientTest, ASchemaThatMayNotBeRegisteredIsLookedForAhead) {
  HttpServer server([](const HttpCall&) {
    return HttpAnswer{404, R"({"error_code":40403,"message":"Schema not found"})"};
  });
  options_.urls = {server.url()};
  options_.register_schemas = false;
  testing::internal::CaptureStderr();
  client().Foresee("t-value", "\"int\"");
  EXPECT_THAT(LogOfForesight(server), HasSubstr("schema_not_registered"));
}

TEST_F(RegistryClientTest, RefusesACertificateThatIsNone) {
  options_.urls = {"https://127.0.0.1:1"};
  options_.http.tls["ssl.truststore.location"] = "/nonexistent.jks";
  EXPECT_FALSE(RegistryClient::Create(options_, "test", time_).ok());
}

}  // namespace
}  // namespace walduct::registry
