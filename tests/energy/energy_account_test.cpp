// Energy of a machine in simulation (spec 11.8): counts times energies, derived by hand; kernels
// that share a machine; power over time; actions of a component of one's own.
#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>

#include "models/base/energy_action.h"
#include "models/pe/compute_engine.h"
#include "tests/energy/metered_machine.h"
#include "tests/support/error_text.h"
#include "tests/support/forked.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(energy_account_test)

namespace {

constexpr double tolerance = 1e-9;  // of sums of doubles

bool are_close(double a, double b) {
  return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

}  // namespace

// A read of 4096 B from the own partition, then a product of 32 x 64 x 32:
//   MACs          65536 at 2 pJ                               131072 pJ
//   HBM           4096 B at 3 pJ, rows 4096 B at 1 pJ          16384 pJ
//   router        16 flits of 256 B at 7 pJ                      112 pJ
//   links         partition to router, router to PE: 4096 B at 8 * 0.5 pJ each
KERNBENCH_SYSTEMC_TEST(energy_of_a_product_is_its_counts_times_the_table) {
  MeteredMachine m(
      "components:\n"
      "  pe_gemm: {macs_f16: {pj: 2}}\n"
      "  hbm_ctrl: {bytes_read: {pj: 3}, bytes_of_rows: {pj: 1}}\n"
      "  router: {flits: {pj: 7}}\n"
      "links:\n"
      "  router_to_hbm: {bytes: {pj_per_bit: 0.5}}\n"
      "  pe_to_router: {bytes: {pj_per_bit: 0.5}}\n");
  m.run_metered([&](HostPort& port) {
    port.wait(*port.submit(std::shared_ptr<const KernelLaunch>(
        MeteredMachine::launch({{0, 0, 0}}, "r", [&](KernelContext& pe) {
          execute(pe, DmaCommand{false, m.hbm({0, 0, 0}), 4096});
          execute(pe, DotCommand{32, 64, 32, DType::f16});
        }))));
  });
  BOOST_TEST(m.row("action", "pe_gemm", "macs_f16").dynamic_pj == 131072);
  BOOST_TEST(m.row("action", "hbm_ctrl", "bytes_read").dynamic_pj == 3 * 4096);
  BOOST_TEST(m.row("action", "hbm_ctrl", "bytes_of_rows").dynamic_pj == 4096);
  BOOST_TEST(m.row("action", "router", "flits").dynamic_pj == 16 * 7);
  BOOST_TEST(m.row("action", "router_to_hbm", "bytes").dynamic_pj == 4096 * 4);
  BOOST_TEST(m.row("action", "pe_to_router", "bytes").dynamic_pj == 4096 * 4);
  const double all = 131072 + 16384 + 112 + 2 * 4096 * 4;
  BOOST_TEST(m.row("run", m.table.path()).dynamic_pj == all);
  BOOST_TEST(m.row("run", m.table.path()).macs == 65536U);
  // Everything happened while the kernel ran.
  BOOST_TEST(are_close(m.row("kernel", "kernel_r").dynamic_pj, all));
  BOOST_TEST(m.row("kernel", "kernel_r").macs == 65536U);
  BOOST_TEST(m.row("kernel", "outside kernels").dynamic_pj == 0);
  BOOST_TEST(m.row("place", "sip0.cube0.pe0", "pe").dynamic_pj == 131072);
  BOOST_TEST(are_close(m.row("place", "sip0", "sip").dynamic_pj, all));
  // Static power has no entry: unknown, as is what else was counted.
  BOOST_TEST(m.row("unknown", "pe_gemm", "static").count == 8);
  BOOST_TEST(m.row("unknown", "pe_cpu", "commands").count == 2);
}

// PE 0 reads 1024 B of PE 1: its data cross one mesh link of 2.5 mm (spec 2.9), its command has no
// bytes.
KERNBENCH_SYSTEMC_TEST(energy_of_wires_grows_with_their_length) {
  MeteredMachine m("links: {router_mesh: {byte_mm: {pj: 1}}}\n");
  m.run_metered([&](HostPort& port) {
    port.wait(*port.submit(std::shared_ptr<const KernelLaunch>(
        MeteredMachine::launch({{0, 0, 0}}, "r", [&](KernelContext& pe) {
          execute(pe, DmaCommand{true, m.hbm({0, 0, 1}), 1024});
        }))));
  });
  BOOST_TEST(are_close(m.row("action", "router_mesh", "byte_mm").dynamic_pj, 1024 * 2.5));
}

// Eight arrays of 62.5 mW; a pause of 2000 ns, then a product at 4096 MACs of 1 pJ per ns: 4096
// pJ/ns are 4.096 W.
KERNBENCH_SYSTEMC_TEST(peak_power_is_that_of_the_phase_with_the_product) {
  MeteredMachine m("components: {pe_gemm: {macs_f16: {pj: 1}, static: {w: 0.0625}}}\n");
  Fs began = 0, ended = 0;
  m.run_metered([&](HostPort& port) {
    port.wait(*port.submit(std::shared_ptr<const KernelLaunch>(
        MeteredMachine::launch({{0, 0, 0}}, "r", [&](KernelContext& pe) {
          pe.cycles(2000);
          began = Component::now();
          execute(pe, DotCommand{256, 512, 256, DType::f16});  // 8192 ns
          ended = Component::now();
        }))));
  });
  BOOST_TEST(ended - began > 8192 * fs_per_ns);
  double peak = 0;
  int busy = 0, idle = 0;
  for (const PowerRow& row : m.powers.all()) {
    if (row.part != "place" || row.name != "sip0") continue;
    peak = std::max(peak, row.w);
    if (row.end <= began) {
      ++idle;
      BOOST_TEST(are_close(row.w, 0.5));
    }
    if (row.begin > began + 10 * fs_per_ns && row.end < ended - 10 * fs_per_ns) {
      ++busy;
      BOOST_TEST(are_close(row.w, 4.596));
    }
  }
  BOOST_TEST(are_close(peak, 4.596));
  BOOST_TEST(idle > 20);  // windows of 64 ns
  BOOST_TEST(busy > 100);
}

// Two kernels of one PE and of three share a SIP: static power of it by the time of their PEs.
// Kernel a runs on PE 0 alone from the common start on for 1000 cycles, b on PEs 1 to 3 for as
// long.
KERNBENCH_SYSTEMC_TEST(shared_parts_belong_to_kernels_by_the_time_of_their_pes) {
  MeteredMachine m("components: {pe_gemm: {static: {w: 1}}, sram: {static: {w: 4}}}\n");
  m.run_metered([&](HostPort& port) {
    const auto wait = [](KernelContext& pe) { pe.cycles(100000); };
    const auto a = port.submit(
        std::shared_ptr<const KernelLaunch>(MeteredMachine::launch({{0, 0, 0}}, "a", wait)));
    const auto b = port.submit(std::shared_ptr<const KernelLaunch>(
        MeteredMachine::launch({{0, 0, 1}, {0, 0, 2}, {0, 0, 3}}, "b", wait)));
    port.wait(*a);
    port.wait(*b);
  });
  const EnergyRow a = m.row("kernel", "kernel_a"), b = m.row("kernel", "kernel_b");
  // Of the 100 us, to some hundred ns of skew: a has 1 W of its PE and a quarter of the 4 W of the
  // SRAM, b 3 W and three quarters. 1 W * 100 us = 1e8 pJ.
  BOOST_TEST(std::abs(a.static_pj / 2e8 - 1) < 0.02);
  BOOST_TEST(std::abs(b.static_pj / 6e8 - 1) < 0.02);
  BOOST_TEST(are_close(m.sum("kernel"), m.sum("action")));
}

namespace {

struct Work {
  std::vector<int> pes;
  std::uint64_t reads = 0, cycles = 0;
  std::int64_t m = 1;
};

// Relative differences of the sums over kernels, places and launches to the sum over actions.
std::vector<double> differences(const std::vector<Work>& works) {
  MeteredMachine m("include: " + std::string(KERNBENCH_SOURCE_DIR) + "/configs/energy.yaml\n");
  m.run_metered([&](HostPort& port) {
    port.wait(*port.submit(memory_write({0, 0, 1}, m.hbm({0, 0, 1}), {1, 2, 3, 4})));
    std::vector<std::shared_ptr<HostRequest>> requests;
    int number = 0;
    for (const Work& work : works) {
      std::vector<PeId> pes;
      for (const int pe : std::set<int>(work.pes.begin(), work.pes.end()))
        pes.push_back({0, 0, pe});
      requests.push_back(port.submit(std::shared_ptr<const KernelLaunch>(
          MeteredMachine::launch(pes, std::to_string(number++), [&m, work](KernelContext& pe) {
            for (std::uint64_t i = 0; i < work.reads; ++i)
              execute(pe, DmaCommand{i % 2 == 1, m.hbm({0, 0, static_cast<int>(i % 8)}), 2048});
            execute(pe, DotCommand{work.m, 64, 32, DType::f16});
            execute(pe, MathCommand{MathOp::exp, 1000});
            pe.cycles(work.cycles);
          }))));
    }
    for (const auto& request : requests) port.wait(*request);
  });
  const double all = m.sum("action");
  return {
      m.sum("kernel") / all - 1, (m.sum("place", "sip") + m.sum("place", "system")) / all - 1,
      (m.row("run", m.table.path()).dynamic_pj + m.row("run", m.table.path()).static_pj) / all - 1};
}

}  // namespace

RC_BOOST_PROP(sums_over_kernels_places_and_actions_are_equal, ()) {
  const auto works = *rc::gen::container<std::vector<Work>>(
      3, rc::gen::build<Work>(
             rc::gen::set(&Work::pes, rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(
                                          rc::gen::inRange(0, 8)))),
             rc::gen::set(&Work::reads, rc::gen::inRange<std::uint64_t>(0, 6)),
             rc::gen::set(&Work::cycles, rc::gen::inRange<std::uint64_t>(0, 3000)),
             rc::gen::set(&Work::m, rc::gen::inRange<std::int64_t>(1, 100))));
  for (const double difference : forked_value([&works] { return differences(works); }))
    RC_ASSERT(std::abs(difference) < tolerance);
}

namespace {

// 3 ns per stage; a "firing" for each.
class FiringGemm final : public ComputeEngine {
 public:
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    StageParameters stage{*this, "0"};
  };
  static constexpr const char* description = "for a test";
  static constexpr std::array roles{Role::pe_gemm};
  explicit FiringGemm(const ComponentInit& init)
      : ComputeEngine(init, PeEngine::pe_gemm, init.attributes.as<Parameters>().stage) {
    add_statistic("firings", "stages that were computed", Quantity::count, firings_);
  }

 private:
  Fs compute_time(const Stage& /*stage*/) const override {
    ++firings_;
    return 3 * fs_per_ns;
  }
  mutable std::uint64_t firings_ = 0;
  EnergyAction energy_of_firings_{*this, "firings"};
};

EnergyRow row_of_firings(const std::string& energies, const std::string& part) {
  MeteredMachine m(energies, {{"cube.pe_template.components.pe_gemm", "{impl: test.firing}"}},
                   [](ComponentRegistry& registry) {
                     registry.add(implementation_of<FiringGemm>("test.firing"));
                   });
  m.run_metered([&](HostPort& port) {
    port.wait(*port.submit(std::shared_ptr<const KernelLaunch>(
        MeteredMachine::launch({{0, 0, 0}, {0, 0, 1}}, "r", [](KernelContext& pe) {
          execute(pe, DotCommand{4, 4, 4, DType::f16});
        }))));
  });
  return m.row(part, "pe_gemm", "firings");
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(an_action_of_a_component_has_the_energy_of_its_entry) {
  const EnergyRow row = row_of_firings("components: {pe_gemm: {firings: {pj: 11}}}\n", "action");
  BOOST_TEST(row.count == 2);  // one on each PE
  BOOST_TEST(row.dynamic_pj == 2 * 11);
}

KERNBENCH_SYSTEMC_TEST(an_action_of_a_component_without_an_entry_is_unknown) {
  BOOST_TEST(row_of_firings("{}", "unknown").count == 2);
}

// A DMA of PE 0 and a tile of its scheduler, launched by the host over IO_CPU and M_CPU.
KERNBENCH_SYSTEMC_TEST(every_action_of_the_built_in_components_without_an_entry_is_unknown) {
  MeteredMachine m("components: {pe_gemm: {macs_f16: {pj: 1}}}\n",
                   {{"cube.components.hbm_ctrl", "{impl: builtin.hbm_banked}"}});
  m.run_metered([&](HostPort& port) {
    port.wait(*port.submit(std::shared_ptr<const KernelLaunch>(
        MeteredMachine::launch({{0, 0, 0}}, "r", [&](KernelContext& pe) {
          execute(pe, DmaCommand{false, m.hbm({0, 0, 0}), 4096});
          execute(pe, DotCommand{32, 64, 32, DType::f16});
          pe.cycles(4000);
          execute(pe, DmaCommand{false, m.hbm({0, 0, 0}), 4096});  // counts the first refresh
        }))));
  });
  for (const auto& [kind, action] :
       {std::pair("io_cpu", "requests"), std::pair("m_cpu", "requests"),
        std::pair("pe_dma", "transactions"), std::pair("pe_scheduler", "tiles"),
        std::pair("hbm_ctrl", "activates"), std::pair("hbm_ctrl", "bank_refreshes")})
    BOOST_TEST(m.row("unknown", kind, action).count > 0, kind << '.' << action);
}

BOOST_AUTO_TEST_CASE(an_energy_per_bit_of_a_count_is_refused) {
  const auto fault_of = [](const std::string& action) {
    return forked_value([&action]() -> std::string {
      try {
        MeteredMachine m("components: {" + action + ": {pj_per_bit: 0.5}}}\n");
      } catch (const ConfigError& error) {
        return error.what();
      }
      return "";
    });
  };
  for (const char* const count :
       {"pe_mmu: {look_ups", "pe_gemm: {macs_f16", "hbm_ctrl: {bank_refreshes"})
    check_contains(fault_of(count),
                   {"energy.yaml:1:", "found pj_per_bit 0.5, allowed is pj: a count has no bits"});
  for (const char* const bytes : {"sram: {bytes_read", "hbm_ctrl: {bytes_of_rows"})
    BOOST_TEST(fault_of(bytes) == "");
}

KERNBENCH_SYSTEMC_TEST(an_action_that_the_machine_lacks_is_refused_with_the_nearest) {
  check_contains(error_of<ConfigError>(
                     [] { MeteredMachine m("components: {pe_gemm: {mac_f16: {pj: 1}}}\n"); }),
                 {"energy.yaml:1:",
                  "components.pe_gemm.mac_f16: no pe_gemm of this machine has this "
                  "action; did you mean 'macs_f16'?"});
}

BOOST_AUTO_TEST_SUITE_END()
