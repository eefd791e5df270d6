// A machine with rtl.pe_gemm in its PEs, for kernels on one of them.
#pragma once

#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "models/data/elements.h"
#include "platform/phase2/data_executor.h"
#include "sw/tl/program.h"
#include "tests/support/whole_machine.h"

namespace kernbench::test {

inline const std::string gemm = "cube.pe_template.components.pe_gemm.";
inline constexpr Fs ns = fs_per_ns;

using Settings = std::vector<std::pair<std::string, std::string>>;
inline std::vector<Override> rtl(const Settings& attributes = {},
                                 const std::string& impl = "rtl.pe_gemm") {
  std::vector<Override> overrides{{gemm + "impl", impl}};
  for (const auto& [name, value] : attributes) overrides.push_back({gemm + "attrs." + name, value});
  return overrides;
}

inline MachineOptions builtin_engines() {
  MachineOptions options(MachineOptions::Engines::builtin);
  options.records = true;
  return options;
}

// Cycles of a tile's stage, from the first edge behind the grant on.
inline std::uint64_t tile_cycles(const WholeMachine& m, std::size_t i = 0) {
  const ExecutedOp op = m.ops("tile/GEMM").at(i);
  return (op.t_end - (op.t_start + ns - 1) / ns * ns) / ns;
}

struct GemmMachine : WholeMachine {
  explicit GemmMachine(const std::vector<Override>& overrides = rtl(),
                       const MachineOptions& options = builtin_engines())
      : WholeMachine("topology.tiny.yaml", overrides, options), executor(data, 2) {
    executor.start_eager();
  }

  // On one PE; the error of the launch, if it failed.
  std::string launch(std::function<void(tl::Program&)> body) {
    const Completion completion = run_kernel(*this, [&](KernelContext& context) {
      tl::Program tl(context);
      body(tl);
    });
    executor.run();
    return completion.ok ? "" : completion.error_message;
  }
  // Small integers, exact in any order; returned as written.
  std::vector<double> fill(std::uint64_t address, std::int64_t count, DType dtype) {
    std::vector<double> values(static_cast<std::size_t>(count));
    std::vector<std::byte> bytes(values.size() * size_of(dtype));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<double>(static_cast<int>(random() % 15) - 7);
      write_element(bytes.data() + i * size_of(dtype), dtype, values[i]);
    }
    data.memory().write_bytes(address, bytes.data(), bytes.size());
    return values;
  }
  std::vector<double> read(std::uint64_t address, std::int64_t count, DType dtype) const {
    const std::vector<std::byte> bytes =
        executor.read(address, static_cast<std::uint64_t>(count) * size_of(dtype));
    std::vector<double> values;
    for (std::int64_t i = 0; i < count; ++i)
      values.push_back(
          read_element(bytes.data() + static_cast<std::size_t>(i) * size_of(dtype), dtype));
    return values;
  }
  std::uint64_t cycles_of_tile(std::size_t i = 0) const { return tile_cycles(*this, i); }
  std::uint64_t gemm_statistic(const std::string& name) const {
    return statistic(PeId{0, 0, 0}, PeEngine::pe_gemm, name);
  }

  DataExecutor executor;
  std::mt19937 random{7};
};

inline std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b,
                                   std::int64_t m, std::int64_t k, std::int64_t n) {
  std::vector<double> sums(static_cast<std::size_t>(m * n));
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t t = 0; t < k; ++t)
      for (std::int64_t j = 0; j < n; ++j)
        sums[static_cast<std::size_t>(i * n + j)] +=
            a[static_cast<std::size_t>(i * k + t)] * b[static_cast<std::size_t>(t * n + j)];
  return sums;
}

}  // namespace kernbench::test
