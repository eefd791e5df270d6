// Observer of the calls of torch.distributed, rank by rank: collectives, messages between ranks,
// barriers, waits for them.
#pragma once

#include <cstdint>
#include <string>

namespace kernbench {

struct DistributedCall {
  int rank = 0;
  std::string name;     // "all_reduce"
  std::string details;  // "ring_allreduce, 4096 B"; empty: none
};

class CallListener {
 public:
  virtual ~CallListener() = default;
  // Now; the number is for end().
  virtual std::uint64_t begin(const DistributedCall& call) = 0;
  virtual void end(std::uint64_t call) = 0;
};

// A call of the calling thread, from here to the end of the scope; `listener` may be null.
class ObservedCall {
 public:
  ObservedCall(CallListener* listener, const DistributedCall& call)
      : listener_(listener), call_(listener == nullptr ? 0 : listener->begin(call)) {}
  ~ObservedCall() {
    if (listener_ != nullptr) listener_->end(call_);
  }
  ObservedCall(const ObservedCall&) = delete;
  ObservedCall& operator=(const ObservedCall&) = delete;

 private:
  CallListener* listener_;
  std::uint64_t call_;
};

}  // namespace kernbench
