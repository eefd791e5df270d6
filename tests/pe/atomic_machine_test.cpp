// Atomic accesses at an HBM (spec 2.5, 2.6): times against a count of bursts and flits by hand.
//
// topology.tiny.yaml, PE 0 and its own partition, both at router r0c0: scheduler 1 ns, pe_dma 1 ns,
// the router 2 ns for the first flit of a leg, links of 256 GB/s and 1 fs; flits of 256 B; 8
// channels, bursts of 256 B take 8 ns. Element of 4 B: a flit of 1/64 ns.
#include <boost/test/unit_test.hpp>

#include "models/address/virtual_space.h"
#include "models/base/atomic_op.h"
#include "tests/support/forked.h"
#include "tests/support/whole_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(atomic_machine)

namespace {

constexpr Fs ns = fs_per_ns;
constexpr double element = 1.0 / 64;  // ns of 4 B on a link
const PeId pe0{0, 0, 0};

// What the memory has served, in its order.
struct Effect final : AtomicEffect {
  void serve(const AtomicSpans& part, Fs now) override {
    spans.insert(spans.end(), part.begin(), part.end());
    times.push_back(now);
  }
  AtomicSpans spans;
  std::vector<Fs> times;
};

struct Access {
  AtomicOp op = AtomicOp::add;
  AddressRuns runs;  // offsets in the partition
};

struct Served {
  Fs taken = 0;
  std::vector<std::uint64_t> served;  // position, bytes of each span
  std::vector<Fs> after;              // of each part, from the issue
};

std::uint64_t base_of(const WholeMachine& m, const std::string& model) {
  return model == "pa" ? m.hbm(pe0) : va_base;
}

// Makes va_base the first byte of PE 0's partition there.
void map_partition(WholeMachine& m, HostPort& port, const std::string& model) {
  if (model == "pa") return;
  BaawSegment segment{va_base, 1 << 22, HbmMapping::one_to_one, {}};
  for (std::uint64_t channel = 0; channel < 8; ++channel)
    segment.pa_bases.push_back(m.hbm(pe0, channel * 256));
  auto install = host_message<SegmentInstall>();
  install->segments = {segment};
  install->targets = {pe0};
  port.wait(*port.submit(std::shared_ptr<const SegmentInstall>(install)));
}

// Alone on the machine; several accesses back to back, the last of which counts.
Served served(const std::vector<Access>& accesses, const std::string& model = "pa",
              std::vector<Override> overrides = {}) {
  WholeMachine m(
      "topology.tiny.yaml",
      [&] {
        overrides.push_back({"cube.memory_map.address_model", model});
        overrides.push_back(
            {"cube.memory_map.hbm_mapping_mode", model == "la" ? "one_to_one" : "n_to_one"});
        return overrides;
      }(),
      WholeMachine::Engines::builtin);
  Served result;
  const RunResult run = m.run([&](HostPort& port) {
    map_partition(m, port, model);
    auto message = kernel_launch({pe0});
    message->body = std::make_shared<FunctionKernel>([&](KernelContext& context) {
      for (const Access& access : accesses) {
        const auto effect = std::make_shared<Effect>();
        auto runs = std::make_shared<AddressRuns>(access.runs);
        std::uint64_t bytes = 0;
        for (AddressRun& run : *runs) run.address += base_of(m, model), bytes += run.nbytes;
        Command command;
        command.what =
            DmaCommand{true, runs->front().address, bytes, runs->size() > 1 ? runs : nullptr,
                       std::make_shared<const AtomicAccess>(AtomicAccess{access.op, effect})};
        const Fs before = context.now();
        context.wait(*context.issue(std::move(command)));
        result = {context.now() - before, {}, {}};
        for (const AtomicSpan& span : effect->spans) {
          result.served.push_back(span.position);
          result.served.push_back(span.nbytes);
        }
        for (const Fs time : effect->times) result.after.push_back(time - before);
      }
    });
    port.wait(*port.submit(std::shared_ptr<const KernelLaunch>(message)));
  });
  BOOST_TEST(run.error == "");
  return result;
}

// From the issue to the end.
Fs taken(const std::vector<Access>& accesses, const std::string& model = "pa",
         const std::vector<Override>& overrides = {}) {
  return forked_value([=] { return served(accesses, model, overrides).taken; });
}

void check(Fs found, double expected_ns, std::uint64_t links) {
  const Fs expected = static_cast<Fs>(expected_ns * 1e6) + links;
  BOOST_TEST(found == expected,
             "found " << format_ns(found) << ", expected " << format_ns(expected));
}

}  // namespace

// One flit there: 2 ns, two links, 2 ns of the router. The burst is read and written, 8 ns each.
// One flit back: two links, 2 ns.
BOOST_AUTO_TEST_CASE(one_element_is_a_read_and_a_write_of_its_burst) {
  check(taken({{AtomicOp::add, {{64, 4}}}}), 2 + element + 2 + element + 16 + element + 2 + element,
        4);
}

BOOST_AUTO_TEST_CASE(the_change_of_direction_costs_its_penalty) {
  check(taken({{AtomicOp::add, {{64, 4}}}}, "pa",
              {{"cube.components.hbm_ctrl.attrs.switch_penalty_ns", "3"}}),
        2 + element + 2 + element + 19 + element + 2 + element, 4);
}

// Two flits there, compare and value, back to back behind the router's 2 ns.
BOOST_AUTO_TEST_CASE(cas_carries_two_operands) {
  check(taken({{AtomicOp::cas, {{64, 4}}}}),
        2 + element + 2 + 2 * element + 16 + element + 2 + element, 4);
}

// 512 B: two flits, two bursts on two channels. The last flit is there at 2 + 1 + 2 + 1 + 1 = 7 ns;
// the answer leaves at 23 and takes 1 + 2 + 1 + 1.
BOOST_AUTO_TEST_CASE(bursts_of_a_block_are_updated_in_parallel) {
  check(taken({{AtomicOp::add, {{0, 512}}}}), 7 + 16 + 5, 4);
}

// Two elements, two flits each way. In one burst, and in bursts of two channels: 16 ns; in two
// bursts of one channel: 32 ns.
BOOST_AUTO_TEST_CASE(elements_share_a_burst_or_wait_for_their_channel) {
  const double legs = 2 * (element + 2 + 2 * element);
  check(taken({{AtomicOp::add, {{0, 4}, {8, 4}}}}), 2 + legs + 16, 4);
  check(taken({{AtomicOp::add, {{0, 4}, {256, 4}}}}), 2 + legs + 16, 4);
  check(taken({{AtomicOp::add, {{0, 4}, {2048, 4}}}}), 2 + legs + 32, 4);
}

// The effect is that of the instant at which the last operand is through.
KERNBENCH_SYSTEMC_TEST(the_effect_is_at_the_instant_of_service) {
  const Served one = served({{AtomicOp::cas, {{64, 4}}}});
  check(one.after.at(0), 2 + element + 2 + 2 * element, 2);
  BOOST_TEST(one.served == (std::vector<std::uint64_t>{0, 4}), boost::test_tools::per_element());
}

// LA in one_to_one: a request for each of two channels; 512 B from 128 on go round as 128 B on
// channel 0, 256 B on channel 1, 128 B on channel 2. The two flits for channel 1 follow one another
// on the link of that channel, so that channel 2 has its only flit first.
KERNBENCH_SYSTEMC_TEST(each_channel_serves_the_bytes_that_lie_there) {
  const Served parts = served({{AtomicOp::add, {{128, 512}}}}, "la");
  BOOST_TEST(parts.after.size() == 3U);
  BOOST_TEST(parts.served == (std::vector<std::uint64_t>{0, 128, 384, 128, 128, 256}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
