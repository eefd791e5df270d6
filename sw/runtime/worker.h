// Worker: one thread of a host program: its device, its pending launches, and how its tensors move. Torch is its face.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sw/runtime/launch.h"
#include "sw/runtime/runtime.h"
#include "sw/runtime/tensor.h"

namespace kernbench {

class Worker : public std::enable_shared_from_this<Worker> {
 public:
  Worker(Runtime& runtime, int device) : runtime_(runtime) { set_device(device); }

  Runtime& runtime() { return runtime_; }
  int device() const { return device_; }
  void set_device(int sip);  // UsageError for a SIP that is not there
  void set_untimed(bool untimed) { untimed_ = untimed; }
  bool untimed() const { return untimed_; }
  // Put before the names of expectations, where several copies of a bench run.
  void set_label(std::string label) { label_ = std::move(label); }

  Tensor make(const Shape& shape, DType dtype, const DPPolicy& policy, std::string name);  // allocated and mapped
  void fill(const Tensor& tensor, double value);
  void write(const Tensor& tensor, const HostArray& source);
  void copy(const Tensor& target, const Tensor& source);
  HostArray read(const Tensor& tensor);

  LaunchHandle launch(const LaunchSpec& spec, tl::KernelCall call, std::vector<std::shared_ptr<const void>> keeps);
  void wait(const LaunchHandle& handle);  // LaunchError
  void wait_all();                        // waits for every pending launch, then throws the first failure

  void expect(const Tensor& tensor, std::function<std::vector<double>()> reference, double tolerance_factor);
  static const std::shared_ptr<const TensorStorage>& storage_of(const Tensor& tensor);

 private:
  using Source = decltype(MemoryWrite::source);
  void send(const Tensor& tensor, const std::function<Source(const tl::Block&)>& source_of, const std::string& label);
  void fetch(const Tensor& tensor, const std::string& label);
  void settle(const Tensor& tensor);  // its worker's launches have ended
  TensorValue value_of(const Tensor& tensor);

  Runtime& runtime_;
  int device_ = 0;
  bool untimed_ = false;
  std::string label_;
  std::vector<LaunchHandle> pending_;  // in order of launch
};

}  // namespace kernbench
