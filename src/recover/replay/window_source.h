// WindowSource: a WalSource of the transactions of a Window alone. Of those before it BEGIN and
// COMMIT are handed on, so that the position moves, and what they tell of tables; none of their
// changes. Data thread only.
#pragma once

#include <memory>
#include <utility>

#include "recover/run/window.h"
#include "replication/wal_source.h"

namespace walduct::recover {

class WindowSource final : public replication::WalSource {
 public:
  WindowSource(std::unique_ptr<replication::WalSource> source, std::shared_ptr<Window> window)
      : source_(std::move(source)), window_(std::move(window)), before_(!window_->begun) {}

  absl::StatusOr<replication::WalFrame> Next() override;
  absl::Status SendStatus(Lsn received, Lsn flushed, bool reply_requested) override {
    return source_->SendStatus(received, flushed, reply_requested);
  }
  bool Ended() override { return source_->Ended(); }
  replication::ReceivePath path() const override { return source_->path(); }
  int ready_fd() const override { return source_->ready_fd(); }
  void Stop(absl::Duration timeout) override { source_->Stop(timeout); }

 private:
  // Whether it is handed on.
  bool Judge(const replication::WalFrame& frame);

  const std::unique_ptr<replication::WalSource> source_;
  const std::shared_ptr<Window> window_;
  bool before_;        // where the stream is: no transaction of the window has begun yet
  bool open_ = false;  // within a transaction
};

}  // namespace walduct::recover
