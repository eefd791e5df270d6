// A report has the same tables of a run and of the log of that run.
#include <boost/test/unit_test.hpp>

#include "platform/events/op_log_file.h"
#include "platform/report/critical_path.h"
#include "platform/report/engine_timeline.h"
#include "platform/report/operation_statistics.h"
#include "platform/report/pe_times.h"
#include "tests/report/hand_made_log.h"
#include "tests/support/forked.h"
#include "tests/support/whole_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(live_reports_test)

namespace {

struct Reports {
  explicit Reports(Observation& observation)
      : statistics(observation), times(observation), pes(observation),
        timeline(observation, {"*", {}, 50}) {}

  std::string tables(const std::vector<LaunchRow>& launches) {
    pes.close(launches);
    timeline.close("the run");
    return statistics.operations_table().csv() + statistics.spans_table().csv() +
           statistics.histogram_table().csv() + timeline.cells().csv() +
           critical_path(pes, pes.launches().at(1)).steps_table().csv() +
           pe_time_json(times.kernels()).dump();
  }

  OperationStatistics statistics;
  PeTimes times;
  PeLogs pes;
  EngineTimeline timeline;
};

void execute(KernelContext& pe, decltype(Command::what) what) {
  Command command;
  command.what = std::move(what);
  pe.wait(*pe.issue(command));
}

// A load, a product concurrent with a sum of MATH, and a composite, on two PEs.
void kernel(KernelContext& pe, std::uint64_t memory) {
  pe.cycles(5);
  execute(pe, DmaCommand{false, memory, 4096});
  Command product;
  product.what = DotCommand{32, 64, 32, DType::f16};
  const auto in_flight = pe.issue(product);
  execute(pe, MathCommand{MathOp::add, 1024});
  pe.wait(*in_flight);
  CompositeGemm gemm;
  gemm.m = 64, gemm.k = 128, gemm.n = 64;
  gemm.a.address = memory;
  gemm.b.address = memory + 65536;
  gemm.out.address = memory + 131072;
  execute(pe, gemm);
}

std::string run_and_record(const std::string& path) {
  WholeMachine machine("topology.tiny.yaml", {}, without_data());
  Observation& observation = machine.platform->observation();
  Reports reports(observation);
  OpLogFile log(ResultFile(path), nullptr, 10);
  ProgressLog progress(observation, *log.table(), 10);
  const AnalysisBinding<ExecutedOp> ops(observation.executed_ops, log);
  std::vector<LaunchRow> launches;
  const RunResult result = machine.run([&](HostPort& port) {
    for (std::uint64_t id = 1; id <= 2; ++id) {
      const std::string request = "r" + std::to_string(id);
      const auto launch = kernel_launch({{0, 0, 0}, {0, 0, 1}}, request);
      launch->kernel.name = "k" + std::to_string(id);
      launch->body = std::make_shared<FunctionKernel>([&](KernelContext& pe) {
        kernel(pe, machine.hbm({0, 0, 0}));
      });
      launches.push_back({launch->kernel.name, "sip0", id, 1'000'000 * fs_per_ns, {request}, id});
      port.wait(*port.submit(launch));
    }
  });
  BOOST_TEST_REQUIRE(result.error == "");
  progress.close(launches);
  log.close({});
  return reports.tables(launches);
}

}  // namespace

BOOST_AUTO_TEST_CASE(reports_of_a_run_and_of_its_log_are_equal) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.sqlite");
  const auto live = forked_value([&path] { return run_and_record(path); });
  const auto played = forked_value([&path] {
    LogPlayer log(path);
    Reports reports(log.observation());
    log.play();
    return reports.tables(log.launches());
  });
  BOOST_TEST(live == played);
  for (const std::string part : {"composite_gemm", "tile/DMA_READ", "pe_cpu kernel", "k2"})
    BOOST_TEST(live.find(part) != std::string::npos, part);
}

BOOST_AUTO_TEST_SUITE_END()
