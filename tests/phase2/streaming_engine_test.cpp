// An engine from outside that streams and computes: it takes the blocks of each tile by their
// references and multiplies them at run time, in eager mode. Its products are those of phase 2.
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <map>
#include <random>

#include "models/data/block_values.h"
#include "models/pe/compute_engine.h"
#include "models/protocol/task_operands.h"
#include "platform/phase2/data_executor.h"
#include "sw/tl/program.h"
#include "tests/support/forked.h"
#include "tests/support/whole_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(streaming_engine_test)

namespace {

// The product of f32 blocks; a cycle per row.
class StreamingGemm final : public ComputeEngine {
 public:
  static constexpr const char* description = "GEMM engine that computes";
  static constexpr std::array roles{Role::pe_gemm};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    StageParameters stage{*this, "0"};
    Param<std::uint64_t> macs_per_cycle{
        *this, Parameter::integer("macs_per_cycle", "not used", "", "assumption").default_val(1)};
    Param<Rational> clock_ghz{
        *this, Parameter::frequency_ghz("clock_ghz", "clock", "spec 1.2").default_val(1)};
  };
  explicit StreamingGemm(const ComponentInit& init)
      : ComputeEngine(init, PeEngine::pe_gemm, init.attributes.as<Parameters>().stage) {}

  std::map<std::uint64_t, std::vector<float>> products;  // by command, row by row
  std::uint64_t blocks_in_memory = 0;                    // that memory held as they were bound

 private:
  Fs compute_time(const Stage& stage) const override {
    return overhead() + cycles_to_fs(static_cast<std::uint64_t>(stage.m), Rational(1));
  }
  void expired(Lane& lane) override {
    multiply(*lane.task);
    finish(lane);
  }
  void multiply(const TileTask& task) {
    const TaskOperands& operands = *task.operands;
    const BlockReference a = operands.block(task.tile, task.stage(), 0),
                         b = operands.block(task.tile, task.stage(), 1),
                         out = operands.block(operands.result(), task.tile);
    const std::vector<float> left = elements(task, a), right = elements(task, b);
    const BlockReference whole = operands[operands.result()];
    std::vector<float>& sums = products[task.command_id];
    sums.resize(static_cast<std::size_t>(whole.layout.rows * whole.layout.columns));
    for (std::int64_t i = 0; i < a.layout.rows; ++i) {
      for (std::int64_t j = 0; j < b.layout.columns; ++j) {
        for (std::int64_t k = 0; k < a.layout.columns; ++k) {
          sums[static_cast<std::size_t>((out.row + i) * whole.layout.columns + out.column + j)] +=
              left[static_cast<std::size_t>(i * a.layout.columns + k)] *
              right[static_cast<std::size_t>(k * b.layout.columns + j)];
        }
      }
    }
  }
  std::vector<float> elements(const TileTask& task, const BlockReference& block) {
    FunctionalModel& data = *machine_services(services()).data();
    const std::vector<std::byte> bytes = bound_bytes(data, *task.operands->data(), block);
    if (!block.pinned) {
      const auto physical = [](std::uint64_t address, std::uint64_t nbytes) {
        return PhysRanges{{address, nbytes}};
      };
      if (memory_bytes(data, block, physical) == bytes) ++blocks_in_memory;
    }
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
};

MachineOptions with_streaming_engine() {
  MachineOptions options(MachineOptions::Engines::builtin);
  options.components = [](ComponentRegistry& registry) {
    registry.add(implementation_of<StreamingGemm>("test.streaming_gemm"));
  };
  return options;
}

struct Machine : WholeMachine {
  Machine()
      : WholeMachine("topology.tiny.yaml",
                     {{"cube.pe_template.components.pe_gemm.impl", "test.streaming_gemm"}},
                     with_streaming_engine()),
        executor(data, 2) {
    executor.start_eager();
  }

  // On one PE.
  void launch(std::function<void(tl::Program&)> body) {
    const RunResult result = run([&](HostPort& port) {
      auto message = host_message<KernelLaunch>();
      message->kernel.name = "k";
      message->body = std::make_shared<FunctionKernel>([&](KernelContext& context) {
        tl::Program tl(context);
        body(tl);
      });
      message->targets = {{0, 0, 0}};
      const auto request = port.submit(std::shared_ptr<const KernelLaunch>(message));
      port.wait(*request);
      BOOST_TEST(request->response().completion.ok, request->response().completion.error_message);
    });
    if (result.cause) std::rethrow_exception(result.cause);
    executor.run();
  }
  // Small integers, so that sums are exact in any order.
  void fill(std::uint64_t address, std::int64_t count) {
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) value = static_cast<float>(static_cast<int>(random() % 15) - 7);
    data.memory().write_bytes(address, values.data(), values.size() * sizeof(float));
  }
  std::vector<float> read(std::uint64_t address, std::size_t count) const {
    const std::vector<std::byte> bytes = executor.read(address, count * sizeof(float));
    std::vector<float> values(count);
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  std::int64_t extent() { return 1 + static_cast<std::int64_t>(random() % 40); }
  StreamingGemm& gemm() {
    return dynamic_cast<StreamingGemm&>(engine({0, 0, 0}, PeEngine::pe_gemm));
  }

  DataExecutor executor;
  std::mt19937 random{7};
};

struct Case {
  std::int64_t m, k, n;
  std::uint64_t a, b, out;
};

}  // namespace

KERNBENCH_SYSTEMC_TEST(products_of_the_tiles_of_composites_are_those_of_phase_2) {
  Machine m;
  std::vector<Case> cases;
  std::uint64_t next = m.hbm({0, 0, 0});
  for (int i = 0; i < 12; ++i) {
    const Case c{m.extent(), m.extent(), m.extent(), next, next + 0x4000, next + 0x8000};
    m.fill(c.a, c.m * c.k);
    m.fill(c.b, c.k * c.n);
    cases.push_back(c);
    next += 0x10000;
  }
  m.launch([&](tl::Program& tl) {
    for (const Case& c : cases) {
      const tl::Handle a = tl.ref(tl::Ptr(c.a), {c.m, c.k}, DType::f32),
                       b = tl.ref(tl::Ptr(c.b), {c.k, c.n}, DType::f32);
      tl.wait(tl.composite(tl::gemm(a, b).to(tl::Ptr(c.out)).tile({7, 9, 5})));
    }
  });
  BOOST_REQUIRE(m.gemm().products.size() == cases.size());
  auto product = m.gemm().products.begin();  // in order of the commands
  for (const Case& c : cases) {
    BOOST_TEST((m.read(c.out, product->second.size()) == product->second));
    ++product;
  }
  BOOST_TEST(m.gemm().blocks_in_memory > 100U);
}

// Views of blocks in TCM, a result that overwrites its operand, a simple dot.
KERNBENCH_SYSTEMC_TEST(values_of_views_and_of_what_is_overwritten_are_those_that_were_bound) {
  Machine m;
  const std::uint64_t x = m.hbm({0, 0, 0}), y = x + 0x10000, out = y + 0x10000;
  m.fill(x, 24 * 24);
  m.fill(y, 24 * 24);
  m.launch([&](tl::Program& tl) {
    const tl::Handle left = tl.load(tl::Ptr(x), {24, 24}, DType::f32);
    const tl::Handle turned = tl.trans(left), part = tl.slice(left, 8, 24);
    const tl::Handle right = tl.ref(tl::Ptr(y), {24, 24}, DType::f32);
    tl.wait(tl.composite(tl::gemm(turned, right).to(tl::Ptr(out)).tile({7, 9, 5})));
    tl.wait(tl.composite(tl::gemm(part, right).to(tl::Ptr(out + 0x1000)).tile({7, 9, 5})));
    tl.store(tl::Ptr(out + 0x2000), tl.dot(part, turned));
    tl.wait(tl.composite(tl::gemm(right, right).to(tl::Ptr(y)).tile({7, 9, 5})));
  });
  std::vector<std::vector<float>> products;
  for (const auto& [command, product] : m.gemm().products) products.push_back(product);
  BOOST_REQUIRE(products.size() == 4U);
  BOOST_TEST((m.read(out, 24 * 24) == products[0]));
  BOOST_TEST((m.read(out + 0x1000, 16 * 24) == products[1]));
  BOOST_TEST((m.read(out + 0x2000, 16 * 24) == products[2]));
  BOOST_TEST((m.read(y, 24 * 24) == products[3]));
}

BOOST_AUTO_TEST_SUITE_END()
