// Figures of the Python system for tiled products.
#include <fmt/format.h>

#include "platform/observe/activity_windows.h"
#include "platform/validate/case_machines.h"
#include "platform/validate/kernel_cases.h"

namespace kernbench {
namespace {

struct Windows {
  double composite_ns, pe_ns;
};

// 32 x 3072 x 32 in f16 on one PE, A loaded first: 48 tiles of 4 KiB of B, each read from HBM.
Windows run_product(Platform& platform, const RunBench& run) {
  ActivityWindows windows;
  platform.observation().executed_ops.bind(windows);
  run(platform,
      {"matmul-composite", {{"M", "32"}, {"K", "3072"}, {"N", "32"}, {"variant", "load_ref"}}});
  const ActivitySummary summary = windows.summary([](const std::string&) { return MacRate{}; });
  return {to_ns(summary.composite.length()), to_ns(summary.all.length())};
}

// `each_ns`: time of an access beyond that of the whole message on the link and in the routers. The
// composite has 48 reads and a write; the PE additionally reads A.
std::vector<ValidationCheck> product_checks(const Windows& windows, double each_ns,
                                            const std::string& reason) {
  const auto check = [&](const char* window, double published, int accesses, double simulated) {
    return differing_check(fmt::format("32 x 3072 x 32, A loaded first, {}", window), "ns",
                           published,
                           fmt::format("{:g} + {} * {:g} + 16", published, accesses, each_ns),
                           published + accesses * each_ns + 16, reason, simulated);
  };
  return {check("composite window", 992, 49, windows.composite_ns),
          check("PE window", 1765, 50, windows.pe_ns)};
}

std::vector<ValidationCheck> play_product(Platform& platform, const RunBench& run) {
  return product_checks(run_product(platform, run), 1 + 8 + 1,
                        "setup, burst and a flit of each access, which the state of the Python "
                        "system before its flits did not have; 16: a stage of the last tile");
}

std::vector<ValidationCheck> play_fine_grained_product(Platform& platform, const RunBench& run) {
  return product_checks(run_product(platform, run), 8 / 32. + 8 / 256.,
                        "the remainder is a burst of 8 B at 32 GB/s and a flit of 8 B at 256 GB/s");
}

}  // namespace

std::vector<ValidationCase> source_gemm_cases(const RunBench& run) {
  const char* source = "Python system, milestone-1h-gemm (ADR-0044, ADR-0054)";
  const std::vector<Override> fine =
      with(source_machine(),
           {{"system.flit_bytes", "8"}, {"cube.components.hbm_ctrl.attrs.burst_bytes", "8"}});
  return {
      {"product", "source", "48 tiles of a composite, each after a read of 4 KiB", source, "",
       our_machine(), [run](Platform& platform) { return play_product(platform, run); }},
      {"product-fine-grained", "source",
       "The same with flits and bursts of 8 B, as near to whole messages as they come", source, "",
       fine, [run](Platform& platform) { return play_fine_grained_product(platform, run); }}};
}

}  // namespace kernbench
