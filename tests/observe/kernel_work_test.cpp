// Rooflines (spec 11.3): times at the peak rates by hand, and that no kernel is faster than any of
// them.
#include "platform/observe/kernel_work.h"

#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>
#include <optional>

#include "tests/support/forked.h"
#include "tests/support/whole_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(rooflines)

namespace {

constexpr Fs ns = fs_per_ns;

// Kernels on the tiny machine: links, an HBM partition 256 GB/s, TCM channels 512 GB/s, 4096
// multiply-accumulates per ns.
struct Worked {
  explicit Worked(const std::vector<Override>& overrides = {})
      : machine("topology.tiny.yaml", overrides, without_data()), work(*machine.platform) {}

  // The same kernel on all of them, once; its roofline, over all.
  Roofline run(const std::vector<PeId>& pes, std::function<void(KernelContext&)> body) {
    std::shared_ptr<HostRequest> request;
    const RunResult result = machine.run([&](HostPort& port) {
      const auto launch = kernel_launch(pes);
      launch->body = std::make_shared<FunctionKernel>(std::move(body));
      request = port.submit(launch);
      port.wait(*request);
    });
    BOOST_TEST(result.error == "");
    std::vector<const PeWork*> of_pes;
    Fs begin = never_fs, end = 0;
    for (const auto& [where, metrics] : request->response().per_pe) {
      const KernelExecution* kernel = work.find(where, {"r"});
      BOOST_TEST_REQUIRE(kernel != nullptr);
      of_pes.push_back(&kernel->work);
      composites = kernel->composites;
      begin = std::min(begin, kernel->begin);
      end = std::max({end, kernel->end, kernel->last_transfer});
    }
    BOOST_TEST(of_pes.size() == pes.size());
    return roofline_of(of_pes, end - begin, work.graph());
  }
  std::uint64_t hbm(int pe) const { return machine.hbm({0, 0, pe}); }

  WholeMachine machine;
  KernelWork work;
  std::map<std::string, CompositeTimes> composites;  // of the last PE
};

template <class What>
void execute(KernelContext& pe, What what) {
  Command command;
  command.what = std::move(what);
  pe.wait(*pe.issue(command));
}

void check(const Roofline& roofline, double compute, double tcm, double hbm, double link) {
  const std::vector<double> expected{compute, tcm, hbm, link};
  BOOST_TEST(std::vector<double>(roofline.at_ns.begin(), roofline.at_ns.end()) == expected,
             boost::test_tools::per_element());
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(a_kernel_that_is_forgotten_leaves_the_others) {
  Worked worked;
  const PeId pe{0, 0, 0};
  const RunResult result = worked.machine.run([&](HostPort& port) {
    for (const char* request : {"r1", "r2", "r3"}) {
      const auto launch = kernel_launch({pe});
      launch->request_id = request;
      launch->body =
          std::make_shared<FunctionKernel>([](KernelContext& kernel) { kernel.cycles(5); });
      port.wait(*port.submit(launch));
    }
  });
  BOOST_TEST(result.error == "");
  worked.work.forget(pe, {"r2"});  // not the oldest
  BOOST_TEST(worked.work.find(pe, {"r2"}) == nullptr);
  BOOST_TEST_REQUIRE(worked.work.find(pe, {"r1"}) != nullptr);
  const Fs first = worked.work.find(pe, {"r1"})->begin;
  worked.work.forget(pe, {"r1"});
  worked.work.forget(pe, {"r1", "unknown"});
  BOOST_TEST(worked.work.find(pe, {"r1"}) == nullptr);
  BOOST_TEST_REQUIRE(worked.work.find(pe, {"r3"}) != nullptr);
  BOOST_TEST(worked.work.find(pe, {"r3"})->begin > first);
}

// 256 B at 256 GB/s take 1 ns on a link and in the partition, and hold the router for its 2 ns; the
// read takes the scheduler's 1 ns and 15 ns + 4 fs (traffic_times): waiting, not a rate.
KERNBENCH_SYSTEMC_TEST(a_short_read_is_far_from_every_roof) {
  Worked w;
  const Roofline roofline = w.run({{0, 0, 0}}, [&](KernelContext& pe) {
    execute(pe, DmaCommand{false, w.hbm(0), 256});
  });
  BOOST_TEST(roofline.window == 16 * ns + 4);
  check(roofline, 0, 0, 1, 2);
  BOOST_TEST(name_of(roofline.nearest()) == "link");
  BOOST_TEST(roofline.link == "sip0.cube0.r0c0");
  BOOST_TEST(roofline.share(Bound::hbm) == 1 / 16.000004, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(roofline.hbm == "sip0.cube0.hbm_ctrl.pe0");
}

// 1 MiB each, of one partition: 2 MiB at 256 GB/s are 8192 ns, in the partition and on its link.
KERNBENCH_SYSTEMC_TEST(two_pes_that_read_one_partition_share_its_rate) {
  Worked w;
  const Roofline roofline = w.run({{0, 0, 0}, {0, 0, 1}}, [&](KernelContext& pe) {
    execute(pe, DmaCommand{false, w.hbm(0), 1 << 20});
  });
  check(roofline, 0, 0, 8192, 8192);
  BOOST_TEST(name_of(roofline.nearest()) == "HBM");
  BOOST_TEST(roofline.share(Bound::hbm) > 0.98);
  BOOST_TEST(roofline.share(Bound::hbm) <= 1.0);
  BOOST_TEST(roofline.link.rfind("sip0.cube0.hbm_ctrl.pe0 > ", 0) == 0U);
}

// Two partitions, one PE: each gives half, the PE's own link carries all of it.
KERNBENCH_SYSTEMC_TEST(one_pe_that_reads_two_partitions_is_bound_by_its_link) {
  Worked w;
  const Roofline roofline = w.run({{0, 0, 0}}, [&](KernelContext& pe) {
    execute(pe, DmaCommand{false, w.hbm(0), 1 << 20});
    execute(pe, DmaCommand{false, w.hbm(1), 1 << 20});
  });
  check(roofline, 0, 0, 4096, 8192);
  BOOST_TEST(name_of(roofline.nearest()) == "link");
  const std::string to_the_pe = " > sip0.cube0.pe0.pe_dma";
  BOOST_TEST(roofline.link.find(to_the_pe) == roofline.link.size() - to_the_pe.size());
}

namespace {

std::vector<Override> router_of(const char* occupancy_ns, const char* flit_occupancy_ns,
                                const char* servers) {
  const std::string attrs = "cube.components.router.attrs.";
  return {{attrs + "overhead_ns", "0"},
          {attrs + "latency_ns", "8"},
          {attrs + "occupancy_ns", occupancy_ns},
          {attrs + "flit_occupancy_ns", flit_occupancy_ns},
          {attrs + "servers", servers}};
}

}  // namespace

// Both PEs read 256 KiB of one partition, 1024 flits each, at the partition's router: with one
// server 2048 * 4 = 8192 ns, with one for each output 4096; the links need 2048.
// The partition answers the second read 1024 ns after the first: 4096 of 1024 + 4096 ns.
KERNBENCH_SYSTEMC_TEST(a_node_that_flits_occupy_is_the_link_roof) {
  for (const auto& [servers, time] : {std::pair{"node", 8192.0}, std::pair{"direction", 4096.0}}) {
    const auto shares = forked_value([servers = servers, time = time] {
      Worked w(router_of("0", "4", servers));
      const Roofline roofline = w.run({{0, 0, 0}, {0, 0, 1}}, [&](KernelContext& pe) {
        execute(pe, DmaCommand{false, w.hbm(0), 1 << 18});
      });
      check(roofline, 0, 0, 2048, time);
      BOOST_TEST(roofline.link == "sip0.cube0.r0c0");
      return std::vector<double>{roofline.share(Bound::link)};
    });
    BOOST_TEST(shares.at(0) > (time > 5000 ? 0.95 : 0.75));
    BOOST_TEST(shares.at(0) <= 1.0);
  }
}

// Three messages of one flit hold the router for 100 ns each; the last one is handed over after its
// 8 ns of latency: 208 ns.
KERNBENCH_SYSTEMC_TEST(occupancy_after_the_last_hand_over_does_not_count) {
  Worked w(router_of("100", "0", "node"));
  const Roofline roofline = w.run({{0, 0, 0}}, [&](KernelContext& pe) {
    for (int i = 0; i < 3; ++i) execute(pe, DmaCommand{false, w.hbm(0), 256});
  });
  check(roofline, 0, 0, 3, 208);
  BOOST_TEST(roofline.share(Bound::link) <= 1.0);
}

// 32 * 64 * 32 / 4096 = 16 ns of 17: the scheduler takes one.
KERNBENCH_SYSTEMC_TEST(a_product_of_operands_at_hand_is_bound_by_compute) {
  Worked w;
  const Roofline roofline = w.run({{0, 0, 0}}, [](KernelContext& pe) {
    execute(pe, DotCommand{32, 64, 32, DType::f16});
  });
  BOOST_TEST(roofline.window == 17 * ns);
  check(roofline, 16, 0, 0, 0);
  BOOST_TEST(name_of(roofline.nearest()) == "compute");
}

// One tile. A and B, 4 KiB each, come from the HBM, 2 KiB go back: 8 KiB / 256 GB/s = 32 ns on the
// link from the router, 10 KiB = 40 ns in the partition; 8 KiB / 512 GB/s = 16 ns into the register
// file. The command begins with its first stage, the scheduler's 1 ns behind the kernel.
KERNBENCH_SYSTEMC_TEST(a_composite_has_a_roofline_of_its_own) {
  Worked w;
  const Roofline kernel = w.run({{0, 0, 0}}, [&](KernelContext& pe) {
    CompositeGemm gemm;
    gemm.m = 32, gemm.k = 64, gemm.n = 32;
    gemm.a.address = w.hbm(0);
    gemm.b.address = w.hbm(0) + 4096;
    gemm.out.address = w.hbm(0) + 8192;
    execute(pe, gemm);
  });
  check(kernel, 16, 16, 40, 32);
  BOOST_TEST_REQUIRE(w.composites.size() == 1U);
  const CompositeTimes& gemm = w.composites.at("composite_gemm");
  BOOST_TEST(gemm.count == 1U);
  check(gemm.roofline, 16, 16, 40, 32);
  BOOST_TEST(gemm.roofline.window == kernel.window - 1 * ns);
  BOOST_TEST(gemm.shortest == gemm.roofline.window);
  BOOST_TEST(gemm.longest == gemm.roofline.window);
}

// Kernels of equal length on one PE, one behind the other: the first reads, the second writes.
KERNBENCH_SYSTEMC_TEST(a_launch_has_the_work_of_its_own_kernel) {
  Worked w;
  const RunResult result = w.machine.run([&](HostPort& port) {
    std::vector<std::shared_ptr<HostRequest>> requests;
    for (const std::string name : {"reads", "writes"}) {
      const auto launch = kernel_launch({{0, 0, 0}}, name);
      launch->body = std::make_shared<FunctionKernel>([&w, name](KernelContext& pe) {
        execute(pe, DmaCommand{name == "writes", w.hbm(name == "writes" ? 1 : 0), 4096});
      });
      requests.push_back(port.submit(launch));
    }
    for (const auto& request : requests) port.wait(*request);
  });
  BOOST_TEST_REQUIRE(result.error == "");
  const auto partition_of = [&w](const std::string& request) {
    const KernelExecution* kernel = w.work.find({0, 0, 0}, {"another", request});
    BOOST_TEST_REQUIRE(kernel != nullptr);
    return roofline_of({&kernel->work}, kernel->end - kernel->begin, w.work.graph()).hbm;
  };
  BOOST_TEST(partition_of("writes") == "sip0.cube0.hbm_ctrl.pe1");
  BOOST_TEST(partition_of("reads") == "sip0.cube0.hbm_ctrl.pe0");
  BOOST_TEST((w.work.find({0, 0, 0}, {"another"}) == nullptr));
  BOOST_TEST((w.work.find({0, 0, 1}, {"reads"}) == nullptr));
}

// Kernels of two streams on one PE at the same time: 16 reads of 4 KiB of one partition, 2 of the
// other; 64 KiB and 8 KiB at 256 GB/s.
KERNBENCH_SYSTEMC_TEST(concurrent_kernels_have_the_transfers_of_their_own_streams) {
  Worked w;
  const RunResult result = w.machine.run([&](HostPort& port) {
    std::vector<std::shared_ptr<HostRequest>> requests;
    for (const int stream : {0, 1}) {
      const auto launch = kernel_launch({{0, 0, 0}}, std::to_string(stream));
      launch->stream = static_cast<std::uint32_t>(stream);
      launch->body = std::make_shared<FunctionKernel>([&w, stream](KernelContext& pe) {
        for (int i = 0; i < (stream == 0 ? 16 : 2); ++i)
          execute(pe, DmaCommand{false, w.hbm(stream), 4096});
      });
      requests.push_back(port.submit(launch));
    }
    for (const auto& request : requests) port.wait(*request);
  });
  BOOST_TEST_REQUIRE(result.error == "");
  const KernelExecution *of_compute = w.work.find({0, 0, 0}, {"0"}),
                        *of_other = w.work.find({0, 0, 0}, {"1"});
  BOOST_TEST_REQUIRE(of_compute != nullptr);
  BOOST_TEST_REQUIRE(of_other != nullptr);
  BOOST_TEST(of_other->begin < of_compute->end);  // concurrent
  check(roofline_of({&of_compute->work}, 1, w.work.graph()), 0, 0, 256, 256);
  check(roofline_of({&of_other->work}, 1, w.work.graph()), 0, 0, 32, 32);
}

// Two times in a row: 1 ns of 4 and 3 ns of 4.
BOOST_AUTO_TEST_CASE(rooflines_of_launches_add_up) {
  Roofline first, second;
  first.window = second.window = 4 * ns;
  first.at_ns = {1, 0, 0, 0};
  second.at_ns = {3, 0, 2, 0};
  first += second;
  BOOST_TEST(first.share(Bound::compute) == 0.5);
  BOOST_TEST(first.share(Bound::hbm) == 0.25);
  BOOST_TEST(name_of(first.nearest()) == "compute");
}

namespace {

struct Access {
  bool write = false;
  int partition = 0;
  std::uint64_t bytes = 0;
};

}  // namespace

RC_BOOST_PROP(no_kernel_is_faster_than_its_roof, ()) {
  std::vector<std::vector<Access>> of_pes;
  const int pes = *rc::gen::inRange(1, 5), accesses = *rc::gen::inRange(1, 5);
  for (int pe = 0; pe < pes; ++pe) {
    of_pes.emplace_back();
    for (int i = 0; i < accesses; ++i)
      of_pes.back().push_back({*rc::gen::arbitrary<bool>(), *rc::gen::inRange(0, 3),
                               *rc::gen::element<std::uint64_t>(1, 100, 256, 5000, 1 << 16)});
  }
  const auto overrides = *rc::gen::element(std::vector<Override>{}, router_of("0", "3", "port"),
                                           router_of("50", "1", "node"));
  const auto shares = forked_value([&] {
    Worked w(overrides);
    std::vector<PeId> where;
    for (int pe = 0; pe < pes; ++pe) where.push_back({0, 0, pe});
    const Roofline roofline = w.run(where, [&](KernelContext& pe) {
      for (const Access& access : of_pes[static_cast<std::size_t>(pe.where().pe)])
        execute(pe, DmaCommand{access.write, w.hbm(access.partition), access.bytes});
    });
    return std::vector<double>{roofline.share(Bound::hbm), roofline.share(Bound::link)};
  });
  for (const double share : shares) RC_ASSERT(share > 0.0 && share <= 1.0);
}

BOOST_AUTO_TEST_SUITE_END()
