// inter.worker.*, as a worker file has them.
#include "serve/load_worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace walduct::serve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

WorkerResult LoadedWith(std::vector<std::pair<std::string, std::string>> more) {
  config::LoadRequest request;
  request.overrides = {{"bootstrap.servers", "kafka:9092"}, {"group.id", "g"},
                       {"config.storage.topic", "c"},       {"offset.storage.topic", "o"},
                       {"status.storage.topic", "s"},       {"listeners", "http://127.0.0.1:8083"}};
  for (auto& one : more) request.overrides.push_back(std::move(one));
  return LoadWorker(std::move(request));
}

TEST(InterWorkerTest, DefaultsAreThoseOfConnect) {
  const WorkerResult result = LoadedWith({});
  ASSERT_THAT(result.errors, IsEmpty());
  const access::SessionOptions& session = result.options.session;
  EXPECT_EQ(session.key_algorithm, "HmacSHA256");
  EXPECT_EQ(session.key_bytes, 32u);
  EXPECT_EQ(session.ttl, absl::Hours(1));
  EXPECT_EQ(session.signs_with, "HmacSHA256");
  EXPECT_THAT(session.takes, ElementsAre("HmacSHA256"));
}

TEST(InterWorkerTest, ValuesAreTaken) {
  const WorkerResult result =
      LoadedWith({{"inter.worker.key.generation.algorithm", "HmacSHA512"},
                  {"inter.worker.key.ttl.ms", "2000"},
                  {"inter.worker.signature.algorithm", "HmacSHA384"},
                  {"inter.worker.verification.algorithms", "HmacSHA256, HmacSHA384"}});
  ASSERT_THAT(result.errors, IsEmpty());
  EXPECT_EQ(result.options.session.key_bytes, 64u);
  EXPECT_EQ(result.options.session.ttl, absl::Seconds(2));
  EXPECT_EQ(result.options.session.signs_with, "HmacSHA384");
  EXPECT_THAT(result.options.session.takes, ElementsAre("HmacSHA256", "HmacSHA384"));
  EXPECT_EQ(LoadedWith({{"inter.worker.key.size", "130"}}).options.session.key_bytes, 17u);
}

TEST(InterWorkerTest, WhatIsWrongIsNamed) {
  const auto error = [](const std::string& name, const std::string& value) {
    const WorkerResult result = LoadedWith({{name, value}});
    return result.errors.empty() ? "" : result.errors.front();
  };
  EXPECT_EQ(error("inter.worker.key.generation.algorithm", "AES"),
            "property 'inter.worker.key.generation.algorithm': value 'AES' is no algorithm of "
            "signatures that is known; use one of HmacSHA1, HmacSHA224, HmacSHA256, HmacSHA384, "
            "HmacSHA512");
  EXPECT_THAT(error("inter.worker.key.size", "39"),
              HasSubstr("value '39' must be a number from 40 to 8192"));
  EXPECT_THAT(error("inter.worker.key.ttl.ms", "2147483648"),
              HasSubstr("must be a number from 0 to 2147483647"));
  EXPECT_THAT(error("inter.worker.verification.algorithms", "HmacSHA256,Hmac"),
              HasSubstr("names an algorithm of signatures that is not known"));
  EXPECT_THAT(error("inter.worker.signature.algorithm", "HmacSHA512"),
              HasSubstr("property 'inter.worker.verification.algorithms': does not name "
                        "HmacSHA512"));
}

}  // namespace
}  // namespace walduct::serve
