// LettersApart: a sink whose dead letters go to another one. A letter that the other one refuses
// breaks it. Data thread only.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "base/environment.h"
#include "sink/sink.h"

namespace walduct::sink {

class LettersApart final : public Sink {
 public:
  // Internal: no file descriptor is left.
  static absl::StatusOr<std::unique_ptr<Sink>> Join(std::unique_ptr<Sink> records,
                                                    std::unique_ptr<Sink> letters,
                                                    const Environment& environment);
  ~LettersApart() override;

  absl::Status CheckTopics(absl::Span<const std::string> topics, Stopping stopping) override {
    return records_->CheckTopics(topics, stopping);
  }
  absl::Status PrepareTopics(absl::Span<const std::string> topics, Stopping stopping) override;
  bool HasCapacity() override { return records_->HasCapacity(); }
  Load load() const override { return records_->load(); }
  absl::Status Write(const event::Record& record, Ticket ticket) override {
    return records_->Write(record, ticket);
  }
  absl::Status WriteLetter(const event::Record& letter, Ticket ticket) override {
    return letters_->WriteLetter(letter, ticket);
  }
  bool spoilt() const override { return records_->spoilt(); }
  absl::Status Poll(AckHandler& acks) override;
  int ready_fd() const override { return fd_ >= 0 ? fd_ : records_->ready_fd(); }
  absl::Status Flush(AckHandler& acks, absl::Duration timeout) override;
  void RenewPermit() override;
  std::string WaitingFor() override;
  std::string WaitingHint() const override {
    return (AwaitsLetters() ? letters_ : records_)->WaitingHint();
  }

 private:
  LettersApart(std::unique_ptr<Sink> records, std::unique_ptr<Sink> letters,
               const Environment& environment, int fd)
      : records_(std::move(records)),
        letters_(std::move(letters)),
        environment_(environment),
        fd_(fd) {}

  // It is the place of letters that is waited for.
  bool AwaitsLetters() const;

  const std::unique_ptr<Sink> records_, letters_;
  const Environment environment_;
  const int fd_;  // readable when one of theirs is; -1: the records' alone
};

}  // namespace walduct::sink
