// What an answer of a service means, and what a request is.
#include "aws/service.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "aws/error.h"
#include "aws/xml_text.h"
#include "base/check.h"
#include "base/error.h"
#include "tests/support/http_server.h"

namespace walduct::aws {
namespace {

using test::HttpAnswer;
using test::HttpCall;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(XmlTextTest, ElementsAreFoundByName) {
  constexpr absl::string_view kXml = "<a><m><Id>0</Id></m><m><Id>&lt;1&amp;lt;</Id></m></a>";
  EXPECT_THAT(ElementsIn(kXml, "m"), ElementsAre("<Id>0</Id>", "<Id>&lt;1&amp;lt;</Id>"));
  EXPECT_EQ(TextIn(ElementsIn(kXml, "m")[1], "Id"), "<1&lt;");
  EXPECT_EQ(ElementIn(kXml, "none"), "");
}

TEST(AwsErrorTest, EachAnswerHasItsKind) {
  struct Case {
    int status;
    absl::string_view code;
    absl::StatusCode kind;
    absl::string_view reason;
  };
  for (const Case& one : std::vector<Case>{
           {400, "ThrottlingException", absl::StatusCode::kUnavailable, "aws_throttled"},
           {0, "ProvisionedThroughputExceededException", absl::StatusCode::kUnavailable,
            "aws_throttled"},
           {400, "Throttling", absl::StatusCode::kUnavailable, "aws_throttled"},
           {500, "InternalFailure", absl::StatusCode::kUnavailable, "aws_not_taken"},
           {503, "", absl::StatusCode::kUnavailable, "aws_not_taken"},
           {400, "UnrecognizedClientException", absl::StatusCode::kUnauthenticated,
            "aws_credentials_refused"},
           {403, "SignatureDoesNotMatch", absl::StatusCode::kUnauthenticated,
            "aws_credentials_refused"},
           {400, "ExpiredTokenException", absl::StatusCode::kUnauthenticated,
            "aws_credentials_expired"},
           {400, "AccessDeniedException", absl::StatusCode::kPermissionDenied, "aws_denied"},
           {400, "KmsThrottled", absl::StatusCode::kUnavailable, "aws_throttled"},
           {400, "KMSThrottlingException", absl::StatusCode::kUnavailable, "aws_throttled"},
           {400, "KmsAccessDenied", absl::StatusCode::kPermissionDenied, "aws_denied"},
           {400, "KmsDisabled", absl::StatusCode::kPermissionDenied, "aws_denied"},
           {400, "KmsInvalidState", absl::StatusCode::kPermissionDenied, "aws_denied"},
           {400, "KmsInvalidKeyUsage", absl::StatusCode::kPermissionDenied, "aws_denied"},
           {400, "KmsNotFound", absl::StatusCode::kPermissionDenied, "aws_denied"},
           {400, "KmsOptInRequired", absl::StatusCode::kPermissionDenied, "aws_denied"},
           {400, "AWS.SimpleQueueService.NonExistentQueue", absl::StatusCode::kNotFound,
            "aws_missing"},
           {403, "Anything", absl::StatusCode::kPermissionDenied, "aws_denied"},
           {400, "ResourceNotFoundException", absl::StatusCode::kNotFound, "aws_missing"},
           {404, "NotFound", absl::StatusCode::kNotFound, "aws_missing"},
           {413, "", absl::StatusCode::kInvalidArgument, "record_too_large"},
           {400, "ValidationException", absl::StatusCode::kInvalidArgument, "record_refused"}}) {
    const absl::Status error = AnswerError(one.status, one.code, "why", "http://a/");
    EXPECT_EQ(error.code(), one.kind) << one.code;
    EXPECT_EQ(ErrorReason(error), one.reason) << one.code;
    EXPECT_NE(ErrorHint(error), "") << one.code;
    EXPECT_THAT(error.message(), HasSubstr("why"));
  }
}

TEST(EndpointTest, IsOfTheRegionUnlessNamed) {
  AwsOptions options{.service = "kinesis", .region = "eu-central-1"};
  EXPECT_EQ(EndpointOf(options), "https://kinesis.eu-central-1.amazonaws.com/");
  options.region = "cn-north-1";
  EXPECT_EQ(EndpointOf(options), "https://kinesis.cn-north-1.amazonaws.com.cn/");
  options.endpoint = "http://localhost:4566";
  EXPECT_EQ(EndpointOf(options), "http://localhost:4566/");
}

class ServiceTest : public testing::Test {
 protected:
  ServiceTest() {
    setenv("AWS_ACCESS_KEY_ID", "AKID", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "se:cr/et", 1);
    setenv("AWS_SESSION_TOKEN", "to/ken==", 1);
  }
  ~ServiceTest() override {
    for (const char* name : {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"})
      unsetenv(name);
  }
  std::unique_ptr<Service> Open() const {
    auto service =
        Service::Create({.service = "kinesis", .region = "eu-central-1", .endpoint = server_.url()},
                        Environment::Real());
    CHECK(service.ok());
    return *std::move(service);
  }

  HttpAnswer answer_;
  test::HttpServer server_{[this](const HttpCall&) { return answer_; }};
};

TEST_F(ServiceTest, ARequestIsSignedAndHasNoHeaderThatIsLeftOut) {
  answer_ = {.body = "{}"};
  const auto answer = Open()->Call({.target = "Kinesis_20131202.PutRecords", .body = "{}"});
  ASSERT_TRUE(answer.ok()) << answer.status();
  const HttpCall call = server_.calls().back();
  EXPECT_EQ(call.body, "{}");
  EXPECT_EQ(call.line, "POST /");
  EXPECT_THAT(call.headers, HasSubstr("X-Amz-Target: Kinesis_20131202.PutRecords"));
  EXPECT_THAT(call.headers, HasSubstr("Content-Type: application/x-amz-json-1.1"));
  EXPECT_THAT(call.headers, HasSubstr("Credential=AKID/"));
  EXPECT_THAT(call.headers, HasSubstr("/eu-central-1/kinesis/aws4_request"));
  EXPECT_THAT(call.headers,
              HasSubstr("SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;"
                        "x-amz-target,"));
  EXPECT_THAT(call.headers, HasSubstr("X-Amz-Security-Token: to/ken=="));
  EXPECT_THAT(call.headers, Not(HasSubstr("se:cr")));
}

TEST_F(ServiceTest, AllCallsTogetherEndInTime) {
  answer_ = {.never = true};
  const auto service = Open();
  Clock& clock = Clock::Real();
  const absl::Duration begin = clock.Monotonic();
  service->EndAt(begin + absl::Milliseconds(400));
  for (int call = 0; call < 3; ++call) {
    const absl::Status late =
        service->Call({.target = "Kinesis_20131202.X", .body = "{}"}).status();
    EXPECT_TRUE(absl::IsUnavailable(late)) << late;
    EXPECT_EQ(ErrorReason(late), "aws_unreachable");
  }
  EXPECT_GE(clock.Monotonic() - begin, absl::Milliseconds(300));
  EXPECT_LT(clock.Monotonic() - begin, absl::Seconds(10)) << "not three times 30 s";
  EXPECT_LT(server_.calls().size(), 3u) << "the last one was not sent any more";
}

TEST_F(ServiceTest, ErrorsHaveTheServicesWords) {
  answer_ = {.status = 400,
             .body = R"({"__type":"com.amazonaws.sqs#QueueDoesNotExist","message":"gone"})"};
  const absl::Status json = Open()->Call({.target = "AmazonSQS.X", .body = "{}"}).status();
  EXPECT_TRUE(absl::IsNotFound(json));
  EXPECT_THAT(json.message(), HasSubstr("QueueDoesNotExist: gone"));
  answer_ = {.status = 400,
             .body =
                 "<ErrorResponse><Error><Code>InvalidParameter</Code>"
                 "<Message>a &lt; b</Message></Error></ErrorResponse>"};
  const absl::Status form = Open()->Call({.target = "", .body = "Action=X"}).status();
  EXPECT_TRUE(absl::IsInvalidArgument(form));
  EXPECT_THAT(form.message(), HasSubstr("InvalidParameter: a < b"));
}

}  // namespace
}  // namespace walduct::aws
