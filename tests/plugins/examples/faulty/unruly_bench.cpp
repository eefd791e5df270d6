// A bench whose kernel misbehaves, and a component that does.
#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "models/base/component_registry.h"
#include "models/base/plugin.h"
#include "models/cube/sram.h"
#include "sw/benches/bench_registry.h"

namespace {

using namespace kernbench;

void kernel(tl::Program& tl, tl::Tensor x, int how) {
  if (!x.has_local()) return;
  tl.load(x.local(), x.local_shape(), x.dtype());
  if (how == 0) std::exit(0);
  if (how == 1) *reinterpret_cast<volatile int*>(std::uintptr_t{8}) = 1;
  if (how == 2) throw std::runtime_error("no licence");
  if (how == 3) sc_core::sc_stop();
}

void run(Torch& torch) {
  const std::string how = torch.parameters().text("how");
  const Tensor x = torch.zeros({8, 8}, f16, DPPolicy::on_one_pe(), "x");
  torch.launch("unruly", kernel, x, how == "exit" ? 0 : how == "null" ? 1 : how == "throw" ? 2 : 3);
}

// A memory whose service throws.
class Thrower : public MemoryService {
 public:
  static constexpr const char* description = "throws when it is accessed";
  using Parameters = MemoryParameters;
  Thrower(ArrivalQueue& inbox, const Parameters& /*parameters*/) : inbox_(inbox) {}
  Fs next_due() const { return inbox_.control_due(); }
  template <class Done>
  void serve(Fs now, Done /*done*/) {
    if (inbox_.control_due() <= now) throw std::runtime_error("no licence");
  }

 private:
  ArrivalQueue& inbox_;
};

void add_all(PluginRegistries& to) {
  to.components.add(implementation_of<MemoryNode<Thrower>>("acme.throwing_memory"));
  to.benches.add({"acme-unruly",
                  "misbehaves",
                  {Parameter::choice("how", "", {"exit", "null", "throw", "stop"}, "assumption")
                       .default_val("exit")},
                  &run});
}

}  // namespace

KERNBENCH_PLUGIN("unruly", add_all);
