#include "sw/runtime/torch.h"

namespace kernbench {

Torch::Torch(Runtime& runtime, int device, std::uint64_t seed, const Attributes& parameters)
    : Torch(std::make_shared<Worker>(runtime, device), seed, parameters) {}

Torch::Torch(std::shared_ptr<Worker> worker, std::uint64_t seed, const Attributes& parameters)
    : ahbm(*worker), accelerator(*worker), worker_(std::move(worker)), generator_(seed), parameters_(parameters) {}

Tensor Torch::empty(const Shape& shape, DType dtype, const DPPolicy& policy, const std::string& name) {
  return worker_->make(shape, dtype, policy, name);
}

Tensor Torch::zeros(const Shape& shape, DType dtype, const DPPolicy& policy, const std::string& name) {
  return full(shape, 0, dtype, policy, name);
}

Tensor Torch::full(const Shape& shape, double value, DType dtype, const DPPolicy& policy, const std::string& name) {
  Tensor tensor = worker_->make(shape, dtype, policy, name);
  tensor.fill_(value);
  return tensor;
}

Tensor Torch::from_host(const HostArray& array, const DPPolicy& policy, const std::string& name) {
  Tensor tensor = worker_->make(array.shape(), array.dtype(), policy, name);
  tensor.copy_(array);
  return tensor;
}

void Torch::untimed(const std::function<void()>& body) {
  struct Restore {
    Worker& worker;
    bool before;
    ~Restore() { worker.set_untimed(before); }
  } restore{*worker_, worker_->untimed()};
  worker_->set_untimed(true);
  body();
}

}  // namespace kernbench
