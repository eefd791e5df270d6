// A WholeMachine with the rows of its energy (spec 11.8). Inside a forked child:
//
//   MeteredMachine m("components: {pe_gemm: {macs_f16: {pj: 2}}}\n");
//   m.run_metered([&](HostPort& port) { ... });
//   BOOST_TEST(m.row("action", "pe_gemm", "macs_f16").count == 4096);
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "platform/events/machine_events.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/whole_machine.h"

namespace kernbench::test {

inline EnergyTable energy_table_of(const std::string& text) {
  const TemporaryFolder folder;
  return load_energy_table(folder.write("energy.yaml", text), {});
}

class MeteredMachine : public WholeMachine {
 public:
  explicit MeteredMachine(const std::string& energies, const std::vector<Override>& overrides = {},
                          std::function<void(ComponentRegistry&)> components = {})
      : WholeMachine("topology.tiny.yaml", overrides, options(std::move(components))),
        table(energy_table_of(energies)), events(*platform), rows(events), powers(events) {
    events.observe_energy(table);
  }

  void run_metered(const std::function<void(HostPort&)>& body) {
    RunLimits limits;
    events.add_samples_to(limits);
    const RunResult result = run(body, limits);
    if (result.cause) std::rethrow_exception(result.cause);
    events.close(result.simulated, result);
  }
  // A kernel of some PEs; the request, for the host to wait for.
  static std::shared_ptr<KernelLaunch> launch(const std::vector<PeId>& pes,
                                              const std::string& request,
                                              std::function<void(KernelContext&)> body) {
    auto launch = kernel_launch(pes, request);
    launch->kernel.name = "kernel_" + request;
    launch->body = std::make_shared<FunctionKernel>(std::move(body));
    return launch;
  }

  EnergyRow row(const std::string& part, const std::string& name,
                const std::string& item = "") const {
    for (const EnergyRow& row : rows.all()) {
      if (row.part == part && row.name == name && row.item == item) return row;
    }
    throw std::logic_error("no row " + part + " " + name + " " + item);
  }
  // Sum of the energies of a part; of places those of one level.
  double sum(const std::string& part, const std::string& level = "") const {
    double sum = 0;
    for (const EnergyRow& row : rows.all()) {
      if (row.part == part && (level.empty() || row.item == level))
        sum += row.dynamic_pj + row.static_pj;
    }
    return sum;
  }

  EnergyTable table;
  MachineEvents events;
  CollectedRows<EnergyRow> rows;
  CollectedRows<PowerRow> powers;

 private:
  static MachineOptions options(std::function<void(ComponentRegistry&)> components) {
    MachineOptions options = without_data();
    options.components = std::move(components);
    return options;
  }
};

inline void execute(KernelContext& pe, decltype(Command::what) what) {
  Command command;
  command.what = std::move(what);
  pe.wait(*pe.issue(command));
}

}  // namespace kernbench::test
