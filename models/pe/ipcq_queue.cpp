#include "models/pe/ipcq_queue.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"

namespace kernbench {

std::uint64_t IpcqQueue::send() {
  if (credits() == 0) throw ModelError("a send without a credit: " + str());
  return head_++;
}

void IpcqQueue::credit(std::uint64_t consumer_seq) {
  if (consumer_seq > head_) throw ModelError("a credit for a message that was not sent: " + str());
  tail_cache_ = std::max(tail_cache_, consumer_seq);
}

void IpcqQueue::arrived(const IpcqMessage& message) {
  if (message.sender_seq != head_cache_)
    throw ModelError(fmt::format("message {} out of order: {}", message.sender_seq, str()));
  if (head_cache_ - tail_ == n_slots_)
    throw ModelError("a message over one that has not been consumed: " + str());
  ++head_cache_;
  messages_.push_back({message.nbytes, message.shape, message.dtype, message.source});
}

std::uint64_t IpcqQueue::next_open() const {
  return tail_ + static_cast<std::uint64_t>(std::find(claims_.begin(), claims_.end(), Claim::open) -
                                            claims_.begin());
}

std::uint64_t IpcqQueue::reserve() {
  const std::uint64_t seq = next_open();
  if (seq - tail_ == claims_.size()) claims_.push_back(Claim::open);
  claims_[seq - tail_] = Claim::reserved;
  return seq;
}

void IpcqQueue::give_back(std::uint64_t seq) {
  claims_[seq - tail_] = Claim::open;
  while (!claims_.empty() && claims_.back() == Claim::open) claims_.pop_back();
}

void IpcqQueue::give_back_all() {
  std::replace(claims_.begin(), claims_.end(), Claim::reserved, Claim::open);
  while (!claims_.empty() && claims_.back() == Claim::open) claims_.pop_back();
}

void IpcqQueue::consume(std::uint64_t seq) {
  claims_[seq - tail_] = Claim::consumed;
  while (!claims_.empty() && claims_.front() == Claim::consumed) {
    claims_.pop_front();
    messages_.pop_front();
    ++tail_;
  }
}

void IpcqQueue::reset() {
  head_ = tail_cache_ = head_cache_ = tail_ = 0;
  messages_.clear();
  claims_.clear();
}

std::string IpcqQueue::str() const {
  return fmt::format(
      "{} <-> {} {}: sent head {}, tail {}, credits {} of {}; received head {}, tail {}",
      pair_.direction, pair_.peer.str(), pair_.peer_direction, head_, tail_cache_, credits(),
      n_slots_, head_cache_, tail_);
}

}  // namespace kernbench
