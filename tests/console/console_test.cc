#include "console/console.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "console/assets.h"

namespace walduct::console {
namespace {

using testing::HasSubstr;
using testing::Not;

class Others final : public http::Handler {
 public:
  http::Response Handle(const http::Request&) override { return {.body = "others"}; }
};

class ConsoleTest : public testing::Test {
 protected:
  ConsoleTest() {
    request_.method = "GET";
    request_.host = "h:8083";
  }

  http::Response Ask(const std::string& path) {
    request_.path = path;
    Console console(parts_);
    return console.Handle(request_);
  }
  // "others": it was let through.
  std::string Write(const std::string& method, const std::string& path, const std::string& origin) {
    request_.method = method;
    request_.origin = origin;
    const http::Response response = Ask(path);
    return response.status == 200 ? response.body : absl::StrCat(response.status);
  }

  static std::string Header(const http::Response& response, const std::string& name) {
    const std::map<std::string, std::string> all(response.headers.begin(), response.headers.end());
    return all.count(name) == 0 ? "" : all.at(name);
  }

  Others others_;
  Console::Parts parts_{.others = &others_, .worker = true};
  http::Request request_;
};

TEST_F(ConsoleTest, EveryFileIsServedWithItsTypeAndThePolicy) {
  EXPECT_GE(Assets().size(), 10u);
  for (const Asset& asset : Assets()) {
    const http::Response response = Ask(absl::StrCat("/console/", asset.name));
    EXPECT_EQ(response.status, 200) << asset.name;
    EXPECT_EQ(response.body, asset.body);
    EXPECT_THAT(Header(response, "Content-Security-Policy"), HasSubstr("default-src 'none'"));
    EXPECT_EQ(Header(response, "X-Content-Type-Options"), "nosniff");
    if (absl::EndsWith(asset.name, ".js")) {
      EXPECT_EQ(response.content_type, "text/javascript; charset=utf-8");
    }
  }
  EXPECT_EQ(Ask("/console").content_type, "text/html; charset=utf-8");
  EXPECT_EQ(Ask("/console").body, Ask("/console/index.html").body);
}

TEST_F(ConsoleTest, NothingComesFromElsewhereAndNothingIsMarkup) {
  for (const Asset& asset : Assets()) {
    const std::string body(asset.body);
    for (const char* bad : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write",
                            "eval(", "new Function", " style=", " onclick", "@import", "url("})
      EXPECT_THAT(body, Not(HasSubstr(bad))) << asset.name;
    // The names of XML's namespaces are no addresses that are asked.
    for (size_t at = body.find("://"); at != std::string::npos; at = body.find("://", at + 1))
      EXPECT_TRUE(absl::StartsWith(body.substr(at), "://www.w3.org/2000/svg")) << asset.name;
  }
}

TEST_F(ConsoleTest, WhatABrowserHasIsNotSentAgain) {
  const std::string tag = Header(Ask("/console/main.js"), "ETag");
  ASSERT_FALSE(tag.empty());
  request_.if_none_match = tag;
  EXPECT_EQ(Ask("/console/main.js").status, 304);
  EXPECT_EQ(Ask("/console/main.js").body, "");
  EXPECT_EQ(Ask("/console/list.js").status, 200);
}

TEST_F(ConsoleTest, OtherPathsAreTheHandlers) {
  EXPECT_EQ(Ask("/connectors").body, "others");
  EXPECT_EQ(Ask("/consoles").body, "others");
  EXPECT_EQ(Ask("/console/nothing").status, 404);
  EXPECT_EQ(Ask("/console/../console.css").status, 404);
  EXPECT_EQ(Header(Ask("/console/"), "Location"), "../console");
  request_.accept = "application/json";
  EXPECT_EQ(Ask("/console").body, "others");
  parts_.options.enabled = false;
  request_.accept = "";
  EXPECT_EQ(Ask("/console").body, "others");
}

TEST_F(ConsoleTest, ThePageIsSmall) {
  size_t bytes = 0;
  for (const Asset& asset : Assets()) bytes += asset.body.size();
  EXPECT_LE(bytes, 60'000u) << "docs/console.md says so";
}

TEST_F(ConsoleTest, WhatThePageAsksIsTagged) {
  parts_.ask = [](absl::string_view what, const std::string& name,
                  uint64_t after) -> absl::StatusOr<std::string> {
    if (name == "gone") return absl::NotFoundError("There is none.");
    if (name == "bad") return absl::InternalError("It went wrong.");
    return absl::StrCat(what, " ", name, " ", after);
  };
  EXPECT_EQ(Ask("/console/list").body, "list  0");
  request_.if_none_match = Header(Ask("/console/list"), "ETag");
  EXPECT_EQ(Ask("/console/list").status, 304);
  EXPECT_EQ(Ask("/console/list").body, "");
  request_.if_none_match = "";
  EXPECT_EQ(Ask("/console/log").status, 400) << "of whom?";
  request_.query = {{"name", "a"}, {"after", "7"}};
  for (const char* what : {"connector", "history", "log", "config", "reason"})
    EXPECT_EQ(Ask(absl::StrCat("/console/", what)).body, absl::StrCat(what, " a 7"));
  request_.query = {{"name", "a"}, {"after", "x"}};
  EXPECT_EQ(Ask("/console/log").status, 400);
  request_.query = {{"name", "gone"}};
  EXPECT_EQ(Ask("/console/connector").status, 404);
  EXPECT_EQ(Ask("/console/connector").body, "There is none.");
  request_.query = {{"name", "bad"}};
  EXPECT_EQ(Ask("/console/connector").status, 500);
}

TEST_F(ConsoleTest, APastedConfigurationIsRead) {
  request_.method = "POST";
  const auto read = [this](const std::string& body) {
    request_.body = body;
    const http::Response response = Ask("/console/read");
    return absl::StrCat(response.status, " ", response.body);
  };
  EXPECT_EQ(read(R"({"name":"a","config":{"x.y":1}})"),
            R"(200 {"properties":[["name","a"],["x.y","1"]],"warnings":[]})");
  EXPECT_EQ(read(R"({"name":"a","x":null})"),
            R"(200 {"properties":[["name","a"]],"warnings":["property 'x': null, so it is not )"
            R"(set"]})");
  EXPECT_EQ(read("a=b\n# no\nc = d"), R"(200 {"properties":[["a","b"],["c","d"]],"warnings":[]})");
  EXPECT_EQ(read("apiVersion: kafka.strimzi.io/v1\nkind: KafkaConnector\nmetadata:\n  name: shop\n"
                 "spec:\n  class: C\n  tasksMax: 1\n  config:\n    topic.prefix: \"s\"\n"),
            R"(200 {"properties":[["name","shop"],["connector.class","C"],["tasks.max","1"],)"
            R"(["topic.prefix","s"]],"warnings":[]})");
  EXPECT_THAT(read("{\"a\":1,}"), HasSubstr("400 This cannot be read: not valid JSON at line 1"));
  EXPECT_THAT(read(" \n"), HasSubstr("400 This cannot be read: it is empty"));
  request_.origin = "http://evil";
  EXPECT_THAT(read("a=b"), HasSubstr("200"))
      << "it changes nothing, and no page may see the answer";
  request_.method = "GET";
  EXPECT_EQ(Ask("/console/read").status, 404);
}

// What the process's own environment holds is nobody's who pastes a text.
TEST_F(ConsoleTest, APastedTextIsNotFilledIn) {
  request_.method = "POST";
  request_.body = "debezium.sink.type=kafka\ndebezium.source.topic.prefix=${PATH}";
  EXPECT_THAT(Ask("/console/read").body, Not(HasSubstr("/bin")));
  request_.body = "a=${env:PATH}";
  EXPECT_THAT(Ask("/console/read").body, HasSubstr("${env:PATH}"));
}

TEST_F(ConsoleTest, ABrowserIsAskedForThePassword) {
  parts_.admits = [](const http::Request& request) { return request.authorization == "right"; };
  for (const char* path : {"/console", "/console/main.js", "/console/settings", "/console/tail",
                           "/console/list", "/console/config", "/console/read", "/console/x"}) {
    const http::Response refused = Ask(path);
    EXPECT_EQ(refused.status, 401) << path;
    EXPECT_THAT(Header(refused, "WWW-Authenticate"), HasSubstr("Basic"));
  }
  request_.authorization = "right";
  EXPECT_EQ(Ask("/console").status, 200);
}

TEST_F(ConsoleTest, SettingsSayWhatThePageMayDo) {
  EXPECT_EQ(Ask("/console/settings").body, R"({"worker":true,"write":false,"values":false})");
  parts_.options.write = true;
  EXPECT_EQ(Ask("/console/settings").body, R"({"worker":true,"write":true,"values":false})");
  parts_.worker = false;
  EXPECT_EQ(Ask("/console/settings").body, R"({"worker":false,"write":false,"values":false})");
  EXPECT_EQ(Write("POST", "/console/settings", ""), "405");
}

TEST_F(ConsoleTest, TheTailIsOfOneConnector) {
  parts_.tail = [](absl::string_view connector, uint64_t after, bool texts) {
    return connector == "gone" ? "" : absl::StrCat(connector, " ", after, texts ? " texts" : "");
  };
  EXPECT_EQ(Ask("/console/tail").status, 400);
  request_.query = {{"connector", "a"}, {"after", "-1"}};
  EXPECT_EQ(Ask("/console/tail").status, 400);
  request_.query = {{"connector", "a"}};
  EXPECT_EQ(Ask("/console/tail").body, "a 0");
  request_.query = {{"connector", "a"}, {"after", "7"}};
  parts_.options.values = true;
  EXPECT_EQ(Ask("/console/tail").body, "a 7 texts");
  request_.query = {{"connector", "gone"}};
  EXPECT_EQ(Ask("/console/tail").status, 404);
}

TEST_F(ConsoleTest, PagesWriteOnlyWhereTheyMay) {
  const std::string pause = "/connectors/c/pause";
  EXPECT_EQ(Write("PUT", pause, ""), "others") << "no browser";
  EXPECT_EQ(Write("PUT", pause, "http://h:8083"), "403") << "the console only reads";
  EXPECT_EQ(Write("PUT", "/connector-plugins/P/config/validate", "http://h:8083"), "others");
  EXPECT_EQ(Write("PUT", "/connector-plugins/P/config/validate", "http://evil"), "403");
  EXPECT_EQ(Write("OPTIONS", pause, "http://evil"), "others") << "Connect answers preflights";
  parts_.options.write = true;
  EXPECT_EQ(Write("PUT", pause, "http://h:8083"), "others");
  EXPECT_EQ(Write("PUT", pause, "https://h:8083"), "others") << "a proxy has ended TLS";
  for (const char* origin : {"http://evil", "http://h", "http://h:80830", "null", "h:8083",
                             "http://h:8083.evil", "ftp://h:8083"}) {
    EXPECT_EQ(Write("POST", "/connectors/c/restart", origin), "403") << origin;
    EXPECT_EQ(Write("DELETE", "/connectors/c", origin), "403") << origin;
  }
  request_.encrypted = true;
  EXPECT_EQ(Write("PUT", pause, "http://h:8083"), "403");
  parts_.trusts = [](absl::string_view origin) { return origin == "https://ui.example"; };
  EXPECT_EQ(Write("PUT", pause, "https://ui.example"), "others");
}

}  // namespace
}  // namespace walduct::console
