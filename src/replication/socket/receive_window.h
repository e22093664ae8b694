// ReceiveWindow: the receive buffer of a stream's socket, made as small as serves.
//
// A walsender sends each message by a system call of its own. While the receiver's window has
// room, TCP sends each one on at once, which on loopback costs more than decoding the row. Once the
// window is full they gather in the server's socket, which holds megabytes, and leave it together.
// So, where the server is near, the window is that of some messages, and the reader leaves it full
// for a while (slot/phases/read_pace.h). Near is this machine: over a network, what gathers comes
// at that one's speed, which a small window and long pauses would bound.
//
// It is set before the stream begins, and only ever grows: what a window has announced the server
// may have sent, and Linux drops what its buffer has no room for (6.17 and later, and then also
// acknowledgements behind it). After a minute in which nothing was read both ends wait for timers
// that have doubled as often: 47 s were seen until the next byte.
//
// One thread, that which reads the socket.
#pragma once

#include <cstddef>
#include <cstdint>

struct sockaddr_storage;

namespace walduct::replication {

// Of the two ends of a TCP connection: who speaks to an address of its own machine does so from
// that address, or to one of loopback from another of them.
bool AreOnOneMachine(const sockaddr_storage& ours, const sockaddr_storage& theirs);

// Which way the bytes come.
enum class ReceivePath : uint8_t {
  kLocal,  // a unix socket: it holds a few hundred messages, and then the server waits
  kNear,   // TCP within this machine, with a window that is kept small
  kFar,    // TCP as the kernel has it
};

class ReceiveWindow {
 public:
  // A longer round trip is no loopback's, whatever the addresses.
  static constexpr uint32_t kNearMicroseconds = 500;
  // What the window holds, kLeastBytes at least. The kernel's own begins with 128 KB, which holds
  // less than that, and grows to megabytes. Where it begins with more it is left alone.
  static constexpr size_t kMessages = 128;
  // A window must have room for a whole segment of the server's, 64 KB on loopback: else the server
  // waits for that room, which never comes. It sends a part when a timer of 200 ms has run out, and
  // each message of ours sets that anew: the stream stands still. Of twice what is set the kernel
  // makes a window of a third at least (it reckons with its own overhead for the segments that came
  // last: 0.31 to 1).
  static constexpr size_t kLeastBytes = 112 << 10;
  static constexpr size_t kLoopbackSegment = 65'483;
  static_assert(2 * kLeastBytes * 31 / 100 >= kLoopbackSegment);
  // Where that is more, the window is left to the kernel: nothing is gained with large messages,
  // and net.core.rmem_max, which bounds what can be set, is this much by default.
  static constexpr size_t kMostBytes = 208 << 10;

  // Of a connected socket, which it does not own. kFar where nothing can be found out.
  explicit ReceiveWindow(int socket);

  ReceivePath path() const { return path_; }

  // A message has come.
  void OnMessage(size_t bytes) {
    ++messages_;
    bytes_ += bytes;
    if (bytes_ >= kLookBytes) Look();
  }

 private:
  static constexpr size_t kLookBytes = 256 << 10;

  void Look();
  void Set(size_t bytes);
  void GiveBack();

  int socket_;
  ReceivePath path_;
  size_t wanted_ = kLeastBytes;  // at the last change
  bool is_set_ = false;          // else the kernel's, for good
  size_t messages_ = 0;
  size_t bytes_ = 0;  // of these, since the last look
};

}  // namespace walduct::replication
