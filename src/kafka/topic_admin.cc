#include "kafka/topic_admin.h"

#include <librdkafka/rdkafka.h>

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/freed_by.h"
#include "kafka/admin_request.h"
#include "kafka/error.h"

namespace walduct::kafka {
namespace {

using NewTopicPtr = std::unique_ptr<rd_kafka_NewTopic_t, FreedBy<rd_kafka_NewTopic_destroy>>;

AdminOptionsPtr MakeOptions(const Client& client, rd_kafka_admin_op_t operation,
                            absl::Duration timeout, uint64_t request) {
  AdminOptionsPtr options = MakeAdminOptions(client, operation, timeout);
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  rd_kafka_AdminOptions_set_opaque(options.get(), reinterpret_cast<void*>(request));
  return options;
}

absl::Status ToStatus(rd_kafka_resp_err_t error, const char* text, absl::string_view topic) {
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR || error == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS) {
    return absl::OkStatus();
  }
  return KafkaError(error, absl::StrCat("topic ", topic), text == nullptr ? "" : text);
}

void AppendCreated(const rd_kafka_event_t* event, std::vector<TopicAnswer>* out) {
  size_t count = 0;
  const rd_kafka_topic_result_t** results = rd_kafka_CreateTopics_result_topics(
      rd_kafka_event_CreateTopics_result(const_cast<rd_kafka_event_t*>(event)), &count);
  for (size_t i = 0; i < count; ++i) {
    const char* name = rd_kafka_topic_result_name(results[i]);
    out->push_back(
        {TopicAnswer::Question::kCreate, name,
         ToStatus(rd_kafka_topic_result_error(results[i]),
                  rd_kafka_topic_result_error_string(results[i]), name),
         rd_kafka_topic_result_error(results[i]) == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS});
  }
}

void AppendDescribed(const rd_kafka_event_t* event, std::vector<TopicAnswer>* out) {
  size_t count = 0;
  const rd_kafka_TopicDescription_t** results = rd_kafka_DescribeTopics_result_topics(
      rd_kafka_event_DescribeTopics_result(const_cast<rd_kafka_event_t*>(event)), &count);
  for (size_t i = 0; i < count; ++i) {
    const char* name = rd_kafka_TopicDescription_name(results[i]);
    const rd_kafka_error_t* error = rd_kafka_TopicDescription_error(results[i]);
    out->push_back({TopicAnswer::Question::kExists, name,
                    ToStatus(rd_kafka_error_code(error), rd_kafka_error_string(error), name)});
    const rd_kafka_Uuid_t* const id = rd_kafka_TopicDescription_topic_id(results[i]);
    if (id != nullptr && (rd_kafka_Uuid_most_significant_bits(id) != 0 ||
                          rd_kafka_Uuid_least_significant_bits(id) != 0))  // 0: brokers have none
      out->back().id = rd_kafka_Uuid_base64str(id);
  }
}

}  // namespace

TopicAdmin::TopicAdmin(Client* client, Wake* wakeup)
    : client_(client), answers_(rd_kafka_queue_new(client->handle())) {
  if (wakeup != nullptr) SignalWhenFilled(answers_, *wakeup);
}

TopicAdmin::~TopicAdmin() {
  rd_kafka_queue_io_event_enable(answers_, -1, nullptr, 0);
  rd_kafka_queue_destroy(answers_);
}

uint64_t TopicAdmin::Remember(TopicAnswer::Question question, std::vector<std::string> topics) {
  requests_.emplace(next_request_, Request{question, std::move(topics)});
  return next_request_++;
}

void TopicAdmin::StartExists(absl::Span<const std::string> topics, absl::Duration timeout) {
  std::vector<const char*> names;
  for (const std::string& topic : topics) names.push_back(topic.c_str());
  const CollectionPtr collection(
      rd_kafka_TopicCollection_of_topic_names(names.data(), names.size()));
  const uint64_t request = Remember(TopicAnswer::Question::kExists, {topics.begin(), topics.end()});
  const AdminOptionsPtr options =
      MakeOptions(*client_, RD_KAFKA_ADMIN_OP_DESCRIBETOPICS, timeout, request);
  rd_kafka_DescribeTopics(client_->handle(), collection.get(), options.get(), answers_);
}

void TopicAdmin::StartCreate(absl::Span<const NewTopic> topics, absl::Duration timeout,
                             Creation creation) {
  std::vector<NewTopicPtr> owned;
  std::vector<rd_kafka_NewTopic_t*> wanted;
  std::vector<std::string> names;
  char text[256];
  for (const NewTopic& topic : topics) {
    owned.emplace_back(rd_kafka_NewTopic_new(topic.name.c_str(), topic.partitions,
                                             topic.replication_factor, text, sizeof(text)));
    CHECK(owned.back() != nullptr);  // the numbers were checked as configuration
    for (const auto& [name, value] : topic.configs) {
      rd_kafka_NewTopic_set_config(owned.back().get(), name.c_str(), value.c_str());
    }
    wanted.push_back(owned.back().get());
    names.push_back(topic.name);
  }
  const uint64_t request = Remember(TopicAnswer::Question::kCreate, std::move(names));
  const AdminOptionsPtr options =
      MakeOptions(*client_, RD_KAFKA_ADMIN_OP_CREATETOPICS, timeout, request);
  if (creation == Creation::kAskedFor)
    rd_kafka_AdminOptions_set_validate_only(options.get(), 1, text, sizeof(text));
  rd_kafka_CreateTopics(client_->handle(), wanted.data(), wanted.size(), options.get(), answers_);
}

std::vector<TopicAnswer> TopicAdmin::Poll(absl::Duration wait) {
  if (requests_.empty()) return {};
  const EventPtr event(rd_kafka_queue_poll(answers_, ToMilliseconds(wait)));
  if (event == nullptr) return {};
  const auto request =
      requests_.find(reinterpret_cast<uint64_t>(rd_kafka_event_opaque(event.get())));
  if (request == requests_.end()) return {};
  std::vector<TopicAnswer> answers = AnswersOf(event.get(), request->second);
  requests_.erase(request);
  return answers;
}

std::vector<TopicAnswer> TopicAdmin::AnswersOf(rd_kafka_op_s* event, const Request& request) const {
  std::vector<TopicAnswer> answers;
  const rd_kafka_resp_err_t error = rd_kafka_event_error(event);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {  // of the request as a whole
    for (const std::string& topic : request.topics) {
      answers.push_back(
          {request.question, topic, ToStatus(error, rd_kafka_event_error_string(event), topic)});
    }
    return answers;
  }
  switch (request.question) {
    case TopicAnswer::Question::kExists:
      AppendDescribed(event, &answers);
      break;
    case TopicAnswer::Question::kCreate:
      AppendCreated(event, &answers);
      break;
  }
  return answers;
}

}  // namespace walduct::kafka
