// The bench sram-swap as a plug-in.
#include "sram_swap.h"

#include "models/base/plugin.h"
#include "sw/benches/bench_registry.h"

namespace {

void add_all(kernbench::PluginRegistries& to) { to.benches.add(kernbench::examples::sram_swap()); }

}  // namespace

KERNBENCH_PLUGIN("sram_swap", add_all);
