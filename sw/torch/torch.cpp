#include "sw/torch/torch.h"

#include "models/base/errors.h"
#include "sw/distributed/distributed_state.h"

namespace kernbench {

Torch::Torch(DistributedState& state, int device, std::uint64_t seed, const Attributes& parameters)
    : ahbm(*this), accelerator(*this), ipcq(*this), stats(*this), multiprocessing(state),
      distributed(state), runtime_(state.runtime),
      worker_(std::make_shared<Worker>(runtime_, device, seed)), thread_(runtime_, *worker_),
      parameters_(parameters) {}

Worker& Torch::worker() const {
  Worker* here = runtime_.worker_of_thread();
  return here == nullptr ? *worker_ : *here;
}

Tensor Torch::empty(const Shape& shape, DType dtype, const DPPolicy& policy,
                    const std::string& name) {
  return worker("empty").make(shape, dtype, policy, name);
}

Tensor Torch::zeros(const Shape& shape, DType dtype, const DPPolicy& policy,
                    const std::string& name) {
  Tensor tensor = worker("zeros").make(shape, dtype, policy, name);
  worker().fill_new(tensor, 0);
  return tensor;
}

Tensor Torch::full(const Shape& shape, double value, DType dtype, const DPPolicy& policy,
                   const std::string& name) {
  Tensor tensor = worker("full").make(shape, dtype, policy, name);
  worker().fill_new(tensor, value);
  return tensor;
}

Tensor Torch::from_host(const HostArray& array, const DPPolicy& policy, const std::string& name) {
  Tensor tensor = worker("from_host").make(array.shape(), array.dtype(), policy, name);
  worker().write_new(tensor, array);
  return tensor;
}

Tensor Torch::from_local(const std::vector<HostArray>& parts, const Shape& shape,
                         const DPPolicy& policy, const std::string& name) {
  if (parts.empty()) throw UsageError("from_local: no parts");
  Tensor tensor = worker("from_local").make(shape, parts.front().dtype(), policy, name);
  worker().write_each_new(tensor, parts);
  return tensor;
}

TransferMeter& Torch::transfers() const {
  if (runtime_.transfers == nullptr)
    throw UsageError(
        "torch.transfers: this run has no TransferMeter; a bench that declares measures_transfers "
        "has one in `run`, and in a program with BenchOptions::transfers");
  return *runtime_.transfers;
}

void Torch::Rings::add(const NeighbourGraph& graph) {
  torch_.wait_all();
  const int device = torch_.worker("ipcq.add").device();
  if (torch_.runtime_.ipcq.add(graph.is_relative() ? graph.on_device(device) : graph)) return;
  throw UsageError(installed() ? "torch.ipcq.add: a direction of the graph is in use for something "
                                 "else, or a launch has failed; torch.ipcq.install replaces what "
                                 "is there"
                               : "torch.ipcq.add: nothing is installed; call torch.ipcq.install");
}

void Torch::untimed(const std::function<void()>& body) {
  struct Restore {
    Worker& worker;
    bool before;
    ~Restore() { worker.set_untimed(before); }
  } restore{worker(), worker().untimed()};
  worker().set_untimed(true);
  body();
}

}  // namespace kernbench
