// The queue pairs of a PE: an operation costs time for its bytes.
//
// Timing: a send takes overhead_ns and bytes / copy_bw_gbs before it looks for a credit; a receive
// overhead_ns alone before it looks for its message. The base class has rings, credits, slot
// accesses and their order. Not modelled: what the copy of a send reads.
#include <array>

#include "models/base/component_registry.h"
#include "models/base/plugin.h"
#include "models/pe/pe_ipcq.h"

namespace {

using kernbench::Fs;
using kernbench::Parameter;

class @Class@Model final : public kernbench::PeIpcq {
 public:
  static constexpr const char* description = "queue pairs of @name@";
  static constexpr std::array roles{kernbench::Role::pe_ipcq};
  struct Parameters : PeIpcq::Parameters {  // overhead_ns, queue_pairs
    using PeIpcq::Parameters::Parameters;
    kernbench::Param<kernbench::Rational> copy_bw_gbs{
        *this,
        Parameter::rate_gbs("copy_bw_gbs", "of the copy of a send", "assumption").default_val(128)};
  };

  explicit @Class@Model(const kernbench::ComponentInit& init)
      : PeIpcq(init), parameters_(init.attributes) {
    add_statistic("copying", "time of copies", kernbench::Quantity::time_fs, copying_);
  }

 private:
  Fs send_time(const kernbench::IpcqSend& send) override {
    const Fs copy = kernbench::transfer_fs(send.nbytes(), *parameters_.copy_bw_gbs);
    copying_ += copy;
    return PeIpcq::send_time(send) + copy;
  }

  const Parameters parameters_;
  std::uint64_t copying_ = 0;
};

void add_all(kernbench::PluginRegistries& to) {
  to.components.add(kernbench::implementation_of<@Class@Model>("custom.@name@"));
}

}  // namespace

KERNBENCH_PLUGIN("@name@", add_all);
