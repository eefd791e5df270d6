// The send and receive queues of a PE_IPCQ (spec 8.1): what kernels have asked of its queue pairs
// and has not ended. A queue pair has one of each for each stream of launches, in the order of the
// calls; the head of a queue is served, beside those of the others. A receive without a direction
// stands in all receive queues of its stream. Not modelled: time.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <utility>

#include "models/base/units.h"
#include "models/protocol/ipcq_services.h"

namespace kernbench {

// A send or a receive.
struct IpcqJob {
  enum class Phase : std::uint8_t { looking, reading, copying, crediting, done };

  std::uint32_t tag = 0;
  std::uint32_t stream = 0;
  IpcqRequest* operation = nullptr;
  bool is_send = false;
  IpcqSend send;
  IpcqReceive receive;
  bool begun = false;  // at the head
  Phase phase = Phase::looking;
  std::size_t pair = 0;  // of a receive without a direction: known once its message is there
  std::uint64_t seq = 0;
  Fs started = 0, look_at = 0;
  Fs taken = 0;                             // a receive has found its message
  std::optional<std::size_t> pending_wait;  // while it is blocked
  IpcqReceived received;
  std::shared_ptr<const DataOp> data;

  bool from_any() const { return !is_send && receive.direction.empty(); }
};

class IpcqWorkQueues {
 public:
  using Iterator = std::list<IpcqJob>::iterator;
  using Begin = std::function<void(IpcqJob&)>;

  // `begin` is called for each job once it is at the head of its queues.
  explicit IpcqWorkQueues(Begin begin) : begin_(std::move(begin)) {}

  void add(IpcqJob job);
  // The one behind it in the order of the calls.
  Iterator remove(Iterator ended);
  // Nothing begins in its place.
  Iterator drop(Iterator job) { return jobs_.erase(job); }
  IpcqJob* find(std::uint32_t tag);  // null: it is not there any more

  // In the order of the calls.
  Iterator begin() { return jobs_.begin(); }
  Iterator end() { return jobs_.end(); }
  std::list<IpcqJob>::const_iterator begin() const { return jobs_.begin(); }
  std::list<IpcqJob>::const_iterator end() const { return jobs_.end(); }
  bool empty() const { return jobs_.empty(); }
  const IpcqJob& oldest() const { return jobs_.front(); }

 private:
  static bool share_a_queue(const IpcqJob& a, const IpcqJob& b);
  bool at_head(const IpcqJob& job) const;
  void start(IpcqJob& job);

  Begin begin_;
  std::list<IpcqJob> jobs_;
  std::uint32_t next_tag_ = 1;
};

}  // namespace kernbench
