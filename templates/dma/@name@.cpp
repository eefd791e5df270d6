// The DMA of a PE with one engine: one access at a time, whether it reads or writes.
//
// Timing: reads and writes wait for the engine in order of their requests, those of one instant in
// the order of their work, and hold it for the full round trip. An access pays overhead_ns and the
// look-up of its addresses before it stands at the link, and turnaround_ns more if the one before
// went in the other direction. The base class has stages, addresses, messages between PEs, the
// link. Not modelled: time in the TCM.
#include <array>

#include "models/base/component_registry.h"
#include "models/base/plugin.h"
#include "models/pe/pe_dma.h"

namespace {

using kernbench::DmaDirection;
using kernbench::Fs;
using kernbench::Parameter;

class @Class@Model final : public kernbench::PeDma {
 public:
  static constexpr const char* description = "DMA of @name@ with one engine";
  static constexpr std::array roles{kernbench::Role::pe_dma};
  struct Parameters : PeDma::Parameters {  // overhead_ns, queue_depth, those of messages, ...
    using PeDma::Parameters::Parameters;
    kernbench::Param<Fs> turnaround{
        *this, Parameter::duration_ns("turnaround_ns", "when the direction changes", "assumption")
                   .default_val(2)};
  };

  explicit @Class@Model(const kernbench::ComponentInit& init)
      : PeDma(init), parameters_(init.attributes) {
    add_statistic("turnarounds", "changes of direction", kernbench::Quantity::count, turnarounds_);
  }

 private:
  bool may_grant(const DmaDirection& of, const DmaDirection& other) override {
    if (of.use.held() + other.use.held() > 0) return false;
    return other.use.waiting() == 0 || of.use.first_before(other.use);
  }
  Fs setup_time(const DmaDirection& of, std::uint64_t bytes, Fs addresses) override {
    const bool turns = last_ != nullptr && last_ != &of;
    last_ = &of;
    if (turns) ++turnarounds_;
    return PeDma::setup_time(of, bytes, addresses) + (turns ? *parameters_.turnaround : 0);
  }

  const Parameters parameters_;
  const DmaDirection* last_ = nullptr;  // null: nothing has been moved yet
  std::uint64_t turnarounds_ = 0;
};

void add_all(kernbench::PluginRegistries& to) {
  to.components.add(kernbench::implementation_of<@Class@Model>("custom.@name@"));
}

}  // namespace

KERNBENCH_PLUGIN("@name@", add_all);
