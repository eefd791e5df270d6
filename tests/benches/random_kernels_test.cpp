// Random kernels on a whole machine: what tl records, the PEs carry out and phase 2 computes is
// what a machine that does one thing after another comes to (tests/support/plain_machine.h), byte
// for byte; deferred on one thread and eager on three, with the same times and records; and with
// every asynchronous command left in flight, with which a PE alone takes no longer. See
// tests/phase2/value_graph_test.cpp for the same programs without a machine.
#include <rapidcheck/boost_test.h>

#include "models/base/errors.h"
#include "tests/benches/verified_runs.h"
#include "tests/support/plain_machine.h"

using namespace kernbench;
using test::Action;
using test::ActionKind;
using test::BenchOutcome;
using test::BenchRunOptions;
using test::forked_value;
using test::PlainMachine;

BOOST_AUTO_TEST_SUITE(random_kernels_test)

namespace {

constexpr std::int64_t bytes = PlainMachine::memory_bytes;

// One program for each PE, for a bench and its kernel, which are plain functions.
const std::vector<PlainMachine>* programs = nullptr;
bool overlapped = false;

// Accesses left in flight, and the wait before one that touches what they write, or writes what
// they read.
class MemoryInUse {
 public:
  void wait_before(tl::Program& tl, std::size_t at, std::size_t end, bool write) {
    for (const Access& access : accesses_) {
      if (at < access.end && access.at < end && (write || access.write)) tl.wait(access.handle);
    }
  }
  tl::Handle keep(const tl::Handle& handle, std::size_t at, std::size_t end, bool write) {
    accesses_.push_back({handle, at, end, write});
    return handle;
  }

 private:
  struct Access {
    tl::Handle handle;
    std::size_t at = 0, end = 0;
    bool write = false;
  };
  std::vector<Access> accesses_;
};

void kernel(tl::Program& tl, tl::Ptr memory) {
  const PlainMachine& plain = (*programs)[static_cast<std::size_t>(tl.program_id(0))];
  const auto place = [&](std::size_t at, DType dtype) {
    return (memory + tl.program_id(0) * bytes + static_cast<std::int64_t>(at)).as(dtype);
  };
  std::optional<tl::Overlap> overlap;
  if (overlapped) overlap.emplace(tl);
  MemoryInUse in_use;
  const auto load = [&](std::size_t at, const Shape& shape, DType dtype) {
    if (!overlapped) return tl.load(place(at, dtype), shape, dtype);
    const std::size_t end = at + static_cast<std::size_t>(shape.elements()) * size_of(dtype);
    in_use.wait_before(tl, at, end, false);
    return in_use.keep(tl.load_async(place(at, dtype), shape, dtype), at, end, false);
  };
  const auto store = [&](std::size_t at, const tl::Handle& block) {
    if (!overlapped) return tl.store(place(at, block.dtype()), block);
    const std::size_t end = at + block.nbytes();
    in_use.wait_before(tl, at, end, true);
    in_use.keep(tl.store_async(place(at, block.dtype()), block), at, end, true);
  };
  std::vector<tl::Handle> blocks;
  for (const Action& action : plain.actions()) {
    const auto operand = [&](std::size_t i) -> const tl::Handle& {
      return blocks[action.operands[i]];
    };
    const Shape shape{action.rows, action.columns};
    switch (action.kind) {
      case ActionKind::load:
        blocks.push_back(load(action.at, shape, action.dtype));
        break;
      case ActionKind::make:
        blocks.push_back(tl.full(shape, action.scalar, action.dtype));
        break;
      case ActionKind::store:
        store(action.at, operand(0));
        break;
      case ActionKind::copy: {
        const Shape run{static_cast<std::int64_t>(action.count)};
        store(action.to, load(action.at, run, DType::i8));
        break;
      }
      case ActionKind::math:
      case ActionKind::reduce: {
        std::vector<tl::Operand> operands;
        for (std::size_t i = 0; i < action.operands.size(); ++i) operands.emplace_back(operand(i));
        if (action.has_scalar) operands.emplace_back(static_cast<int>(action.scalar));
        blocks.push_back(tl.math(
            action.op, operands,
            action.kind == ActionKind::reduce ? std::optional<int>(action.axis) : std::nullopt));
        break;
      }
      case ActionKind::cast:
        blocks.push_back(tl.cast(operand(0), action.dtype));
        break;
      case ActionKind::dot:
        blocks.push_back(tl.dot(operand(0), operand(1)));
        break;
      case ActionKind::transpose:
        blocks.push_back(tl.trans(operand(0)));
        break;
      case ActionKind::slice:
        blocks.push_back(tl.slice(operand(0), action.begin, action.end));
        break;
      case ActionKind::reshape:
        blocks.push_back(tl.reshape(operand(0), shape));
        break;
      case ActionKind::broadcast:
        blocks.push_back(tl.broadcast_to(operand(0), shape));
        break;
      case ActionKind::read:
        try {
          if (operand(0).data() != plain.blocks()[action.operands[0]].elements) {
            throw ModelError("block " + std::to_string(action.operands[0]) +
                             " was read with other values");
          }
        } catch (const PendingDataError&) {  // deferred
        }
    }
  }
}

void run(Torch& torch) {
  const auto pes = static_cast<std::int64_t>(programs->size());
  Tensor memory = torch.empty({pes, bytes}, i8, {Placement::replicate, Placement::row_wise, 1, 1},
                              "memory");  // all of it on PE 0
  std::vector<std::uint8_t> first;
  std::vector<double> last;
  for (const PlainMachine& plain : *programs) {
    for (const std::byte byte : PlainMachine::first_memory())
      first.push_back(static_cast<std::uint8_t>(byte));
    for (const std::byte byte : plain.memory()) last.push_back(static_cast<std::int8_t>(byte));
  }
  memory.copy_(HostArray({pes, bytes}, i8, first));
  LaunchSpec launch("random");
  programs->size() == 1 ? launch.on_pe(0) : launch.on_pes({0, 1});
  torch.launch(launch, kernel, memory);
  torch.verify(memory, [last] { return last; });
}

std::pair<Fs, std::string> times_and_records(DataMode mode, unsigned threads) {
  return forked_value([&] {
    BenchRunOptions options;
    options.data = mode;
    options.threads = threads;
    const BenchOutcome outcome = run_bench(Bench{"random", "for a test", {}, &run}, {}, options);
    BOOST_TEST(outcome.status == "completed", outcome.error);
    BOOST_TEST(outcome.failures == "");
    BOOST_TEST(outcome.data_races == 0U);
    return std::make_pair(outcome.ended, outcome.op_log);
  });
}

}  // namespace

RC_BOOST_PROP(random_kernels_agree_with_a_machine_that_does_one_thing_after_another, ()) {
  if (*rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, 8)) != 0)
    return;  // machines take time: an eighth of the samples
  const std::vector<PlainMachine> plain{PlainMachine(*test::random_steps()),
                                        PlainMachine(*test::random_steps())};
  for (const PlainMachine& each : plain)
    RC_LOG() << "PE " << &each - plain.data() << "\n" << each.listing();
  programs = &plain;
  const auto deferred = times_and_records(DataMode::deferred, 1),
             eager = times_and_records(DataMode::eager, 3);
  RC_ASSERT(deferred == eager);
  overlapped = true;
  times_and_records(DataMode::eager, 2);  // the values
  const std::vector<PlainMachine> alone{plain.front()};
  programs = &alone;
  const Fs in_flight = times_and_records(DataMode::eager, 2).first;
  overlapped = false;
  RC_ASSERT(in_flight <= times_and_records(DataMode::eager, 2).first);
}

BOOST_AUTO_TEST_SUITE_END()
