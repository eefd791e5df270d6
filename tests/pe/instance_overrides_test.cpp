// Times of PEs that differ from the others by `overrides`. A product of 32 x 64 x 32 takes 65536 /
// macs_per_cycle cycles of 1 ns, behind the scheduler's 1 ns.
#include <boost/test/unit_test.hpp>

#include "tests/support/forked.h"
#include "tests/support/whole_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(overridden_pes)

namespace {

constexpr Fs ns = fs_per_ns;
constexpr Fs of_kind = 1 * ns + 65536 / 4096 * ns;

struct Machine : WholeMachine {
  Machine(const std::string& topology, const std::vector<Override>& overrides)
      : WholeMachine(topology, overrides, without_data()) {}

  // How long each PE of the launches took for one product; the launches are of one SIP each.
  std::map<PeId, Fs> products(const std::vector<std::vector<PeId>>& launches) {
    std::map<PeId, Fs> taken;
    const RunResult result = run([&](HostPort& port) {
      for (const std::vector<PeId>& targets : launches) {
        auto message = host_message<KernelLaunch>();
        message->kernel.name = "product";
        message->target_device = targets.front().sip;
        message->targets = targets;
        message->body = std::make_shared<FunctionKernel>([&](KernelContext& context) {
          Command product;
          product.what = DotCommand{32, 64, 32, DType::f16};
          const Fs before = context.now();
          context.wait(*context.issue(product));
          taken[context.where()] = context.now() - before;
        });
        const auto request = port.submit(std::shared_ptr<const KernelLaunch>(message));
        port.wait(*request);
        BOOST_TEST(request->response().completion.ok);
      }
    });
    BOOST_TEST(result.error == "");
    return taken;
  }
};

std::vector<PeId> pes_of(int sip, int cubes) {
  std::vector<PeId> pes;
  for (int cube = 0; cube < cubes; ++cube) {
    for (int pe = 0; pe < 8; ++pe) pes.push_back({sip, cube, pe});
  }
  return pes;
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(one_pe_takes_its_own_time_and_the_others_theirs) {
  Machine m("topology.tiny.yaml", {{"sip0.cube0.pe2.pe_gemm.attrs.macs_per_cycle", "1024"}});
  for (const auto& [pe, taken] : m.products({pes_of(0, 1)}))
    BOOST_TEST(taken == (pe.pe == 2 ? 1 * ns + 65536 / 1024 * ns : of_kind), pe.str());
}

// The scheduler's overhead, 3 ns for 1.
KERNBENCH_SYSTEMC_TEST(one_level_takes_its_own_time) {
  Machine m("topology.yaml", {{"system.sips.count", "1"},
                              {"overrides",
                               "[{match: 'sip0.cube3.**', kind: pe_scheduler, attrs: {overhead_ns: "
                               "3}}]"}});
  const std::map<PeId, Fs> taken = m.products({pes_of(0, 16)});
  BOOST_TEST(taken.size() == 128U);
  for (const auto& [pe, time] : taken)
    BOOST_TEST(time == of_kind + (pe.cube == 3 ? 2 * ns : 0), pe.str());
}

KERNBENCH_SYSTEMC_TEST(all_256_pes_are_changed_by_a_pattern_and_one_of_them_again) {
  Machine m("topology.yaml", {{"**.pe_gemm.attrs.macs_per_cycle", "2048"},
                              {"sip1.cube15.pe7.pe_gemm.attrs.clock_ghz", "0.5"}});
  const std::map<PeId, Fs> taken = m.products({pes_of(0, 16), pes_of(1, 16)});
  BOOST_TEST(taken.size() == 256U);
  const Fs changed = 65536 / 2048 * ns;
  for (const auto& [pe, time] : taken) {
    const bool twice = pe.sip == 1 && pe.cube == 15 && pe.pe == 7;
    BOOST_TEST(time == 1 * ns + (twice ? 2 * changed : changed), pe.str());
  }
}

BOOST_AUTO_TEST_SUITE_END()
