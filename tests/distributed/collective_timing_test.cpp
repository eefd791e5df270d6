#include "sw/distributed/collective_record.h"
#include "tests/distributed/collective_machine.h"
#include "tests/support/bench_runner.h"

using namespace kernbench;
using namespace kernbench::test;

namespace {

// The largest pe_exec of an all_reduce of `bytes` of f16 on a shard of every rank, in ns.
double all_reduce_ns(const std::vector<Override>& machine, const CclChanges& changes, std::int64_t bytes,
                     const DPPolicy& policy = DPPolicy::on_one_pe(), int shards = 1) {
  return forked_value([&] {
    IpcqMachine m("topology.tiny.yaml", machine, false);
    m.run([&](Torch& torch) {
      on_ranks(torch, changes, [&](int) {
        torch.distributed.all_reduce(torch.empty({shards, bytes / 2}, f16, policy, "t"));
      });
    });
    return to_ns(m.runtime->distributed.collectives.at(0)->time().value());
  });
}

struct Hop { double alpha, gbs; };
double one_way_ns(const std::vector<Override>& machine, const std::string& hop, int bytes) {
  return forked_value([&] {
    BenchRunOptions o; o.overrides = machine; o.data = DataMode::off;
    auto outcome = run_bench("ipcq-pingpong", {{"min_bytes", std::to_string(bytes)}, {"max_bytes", std::to_string(bytes)}}, o);
    for (auto& row : outcome.results.at(0).rows())
      if (std::get<std::string>(row.at(0)) == hop) return std::get<double>(row.at(4));
    return 0.0;
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(collective_timing)

BOOST_AUTO_TEST_CASE(explore) {
  for (int n : {2, 4, 8}) {
    const auto machine = sips("ring_1d", n);
    double t1 = one_way_ns(machine, "inter-SIP", 1024), t4 = one_way_ns(machine, "inter-SIP", 4096), t1m = one_way_ns(machine, "inter-SIP", 262144), t2m = one_way_ns(machine, "inter-SIP", 524288);
    double B = 3072 / (t4 - t1), alpha = t1 - 1024 / B;
    double B2 = 262144 / (t2m - t1m);
    printf("n %d alpha %.2f B %.2f  Blarge %.2f\n", n, alpha, B, B2);
    for (int block : {64, 1024, 4096, 16384, 65536, 262144}) {
      double t = all_reduce_ns(machine, {{"algorithm", "ring_allreduce"}}, std::int64_t{block} * n);
      double f = 2 * (n - 1) * (alpha + block / B), f2 = 2 * (n - 1) * (alpha + block / B2);
      printf("  block %d: %.1f form %.1f (%.3f)  large %.1f (%.3f)\n", block, t, f, t / f, f2, t / f2);
    }
  }
  for (const char* slot : {"1024", "2048", "4096"})
    for (const char* kind : {"tcm", "sram", "hbm"})
      printf("%s %s %.2f\n", slot, kind, all_reduce_ns(sips("ring_1d", 2, 1, 2, 2), {{"buffer_kind", kind}, {"slot_size", slot}}, 65536, {Placement::row_wise, Placement::replicate, 4, 1}, 4));
  for (const char* root : {"10", "0", "5", "3", "15"})
    for (int b : {64, 4096, 65536}) printf("root %s %d: %.2f\n", root, b, all_reduce_ns(sips("ring_1d", 1, 1, 4, 4), {{"root_cube", root}}, b, {Placement::row_wise, Placement::replicate, 16, 1}, 16));
  for (const char* a : {"ring_allreduce", "lrab_hierarchical_allreduce", "tree_allreduce"})
    for (int b : {64, 65536, 131072, 262144, 524288, 1048576}) printf("%s %d %.2f\n", a, b, all_reduce_ns(sips("ring_1d", 4), {{"algorithm", a}}, b));
}

BOOST_AUTO_TEST_SUITE_END()
