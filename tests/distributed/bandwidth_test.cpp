// Bandwidths as nccl-tests define them, and where Work has them from (spec 7).

#include "sw/distributed/collective_record.h"
#include "tests/support/torch_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(bandwidth)

// nccl-tests, doc/PERFORMANCE.md: all_reduce 2 (n - 1) / n; all_gather, reduce_scatter, all_to_all,
// gather and scatter (n - 1) / n; others 1.
BOOST_AUTO_TEST_CASE(bus_factors_are_those_of_nccl_tests) {
  const Rational three_quarters = Rational::fraction(3, 4);
  BOOST_TEST((bus_factor(CollectiveOp::all_reduce, 4) == Rational::fraction(6, 4)));
  for (const CollectiveOp op :
       {CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::all_to_all,
        CollectiveOp::gather, CollectiveOp::scatter})
    BOOST_TEST((bus_factor(op, 4) == three_quarters));
  for (const CollectiveOp op :
       {CollectiveOp::broadcast, CollectiveOp::reduce, CollectiveOp::send_recv})
    BOOST_TEST((bus_factor(op, 4) == Rational(1)));
  for (const CollectiveOp op :
       {CollectiveOp::all_reduce, CollectiveOp::broadcast, CollectiveOp::reduce})
    BOOST_TEST((bus_factor(op, 1) == Rational(0)));  // nothing crosses a link
}

// 6000 bytes in 3 us: 2 bytes/ns = 2 GB/s; of an all_reduce of 4 the buses carry 1.5 times that.
BOOST_AUTO_TEST_CASE(bandwidths_are_bytes_by_time) {
  const Fs time = 3000 * fs_per_ns;
  BOOST_TEST(algorithm_bandwidth_gbs(6000, time) == 2.0);
  BOOST_TEST(bus_bandwidth_gbs(CollectiveOp::all_reduce, 4, 6000, time) == 3.0);
  BOOST_TEST(algorithm_bandwidth_gbs(6000, 0) == 0.0);
}

// Time: the largest pe_exec. Size, as nccl-tests count: what a rank has, all parts together where
// there is one for each rank.
KERNBENCH_SYSTEMC_TEST(every_collective_reports_its_time_and_both_bandwidths) {
  TorchMachine m("topology.tiny.yaml", sips("ring_1d", 3), false);
  m.run([](Torch& torch) {
    on_ranks(torch, {}, [&](int rank) {
      const auto some = [&] { return torch.empty({500}, f32, DPPolicy::on_one_pe()); };
      const std::vector<Tensor> parts{some(), some(), some()}, others{some(), some(), some()};
      auto& dist = torch.distributed;
      const auto check = [](const Work& work, std::uint64_t nbytes, double factor) {
        BOOST_TEST(work.is_completed());
        BOOST_TEST(work.nbytes() == nbytes);
        BOOST_TEST(work.time() > 0U);
        BOOST_TEST(work.algorithm_bandwidth_gbs() ==
                   static_cast<double>(nbytes) / to_ns(work.time()));
        BOOST_TEST(work.bus_bandwidth_gbs() == factor * work.algorithm_bandwidth_gbs(),
                   boost::test_tools::tolerance(1e-12));
      };
      check(dist.all_reduce(some()), 2000, 4.0 / 3);
      check(dist.broadcast(some(), 1), 2000, 1);
      check(dist.reduce(some(), 1), 2000, 1);
      check(dist.all_gather(parts, some()), 6000, 2.0 / 3);
      check(dist.reduce_scatter(some(), parts), 6000, 2.0 / 3);
      check(dist.all_to_all(parts, others), 6000, 2.0 / 3);
      const std::vector<Tensor> none;
      check(dist.gather(some(), rank == 1 ? parts : none, 1), 6000, 2.0 / 3);
      check(dist.scatter(some(), rank == 2 ? parts : none, 2), 6000, 2.0 / 3);
      if (rank == 0) dist.send(some(), 2);
      if (rank == 2) check(dist.recv(some(), 0), 2000, 1);
    });
  });
  BOOST_TEST(m.distributed->collectives.size() == 9U);
  for (const auto& record : m.distributed->collectives) {
    BOOST_TEST(record->ranks == 3);
    BOOST_TEST(record->time().has_value());
  }
}

BOOST_AUTO_TEST_SUITE_END()
