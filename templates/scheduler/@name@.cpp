// The scheduler of a PE: a command costs time for each of its tiles, and few are in flight.
//
// Timing: the dispatch of a command takes overhead_ns and tile_ns for each tile of its plan, a
// command without a plan counting as one tile. The next dispatch begins when the one before has
// ended and fewer than max_commands are dispatched and not complete. The base class has tile plans,
// the feeder, completion, tile buffers and the slot of the compute engines.
#include <array>

#include "models/base/component_registry.h"
#include "models/base/plugin.h"
#include "models/pe/pe_scheduler.h"

namespace {

using kernbench::CommandContext;
using kernbench::Fs;
using kernbench::Parameter;

class @Class@Model final : public kernbench::PeScheduler {
 public:
  static constexpr const char* description = "scheduler of @name@";
  static constexpr std::array roles{kernbench::Role::pe_scheduler};
  struct Parameters : PeScheduler::Parameters {  // overhead_ns, tile_m, tile_k, tile_n, ...
    using PeScheduler::Parameters::Parameters;
    kernbench::Param<Fs> tile{
        *this, Parameter::duration_ns("tile_ns", "time per tile of a command", "assumption")
                   .default_val(1)};
    kernbench::Param<std::size_t> max_commands{
        *this, Parameter::integer("max_commands", "in flight at most", "", "assumption")
                   .default_val(4)
                   .range(1, 1048576)};
  };

  explicit @Class@Model(const kernbench::ComponentInit& init)
      : PeScheduler(init), parameters_(init.attributes) {
    add_statistic("dispatch", "time of dispatches", kernbench::Quantity::time_fs, dispatch_);
  }

 private:
  Fs dispatch_time(const CommandContext& command) override {
    const std::uint64_t tiles = command.plan() ? command.plan()->tile_count() : 1;
    const Fs time = PeScheduler::dispatch_time(command) + tiles * *parameters_.tile;
    dispatch_ += time;
    return time;
  }
  bool may_dispatch(const CommandContext& /*command*/, std::size_t dispatched) override {
    return dispatched < *parameters_.max_commands;
  }

  const Parameters parameters_;
  std::uint64_t dispatch_ = 0;
};

void add_all(kernbench::PluginRegistries& to) {
  to.components.add(kernbench::implementation_of<@Class@Model>("custom.@name@"));
}

}  // namespace

KERNBENCH_PLUGIN("@name@", add_all);
