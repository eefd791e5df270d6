#include "sw/runtime/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ostream>

#include "models/base/errors.h"
#include "sw/runtime/tensor_slice.h"
#include "sw/runtime/worker.h"
#include "sw/tl/dtypes.h"

namespace kernbench {

bool TensorStorage::is_partial() const {
  return std::any_of(info_->blocks.begin(), info_->blocks.end(),
                     [](const tl::Block& block) { return block.summand > 0; });
}

void TensorStorage::become_copies() {
  if (!is_partial()) return;
  tl::TensorInfo info = *info_;
  for (tl::Block& block : info.blocks) block.summand = 0;
  memory_->addresses().summed(info, sip_);
  info_ = std::make_shared<const tl::TensorInfo>(std::move(info));
  policy_ = policy_.summed();
}

const TensorStorage& Tensor::storage() const {
  if (!storage_) throw UsageError("a tensor is used before it is made");
  return *storage_;
}

std::vector<Shard> Tensor::shards() const {
  std::vector<Shard> shards;
  for (const tl::Block& block : info()->blocks)
    shards.push_back({block.where, block.pa, block.nbytes, block.offset});
  return shards;
}

std::string Tensor::str() const {
  const std::size_t count = info()->blocks.size();
  char address[24];
  std::snprintf(address, sizeof address, "0x%llx", static_cast<unsigned long long>(va()));
  return fmt::format("{} {} in {} {} at {}", name(), describe(dtype(), shape()), count,
                     is_partial() ? "partial sums"
                     : count == 1 ? "shard"
                                  : "shards",
                     address);
}

bool Tensor::is_partial() const { return storage().is_partial(); }

Tensor& Tensor::fill_(double value) {
  worker().fill(*this, value);
  return *this;
}

Tensor& Tensor::copy_(const HostArray& source) {
  worker().write(*this, source);
  return *this;
}

Tensor& Tensor::copy_(const TensorSlice& source) {
  worker().copy(*this, source);
  return *this;
}

HostArray Tensor::to_host() const { return worker().read(*this); }

void Tensor::read_discard() const { worker().read_discard(*this); }

TensorSlice Tensor::operator[](std::initializer_list<AxisRange> ranges) const {
  return {*this, std::vector<AxisRange>(ranges)};
}

TensorSlice Tensor::local(int cube, int pe) const { return {*this, PeId{sip(), cube, pe}}; }

Worker& Tensor::worker() const {
  storage();
  Worker* here = worker_->runtime().worker_of_thread();
  return here == nullptr ? *worker_ : *here;
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  return out << TensorSlice(tensor);
}

}  // namespace kernbench
