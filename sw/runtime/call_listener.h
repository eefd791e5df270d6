// Observer of the calls of torch.distributed, by rank: collectives, messages between ranks,
// barriers, and waits for them.
#pragma once

#include <cstdint>
#include <string>

namespace kernbench {

struct DistributedCall {
  int rank = 0;
  std::string name;     // "all_reduce"
  std::string details;  // "ring_allreduce, 4096 B"; may be empty
};

class CallListener {
 public:
  virtual ~CallListener() = default;
  // A call begins now; returns its number for end().
  virtual std::uint64_t begin(const DistributedCall& call) = 0;
  virtual void end(std::uint64_t call) = 0;
};

// Call of the calling thread until the end of the scope; `listener` may be null.
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
