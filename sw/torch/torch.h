// Torch: the host-side API (spec 7). A bench is `void run(Torch& torch)` and reads like a PyTorch
// script.
//
//   const Tensor a = torch.from_host(torch.random({32, 64}, f16), DPPolicy::on_one_pe(), "a");
//   const Tensor out = torch.empty({32, 32}, f16, DPPolicy::on_one_pe(), "out");
//   torch.launch(LaunchSpec("matmul").on_pe(0), matmul, a, b, out, 32, 64, 32);
//   torch.verify(out, [=] { return reference(...); });
//
// Calls that take simulated time block the calling thread. Device, pending launches, untimed() and
// random numbers belong to the worker of the calling thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/base/parameter.h"
#include "sw/distributed/distributed.h"
#include "sw/distributed/multiprocessing.h"
#include "sw/runtime/tensor_slice.h"
#include "sw/runtime/worker.h"
#include "sw/tl/dtypes.h"

namespace kernbench {

class Torch {
 public:
  // Binds to the calling thread for its lifetime.
  Torch(DistributedState& state, int device, std::uint64_t seed, const Attributes& parameters);
  Torch(const Torch&) = delete;
  Torch& operator=(const Torch&) = delete;

  // --- tensors on the current device. empty() only maps; the other calls also write each shard.
  // None waits for launches ---
  Tensor empty(const Shape& shape, DType dtype, const DPPolicy& policy = {},
               const std::string& name = "");
  Tensor zeros(const Shape& shape, DType dtype, const DPPolicy& policy = {},
               const std::string& name = "");
  Tensor full(const Shape& shape, double value, DType dtype, const DPPolicy& policy = {},
              const std::string& name = "");
  Tensor from_host(const HostArray& array, const DPPolicy& policy = {},
                   const std::string& name = "");
  // Creates a tensor from the data of each PE, in (cube, pe) order; a partial tensor takes every
  // summand. Copies must be equal. As DTensor.from_local.
  Tensor from_local(const std::vector<HostArray>& parts, const Shape& shape,
                    const DPPolicy& policy = {}, const std::string& name = "");

  // Data transfers within `body` take no time. Mappings, launches and waits for them do.
  void untimed(const std::function<void()>& body);

  // --- random input ---
  void manual_seed(std::uint64_t seed) { worker("manual_seed").generator().seed(seed); }
  HostArray random(const Shape& shape, DType dtype) {
    return HostArray::random(shape, dtype, worker("random").generator());
  }

  // --- kernels: arguments are Tensors and scalars, checked against the kernel's signature when
  // this is compiled --- Blocks only if the kernel is deployed and its code is not yet on the
  // device.
  template <class Kernel, class... Args>
  LaunchHandle launch_async(const LaunchSpec& spec, Kernel kernel, const Args&... args) {
    std::vector<std::shared_ptr<const void>> keeps;
    (keep(keeps, args), ...);
    return worker("launch").launch(spec, tl::bind_kernel(std::move(kernel), argument_of(args)...),
                                   std::move(keeps));
  }
  template <class Kernel, class... Args>
  LaunchHandle launch(const LaunchSpec& spec, Kernel kernel, const Args&... args) {  // LaunchError
    LaunchHandle handle = launch_async(spec, std::move(kernel), args...);
    worker().wait(handle);
    return handle;
  }
  // Both wait until the launch has ended. If it has failed, wait() throws LaunchError and join()
  // returns its completion (spec 4.2).
  void wait(const LaunchHandle& handle) { worker("wait").wait(handle); }  // LaunchError
  const Completion& join(const LaunchHandle& handle) { return worker("join").join(handle); }
  // Waits for every pending launch, then throws the first LaunchError.
  void wait_all() { worker("wait_all").wait_all(); }

  // --- verification: the tensor as it is now, against values in double precision, in row-major
  // order. Nothing with data off --- `accuracy`: roundings on the longest chain, or {roundings,
  // magnitude of the summands}; elements that differ are added to `wrong`. UsageError unless the
  // accuracy consists of finite numbers >= 0.
  void verify(const Tensor& tensor, std::function<std::vector<double>()> reference,
              const Accuracy& accuracy = {}, std::shared_ptr<DeferredCounter> wrong = nullptr) {
    worker("verify").expect(tensor, std::move(reference), accuracy, std::move(wrong));
  }

  // --- reports: a table that `run` prints and writes; its column names end in their unit,
  // "one_way_ns" ---
  ResultTable& results(const std::string& name, std::vector<std::string> columns) {
    return runtime_.results.emplace_back(name, std::move(columns));
  }

  // Tag printed with every subsequent host message of all workers in reports of deadlocks and
  // failures and in `run --trace-requests`. No other effect. Without a text: removes the tag.
  void set_timestamp_tag(std::optional<std::string> tag = std::nullopt) {
    runtime_.link.set_timestamp_tag(std::move(tag));
  }

  // Prefix of the tensor's name in the verdict.
  void set_label(const std::string& label) { worker().set_label(label); }

  // --- devices ---
  class Devices {
   public:
    explicit Devices(Torch& torch) : torch_(torch) {}
    // Sets the device of the calling worker. UsageError for an unknown device.
    void set_device(int sip) { torch_.worker().set_device(sip); }
    void set_device_index(int sip) { set_device(sip); }
    int current_device() const { return torch_.worker().device_index(); }
    int current_device_index() const { return current_device(); }
    int device_count() const { return torch_.multiprocessing.ranks_at_most(); }

   private:
    Torch& torch_;
  };
  Devices ahbm, accelerator;  // aliases

  // --- ring buffers between PEs: sw/runtime/ipcq.h. All calls first wait for the pending launches
  // of the calling worker ---
  class Rings {
   public:
    explicit Rings(Torch& torch) : torch_(torch) {}
    void install(const NeighbourGraph& graph, const IpcqSettings& options = {}) {
      torch_.wait_all();
      const int device = torch_.worker("ipcq.install").device();
      IpcqInstallation& rings = torch_.runtime_.ipcq;
      if (graph.is_relative())
        rings.install_on(device, graph.on_device(device), options);
      else
        rings.install(graph, options);
    }
    // Adds rings to the existing ones, such as those of a process group, with the same settings.
    // UsageError if a ring would conflict with an existing one.
    void add(const NeighbourGraph& graph);
    void remove() {
      torch_.wait_all();
      torch_.worker("ipcq.remove");
      torch_.runtime_.ipcq.remove();
    }
    bool installed() const { return torch_.runtime_.ipcq.installed(); }
    const NeighbourGraph& graph() const { return torch_.runtime_.ipcq.graph(); }
    const IpcqSettings& options() const { return torch_.runtime_.ipcq.options(); }
    const std::vector<IpcqRing>& rings() const { return torch_.runtime_.ipcq.rings(); }

   private:
    Torch& torch_;
  };
  Rings ipcq;

  // --- regions of interest: `run --stats` reports the machine's statistics from reset() (or the
  // start) to each dump(), at the time of the call; neither waits for launches nor takes time ---
  class Statistics {
   public:
    explicit Statistics(Torch& torch) : torch_(torch) {}
    void reset() {
      if (auto* listener = torch_.runtime_.statistics) listener->reset(torch_.now());
    }
    void dump(const std::string& label) {
      if (auto* listener = torch_.runtime_.statistics) listener->dump(label, torch_.now());
    }

   private:
    Torch& torch_;
  };
  Statistics stats;

  // Measurement of transfers (models/protocol/transfer_meter.h). UsageError unless the bench
  // declares measures_transfers.
  TransferMeter& transfers() const;

  // --- several devices: sw/distributed ---
  Multiprocessing multiprocessing;
  Distributed distributed;

  // --- environment
  const MachineDescription& spec() const { return runtime_.link.port().machine(); }
  const Attributes& parameters() const { return parameters_; }  // the bench's, resolved
  Fs now() const { return runtime_.link.port().now(); }
  bool with_data() const { return runtime_.link.port().data() != nullptr; }

 private:
  Worker& worker() const;  // worker of the calling thread, else this object's
  Worker& worker(const char* call) const {
    Worker& here = worker();
    here.calling(call);
    return here;
  }
  static void keep(std::vector<std::shared_ptr<const void>>& keeps, const Tensor& tensor) {
    keeps.push_back(Worker::storage_of(tensor));
  }
  template <class Scalar>
  static void keep(std::vector<std::shared_ptr<const void>>& /*keeps*/, const Scalar& /*scalar*/) {}
  static const tl::TensorInfoPtr& argument_of(const Tensor& tensor) { return tensor.info(); }
  template <class Scalar>
  static const Scalar& argument_of(const Scalar& scalar) {
    return scalar;
  }

  Runtime& runtime_;
  std::shared_ptr<Worker> worker_;
  ThreadOfWorker thread_;
  Attributes parameters_;
};

}  // namespace kernbench
