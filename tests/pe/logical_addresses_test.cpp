// The address model LA in whole machines (spec 3.3): segments on the way of MmuMap, the two modes
// on one stream and under contention. topology.tiny.yaml: PE 0, its partition and its channel links
// at router r0c0, PE 1 at r0c1, 2.5 mm = 0.25 ns apart. 256 GB/s: a flit of 256 B takes 1 ns; a
// channel's link and a burst 8 ns.
#include <boost/test/unit_test.hpp>

#include "models/address/virtual_space.h"
#include "tests/support/forked.h"
#include "tests/support/whole_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(logical_addresses)

namespace {

constexpr Fs ns = fs_per_ns;
constexpr std::uint64_t la = va_base;
const PeId pe0{0, 0, 0};
const PeId pe1{0, 0, 1};

std::vector<Override> logical(HbmMapping mode, std::vector<Override> more = {}) {
  more.push_back({"cube.memory_map.address_model", "la"});
  more.push_back({"cube.memory_map.hbm_mapping_mode",
                  mode == HbmMapping::one_to_one ? "one_to_one" : "n_to_one"});
  return more;
}

class Machine {
 public:
  explicit Machine(HbmMapping mode, std::vector<Override> more = {})
      : mode_(mode),
        m_("topology.tiny.yaml", logical(mode, std::move(more)), WholeMachine::Engines::builtin) {}

  // The first bytes of PE 0's partition, at `la`.
  BaawSegment segment(std::uint64_t size = 1 << 22) const {
    BaawSegment segment{la, size, mode_, {}};
    for (std::uint64_t channel = 0; channel < (mode_ == HbmMapping::one_to_one ? 8 : 1); ++channel)
      segment.pa_bases.push_back(m_.hbm(pe0, channel * 256));
    return segment;
  }
  std::shared_ptr<SegmentInstall> install(std::vector<PeId> targets) const {
    auto message = host_message<SegmentInstall>();
    message->segments = {segment()};
    message->targets = std::move(targets);
    return message;
  }
  static std::shared_ptr<SegmentRemove> remove(std::vector<PeId> targets,
                                               std::uint64_t size = 1 << 22) {
    auto message = host_message<SegmentRemove>();
    message->segments = {{la, size}};
    message->targets = std::move(targets);
    return message;
  }

  RunResult run(std::function<void(HostPort&)> body) { return m_.run(std::move(body)); }

  // Installs the segment on the targets, then runs the kernel there.
  HostResponse launch(std::vector<PeId> targets, std::function<void(KernelContext&)> kernel) {
    HostResponse response;
    const RunResult result = m_.run([&](HostPort& port) {
      const auto installed = port.submit(std::shared_ptr<const SegmentInstall>(install(targets)));
      port.wait(*installed);
      BOOST_TEST(installed->response().completion.ok,
                 installed->response().completion.error_message);
      auto message = kernel_launch(targets);
      message->body = std::make_shared<FunctionKernel>(std::move(kernel));
      const auto request = port.submit(std::shared_ptr<const KernelLaunch>(message));
      port.wait(*request);
      response = request->response();
    });
    BOOST_TEST(result.error == "");
    return response;
  }

  WholeMachine& machine() { return m_; }

 private:
  HbmMapping mode_;
  WholeMachine m_;
};

// From the issue of a DMA to its end.
Fs timed(KernelContext& context, bool write, std::uint64_t address, std::uint64_t bytes) {
  Command command;
  command.what = DmaCommand{write, address, bytes};
  const Fs before = context.now();
  context.wait(*context.issue(std::move(command)));
  return context.now() - before;
}

// One DMA of PE 0 in its own partition, alone on the machine.
Fs lone(HbmMapping mode, bool write, std::uint64_t bytes) {
  return forked_value([=] {
    Machine m(mode);
    Fs taken = 0;
    const HostResponse response =
        m.launch({pe0}, [&](KernelContext& context) { taken = timed(context, write, la, bytes); });
    BOOST_TEST(response.completion.ok, response.completion.error_message);
    return taken;
  });
}

// PE 1 writes one burst to `other`, PE 0, begun 1 ns later, one to channel 0: when PE 0 and PE 1
// have ended after PE 1's issue.
std::vector<Fs> two_writes(HbmMapping mode, std::uint64_t other, bool with_pe0) {
  return forked_value([=] {
    Machine m(mode, {{"cube.components.router.attrs.overhead_ns", "0"}});
    std::vector<Fs> taken(2, 0);
    const HostResponse response = m.launch({pe0, pe1}, [&](KernelContext& context) {
      if (context.where() == pe1) {
        taken[1] = timed(context, true, other, 256);
      } else if (with_pe0) {
        context.cycles(1);
        taken[0] = 1 * ns + timed(context, true, la, 256);
      }
    });
    BOOST_TEST(response.completion.ok, response.completion.error_message);
    return taken;
  });
}

constexpr auto n_to_one = HbmMapping::n_to_one;
constexpr auto one_to_one = HbmMapping::one_to_one;

}  // namespace

// A stream of R rounds of the channels (2 KiB each), scheduler 1 ns, pe_dma 1 ns.
// Read, n_to_one: the command passes r0c0, 2 ns. First bursts 8 ns; from then on a flit per ns, 8
// R; in between, r0c0 2 ns for the first flit, and the last flit's 1 ns on the second link. Four
// links of 1 fs. Read, one_to_one: every channel's first flit is at r0c0 after the burst and 8 ns
// on its own link; eight first flits hold the router for 2 ns each, 16 ns, and whatever comes
// meanwhile follows without a gap: the first round's last flit is through at 32 ns and on the way
// to pe_dma for 1 ns, the R - 1 further rounds take 8 ns each. Two more links of 1 fs, to and from
// the channel's node. Write, n_to_one: flit i is at r0c0 after i ns and leaves it 2 ns later (as
// long as i is 1), or at once: on the next link one per ns from 3 ns on. The last one is there
// after 3 + 8 R, and its burst takes 8 ns. The acknowledgement passes r0c0, 2 ns. Write,
// one_to_one: of the first eight flits, each the first of its request, the eighth leaves r0c0 after
// 1 + 8 x 2 ns; its channel gets the others of its own in time, and takes 8 ns for each of R; the
// last burst 8 ns.
BOOST_AUTO_TEST_CASE(both_modes_move_one_stream_at_the_same_rate) {
  const auto expected = [](HbmMapping mode, bool write, std::uint64_t rounds) -> Fs {
    const Fs issue = 1 * ns + 1 * ns;
    if (mode == n_to_one)
      return issue +
             (write ? 3 * ns + 8 * rounds * ns + 8 * ns + 2 * ns
                    : 2 * ns + 8 * ns + 8 * rounds * ns + 3 * ns) +
             4;
    return issue +
           (write ? 17 * ns + 8 * rounds * ns + 8 * ns + 2 * ns
                  : 2 * ns + 33 * ns + 8 * (rounds - 1) * ns) +
           6;
  };
  for (const bool write : {false, true}) {
    for (const HbmMapping mode : {n_to_one, one_to_one}) {
      for (const std::uint64_t rounds : {2U, 16U, 512U}) {
        const Fs taken = lone(mode, write, rounds * 2048);
        BOOST_TEST(taken == expected(mode, write, rounds),
                   (write ? "write" : "read")
                       << " of " << rounds << " rounds, mode " << static_cast<int>(mode) << ": "
                       << format_ns(taken) << ", expected "
                       << format_ns(expected(mode, write, rounds)));
      }
    }
    // So every further byte takes 1/256 ns in both, and the requests of one_to_one cost 14 ns of
    // router overhead per access: at 1 MiB the effective bandwidths differ by 0.4 %.
    const double ratio = static_cast<double>(expected(n_to_one, write, 512)) /
                         static_cast<double>(expected(one_to_one, write, 512));
    BOOST_TEST(ratio > 0.996);
  }
}

BOOST_AUTO_TEST_CASE(n_to_one_takes_the_time_of_virtual_addresses_without_tlb_overhead) {
  const Fs logical_time = lone(n_to_one, false, 40000);
  const Fs virtual_time = forked_value([] {
    WholeMachine m("topology.tiny.yaml", {}, WholeMachine::Engines::builtin);
    Fs taken = 0;
    m.run([&](HostPort& port) {
      auto map = host_message<MmuMap>();
      map->entries = {{la, m.hbm(pe0), 1 << 22}};
      map->targets = {pe0};
      port.wait(*port.submit(std::shared_ptr<const MmuMap>(map)));
      auto message = kernel_launch({pe0});
      message->body = std::make_shared<FunctionKernel>(
          [&](KernelContext& context) { taken = timed(context, false, la, 40000); });
      port.wait(*port.submit(std::shared_ptr<const KernelLaunch>(message)));
    });
    return taken;
  });
  BOOST_TEST(logical_time == virtual_time);
}

// Without router overhead. PE 1's flit: scheduler 1, pe_dma 1, link to r0c1 1, mesh link 1 + 0.25:
// at r0c0 at 4.25 ns. PE 0 begins 1 ns later: 1, 1, 1, so at r0c0 at 4 ns, and goes first.
//                         link of the partition      burst             link of the channel
//                             burst
// PE 0                    4 to 5                     5 to 13           4 to 12
//     12 to 20
// PE 1, channel 0         5 to 6                     13 to 21          12 to 20
//     20 to 28
// PE 1, channel 1         5 to 6                     6 to 14           4.25 to 12.25
//     12.25 to 20.25
// PE 1 alone              4.25 to 5.25               5.25 to 13.25     4.25 to 12.25
//     12.25 to 20.25
// The acknowledgement takes no time to PE 0, 0.25 ns to PE 1, and propagations of 1 fs.
BOOST_AUTO_TEST_CASE(two_pes_wait_for_each_other_on_the_partition_s_link_or_on_one_channel_only) {
  const auto check = [](Fs found, double expected_ns) {
    BOOST_TEST(found / 1000 == static_cast<Fs>(expected_ns * 1000),
               "found " << format_ns(found) << ", expected " << expected_ns);
  };
  const std::uint64_t channel_0 = la + 2048, channel_1 = la + 256;
  const std::vector<Fs> n_same = two_writes(n_to_one, channel_0, true),
                        n_other = two_writes(n_to_one, channel_1, true);
  const std::vector<Fs> one_same = two_writes(one_to_one, channel_0, true),
                        one_other = two_writes(one_to_one, channel_1, true);
  for (const std::vector<Fs>* n : {&n_same, &n_other}) check((*n)[0], 13);
  for (const std::vector<Fs>* one : {&one_same, &one_other}) check((*one)[0], 20);
  check(n_same[1], 21.25);
  check(n_other[1], 14.25);
  check(one_same[1], 28.25);
  check(one_other[1], 20.5);
  check(two_writes(n_to_one, channel_1, false)[1], 13.5);
  check(two_writes(one_to_one, channel_1, false)[1], 20.5);  // as with PE 0 on another channel
}

// MmuMap's way (tests/host/control_path_test.cpp), and pe_dma's 1 ns where pe_mmu takes none.
KERNBENCH_SYSTEMC_TEST(segments_come_and_go_on_the_way_of_mmu_map_and_are_waited_for) {
  Machine m(one_to_one);
  const RunResult result = m.run([&](HostPort& port) {
    auto map = host_message<MmuMap>();
    map->entries = {{la, 0, 4096}};
    map->targets = {pe0, pe1};
    const auto mapped = port.submit(std::shared_ptr<const MmuMap>(map));
    port.wait(*mapped);
    const Fs way = mapped->ended - mapped->issued;
    const auto installed =
        port.submit(std::shared_ptr<const SegmentInstall>(m.install({pe0, pe1})));
    port.wait(*installed);
    BOOST_TEST(installed->ended - installed->issued == way + 1 * ns);
    BOOST_TEST(installed->response().completion.ok);
    const auto removed = port.submit(std::shared_ptr<const SegmentRemove>(m.remove({pe0, pe1})));
    port.wait(*removed);
    BOOST_TEST(removed->ended - removed->issued == way + 1 * ns);
    BOOST_TEST(removed->response().completion.ok);
  });
  BOOST_TEST(result.error == "");
}

KERNBENCH_SYSTEMC_TEST(a_refused_segment_is_the_answer_to_the_host) {
  Machine m(n_to_one);
  const RunResult result = m.run([&](HostPort& port) {
    const auto first = port.submit(std::shared_ptr<const SegmentInstall>(m.install({pe1})));
    const auto again = port.submit(std::shared_ptr<const SegmentInstall>(m.install({pe0, pe1})));
    port.wait(*first);
    port.wait(*again);
    BOOST_TEST(first->response().completion.ok);
    const Completion& refused = again->response().completion;
    BOOST_TEST(refused.error_code == "segment_error");
    BOOST_TEST(refused.error_message.rfind("sip0.cube0.pe1.pe_dma at ", 0) == 0U,
               refused.error_message);
    BOOST_TEST(refused.error_message.find("overlaps") != std::string::npos, refused.error_message);
    const auto absent = port.submit(std::shared_ptr<const SegmentRemove>(m.remove({pe0}, 4096)));
    port.wait(*absent);
    BOOST_TEST(!absent->response().completion.ok);
    auto channels = m.install({{0, 0, 2}});
    channels->segments[0].mode = one_to_one;
    channels->segments[0].la_size = 256;
    const auto no_links = port.submit(std::shared_ptr<const SegmentInstall>(channels));
    port.wait(*no_links);
    BOOST_TEST(no_links->response().completion.error_message.find(
                   "this machine has no channel links") != std::string::npos,
               no_links->response().completion.error_message);
  });
  BOOST_TEST(result.error == "");
}

KERNBENCH_SYSTEMC_TEST(malformed_segment_messages_do_not_enter_the_fabric) {
  Machine m(n_to_one);
  const auto refusal = [](HostPort& port,
                          const std::shared_ptr<SegmentInstall>& message) -> std::string {
    try {
      port.submit(std::shared_ptr<const SegmentInstall>(message));
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  const RunResult result = m.run([&](HostPort& port) {
    const auto with = [&](auto change) {
      const auto message = m.install({pe0});
      change(*message, message->segments[0]);
      return refusal(port, message);
    };
    const auto contains = [](const std::string& text, const std::string& part) {
      BOOST_TEST(text.find(part) != std::string::npos, text);
    };
    contains(with([](SegmentInstall& message, BaawSegment&) { message.segments.clear(); }),
             "no segments");
    contains(with([](SegmentInstall& message, BaawSegment&) { message.targets.clear(); }),
             "no target PE");
    contains(with([](SegmentInstall&, BaawSegment& segment) { segment.la_size = 0; }),
             "has size 0, allowed is at least 1");
    contains(with([](SegmentInstall&, BaawSegment& segment) { segment.la_base = 4096; }),
             "allowed are 68719476736 bytes from 4503599627370496");
    contains(with([](SegmentInstall&, BaawSegment& segment) { segment.pa_bases.clear(); }),
             "has 0 physical bases, allowed is one (n_to_one)");
    contains(with([](SegmentInstall&, BaawSegment& segment) { segment.pa_bases.push_back(0); }),
             "has 2 physical bases, allowed is one");
  });
  BOOST_TEST(result.error == "");
}

KERNBENCH_SYSTEMC_TEST(an_access_without_a_segment_fails_the_launch_and_names_node_and_time) {
  Machine m(one_to_one);
  const HostResponse response = m.launch({pe0, pe1}, [](KernelContext& context) {
    if (context.where() == pe1) timed(context, false, la + (1 << 22) - 64, 128);
  });
  BOOST_TEST(!response.completion.ok);
  BOOST_TEST(response.completion.error_code == "access_fault");
  BOOST_TEST(
      response.completion.error_message.find("sip0.cube0.pe1.pe_dma at ") != std::string::npos,
      response.completion.error_message);
  BOOST_TEST(response.completion.error_message.find(
                 "no segment for logical address 0x10000000400000") != std::string::npos,
             response.completion.error_message);
}

// Both links of a partition stand side by side: what is no segment's takes the one of the whole.
KERNBENCH_SYSTEMC_TEST(a_physical_address_takes_the_partition_s_link_in_one_to_one_too) {
  Machine m(one_to_one);
  const std::uint64_t physical = m.machine().hbm(pe0);
  Fs by_segment = 0, by_address = 0;
  m.launch({pe0}, [&](KernelContext& context) {
    by_address = timed(context, false, physical, 4096);
    by_segment = timed(context, false, la, 4096);
  });
  BOOST_TEST(by_segment - by_address == 14 * ns + 2);
}

BOOST_AUTO_TEST_SUITE_END()
