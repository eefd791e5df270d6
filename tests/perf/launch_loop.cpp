// launch-loop: one small kernel launched again and again, on every PE of the cubes that are asked
// for. What a launch costs the host in time and memory (bench_launch).
#include <algorithm>
#include <vector>

#include "models/base/plugin.h"
#include "sw/benches/bench_registry.h"
#include "sw/torch/torch.h"

namespace {

namespace tl = kernbench::tl;
using kernbench::f16;
using kernbench::i32;

// --- on each PE

void empty(tl::Program& /*tl*/, tl::Tensor /*x*/, tl::Tensor /*out*/) {}

// Overwrites the same bytes in every launch: no kernel can reach the results of the previous
// launch.
void relu(tl::Program& tl, tl::Tensor x, tl::Tensor out) {
  tl.store(out.local(), tl.relu(tl.load(x.local(), x.local_shape(), f16)));
}

// A chain through all launches: each needs what the one before has computed.
void step(tl::Program& tl, tl::Tensor /*x*/, tl::Tensor out) {
  tl.store(out.local(), tl.load(out.local(), out.local_shape(), i32) + 1);
}

// --- on the host

void run(kernbench::Torch& torch) {
  const kernbench::Attributes& given = torch.parameters();
  const std::int64_t launches = given.integer("launches"), bytes = given.integer("bytes");
  const auto pes = static_cast<int>(given.integer("pes")),
             cubes = static_cast<int>(given.integer("cubes"));
  const std::string& name = given.text("kernel");
  const auto kernel = name == "step" ? step : name == "relu" ? relu : empty;
  const kernbench::DType dtype = name == "step" ? i32 : f16;
  const kernbench::Shape shape{pes * cubes,
                               bytes / static_cast<std::int64_t>(kernbench::size_of(dtype))};
  const kernbench::DPPolicy rows{kernbench::Placement::row_wise, kernbench::Placement::row_wise,
                                 cubes, pes};
  const kernbench::HostArray x = torch.random(shape, f16);
  const kernbench::Tensor x_tensor = torch.from_host(x, rows, "x"),
                          out = torch.zeros(shape, dtype, rows, "out");
  for (std::int64_t i = 0; i < launches; ++i) torch.launch(name, kernel, x_tensor, out);
  torch.verify(out, [x, name, launches, elements = shape.elements()] {
    std::vector<double> expected(static_cast<std::size_t>(elements),
                                 name == "step" ? static_cast<double>(launches) : 0.0);
    const std::vector<double> given = x.values();
    for (std::size_t i = 0; name == "relu" && i < expected.size(); ++i)
      expected[i] = std::max(given[i], 0.0);
    return expected;
  });
}

void add_all(kernbench::PluginRegistries& to) {
  using kernbench::Parameter;
  const auto count = [](const char* name, const char* what, int value, int most) {
    return Parameter::integer(name, what, "", "assumption").default_val(value).range(1, most);
  };
  to.benches.add(
      {"launch-loop",
       "one small kernel launched again and again",
       {count("launches", "of the kernel", 1000, 100'000'000),
        count("bytes", "of each tensor on each PE; a multiple of 4", 4096, 1 << 20),
        count("pes", "of a cube that work", 8, 4096), count("cubes", "that work", 16, 4096),
        Parameter::choice("kernel", "step: needs what the launch before has computed",
                          {"empty", "relu", "step"}, "assumption")
            .default_val("relu")},
       &run});
}

}  // namespace

KERNBENCH_PLUGIN("launch_loop", add_all);
