// @description@. Derives from the built-in component and overrides one of its policies.
//
// Timing: @extra_key@ more for each @unit@ than @base@. Its header (@header@)
// lists the policies to override; the base class keeps the rest of the contract
// (docs/contracts/@contract@): sockets, services, order, statistics.
#include <array>

#include "models/base/component_registry.h"
#include "models/base/plugin.h"
#include "@header@"

namespace {

using namespace kernbench;

class @Class@Model final : public @base@ {
 public:
  static constexpr const char* description = "@title@ of @name@";
  static constexpr std::array roles{Role::@role@};
  struct Parameters : @base@::Parameters {
    using @base@::Parameters::Parameters;
    Param<@type@> extra{
        *this, Parameter::@extra@
                   .default_val(1)};
  };

  explicit @Class@Model(const ComponentInit& init)
      : @base@(init), extra_(*init.attributes.as<Parameters>().extra) {
    add_statistic("rule_calls", "calls of @rule@()", Quantity::count, calls_);
  }

 private:
  @type@ @rule@(@parameters@) override {
    ++calls_;
    return @base@::@rule@(@arguments@) + extra_;
  }

  const @type@ extra_;
  std::uint64_t calls_ = 0;
};

void add_all(PluginRegistries& to) {
  to.components.add(implementation_of<@Class@Model>("custom.@name@"));
}

}  // namespace

KERNBENCH_PLUGIN("@name@", add_all);
