// MockRuntime: runs a kernel on several ranks with values and without a machine, for unit tests of
// kernels and collectives (sw/collectives/README.md, 7).
//
//   MockSetup setup;
//   setup.pes = 4;
//   MockRuntime mock(setup);
//   mock.connect(graphs::intra_pe_ring(0, 0, 4));
//   const tl::TensorInfoPtr x = mock.tensor("x", {64}, DType::f16);  // so many elements per rank
//   mock.write(x, 0, values);
//   mock.run(kernel, x, 3);
//   mock.read(x, 2);
//
// A rank is a PE; ranks are counted in (sip, cube, pe) order. Each runs on its own thread, one at a
// time and in the order of ranks, until it must wait or has made `calls_per_turn` calls, so that
// runs are deterministic. Values are computed by phase 2, as with `--data eager`; memory, rings of
// n_slots messages and barriers behave as the machine's. Every command completes at its call.
//
// Not modelled: time, address translation, tensors outside HBM, memory location of rings, data
// races, several kernels on a PE.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "models/base/errors.h"
#include "sw/collectives/neighbour_graph.h"
#include "sw/tl/kernel.h"

namespace kernbench {

struct MockSetup {
  int pes = 1;    // per cube, 1 to 16
  int cubes = 1;  // per SIP, 1 to 16
  int sips = 1;   // 1 to 16
  std::uint32_t n_slots = 4;
  std::uint64_t slot_bytes = 4096;
  std::uint64_t scratch_bytes = 1 << 20;  // per PE
  TileShape tile;                         // default of composites
  int calls_per_turn = 256;
};

// Error of a run that failed. The text names ranks, calls with their lines, and the allowed values.
class MockError : public Error {
 public:
  enum class Kind : std::uint8_t {
    kernel,     // a kernel has thrown; the other ranks were ended
    deadlock,   // every rank that has not returned waits
    unreceived  // all kernels have returned, and messages remain in the rings
  };
  MockError(Kind kind, int rank, const std::string& text, std::exception_ptr cause = {})
      : Error(text), kind_(kind), rank_(rank), cause_(std::move(cause)) {}
  Kind kind() const { return kind_; }
  int rank() const { return rank_; }  // first rank that failed, waits, or has a message left
  const std::exception_ptr& cause() const { return cause_; }  // for kind kernel
  std::string code() const override { return "mock_error"; }

 private:
  Kind kind_;
  int rank_;
  std::exception_ptr cause_;
};

struct MockReport {
  std::vector<std::string> printed;   // by tl.device_print, "rank 2: kernel 'k': x: ..."
  std::vector<std::string> unwaited;  // "rank 2: 1 command, tl.load_async (k.cpp:39)": no tl.wait
  std::uint64_t messages = 0;         // received messages
};

// Kernel with its arguments on these ranks. program_id() counts them.
struct MockLaunch {
  tl::KernelCall call;
  std::vector<int> ranks;
};

class MockRuntime {
 public:
  explicit MockRuntime(const MockSetup& setup);
  ~MockRuntime();
  MockRuntime(const MockRuntime&) = delete;
  MockRuntime& operator=(const MockRuntime&) = delete;

  const MockSetup& setup() const;
  int ranks() const;
  PeId pe(int rank) const;  // UsageError for an unknown rank
  int rank(PeId pe) const;

  // Queue pairs between the PEs; replaces existing ones.
  void connect(const NeighbourGraph& graph);

  // Tensor of zeros with one block of this shape on each of `ranks`, all if empty; the whole
  // concatenates these blocks along axis 0. An argument of kernels.
  tl::TensorInfoPtr tensor(const std::string& name, const Shape& block, DType dtype,
                           const std::vector<int>& ranks = {});
  // Block of a rank, row by row; rounded once to the tensor's dtype.
  void write(const tl::TensorInfoPtr& tensor, int rank, const std::vector<double>& values);
  std::vector<double> read(const tl::TensorInfoPtr& tensor, int rank);

  // Runs the kernel on every rank. MockError.
  template <class Kernel, class... Args>
  MockReport run(Kernel kernel, const Args&... args) {
    return run({{tl::bind_kernel(std::move(kernel), args...), {}}});
  }
  // Runs several kernels concurrently, each on its own ranks, by default on all. tl.barrier()
  // requires a kernel on all ranks.
  MockReport run(const std::vector<MockLaunch>& launches);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace kernbench
