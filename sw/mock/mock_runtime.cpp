#include "sw/mock/mock_runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "models/base/thrown_text.h"
#include "platform/phase2/data_executor.h"
#include "sw/mock/mock_rank.h"

namespace kernbench {
namespace {

std::string name_of(int rank, const PeId& where) {
  return fmt::format("rank {} ({})", rank, where.str());
}

}  // namespace

struct MockRuntime::Parts {
  explicit Parts(const MockSetup& given)
      : setup(given), memory(given), rings(given.n_slots, given.slot_bytes), values(memory.data()) {
    values.start_eager();
  }

  int ranks() const { return setup.sips * setup.cubes * setup.pes; }
  std::vector<PeId> places(const std::vector<int>& ranks) const;  // all ranks if empty
  std::vector<std::unique_ptr<MockRank>> seats_of(MockRun& run,
                                                  const std::vector<MockLaunch>& launches) const;

  const MockSetup setup;
  MockMemory memory;
  MockRings rings;
  DataExecutor values;  // phase 2
};

MockRuntime::MockRuntime(const MockSetup& setup) : parts_(std::make_unique<Parts>(setup)) {}
MockRuntime::~MockRuntime() = default;

const MockSetup& MockRuntime::setup() const { return parts_->setup; }

// --- ranks

int MockRuntime::ranks() const { return parts_->ranks(); }

PeId MockRuntime::pe(int rank) const { return parts_->places({rank}).front(); }

int MockRuntime::rank(PeId pe) const {
  const std::size_t index = parts_->memory.machine().index(pe);
  if (index != MachineDescription::outside) return static_cast<int>(index);
  throw UsageError(fmt::format("{} is not in the mock runtime of {} SIPs of {} cubes of {} PEs",
                               pe.str(), setup().sips, setup().cubes, setup().pes));
}

std::vector<PeId> MockRuntime::Parts::places(const std::vector<int>& ranks) const {
  const int count = this->ranks();
  std::vector<int> wanted = ranks;
  if (wanted.empty()) {
    wanted.resize(static_cast<std::size_t>(count));
    std::iota(wanted.begin(), wanted.end(), 0);
  }
  std::sort(wanted.begin(), wanted.end());
  std::vector<PeId> places;
  for (const int rank : wanted) {
    if (rank < 0 || rank >= count)
      throw UsageError(
          fmt::format("rank {} of a mock runtime: allowed is 0 to {}", rank, count - 1));
    const PeId place{rank / setup.pes / setup.cubes, rank / setup.pes % setup.cubes,
                     rank % setup.pes};
    if (!places.empty() && places.back() == place)
      throw UsageError(fmt::format("rank {} of a mock runtime is named twice", rank));
    places.push_back(place);
  }
  return places;
}

void MockRuntime::connect(const NeighbourGraph& graph) {
  const NeighbourGraph placed = graph.is_relative() ? graph.on_device(0) : graph;
  for (const auto& [from, neighbours] : placed.pes()) {
    rank(from);
    for (const auto& [direction, to] : neighbours) rank(to);
  }
  parts_->rings.connect(queue_pairs(placed));
}

// --- tensors

tl::TensorInfoPtr MockRuntime::tensor(const std::string& name, const Shape& block, DType dtype,
                                      const std::vector<int>& ranks) {
  return parts_->memory.add(name, block, dtype, parts_->places(ranks));
}

void MockRuntime::write(const tl::TensorInfoPtr& tensor, int rank,
                        const std::vector<double>& values) {
  parts_->memory.write(*tensor, pe(rank), values);
}

std::vector<double> MockRuntime::read(const tl::TensorInfoPtr& tensor, int rank) {
  return parts_->memory.read(*tensor, pe(rank));
}

// --- runs

namespace {

// Error text of a launch that fails on the machine.
std::string failure_text(const MockRank& rank, const std::string& error) {
  const bool names_line =
      rank.call_site().known() && error.find(rank.call_site().str()) != std::string::npos;
  return fmt::format("mock runtime: {}: {}{}", name_of(rank.rank(), rank.where()), error,
                     names_line ? "" : "; last call: " + rank.last_call_text());
}

// Sets `failure` unless the run has failed before.
void run_kernel(MockRank& rank, Turns& turns, std::optional<MockError>& failure) {
  const auto fail = [&](const std::string& error) {
    if (!failure) {
      failure.emplace(MockError::Kind::kernel, rank.rank(), failure_text(rank, error),
                      std::current_exception());
    }
    turns.end_all();
  };
  try {
    rank.run_kernel();
  } catch (const Turns::Ended&) {
  } catch (const std::exception& error) {
    fail(error.what());
  } catch (...) {
    fail(text_of_other_exception());
  }
}

MockError deadlock(const std::vector<std::unique_ptr<MockRank>>& seats, const MockRings& rings) {
  int first = -1;
  std::string text = "mock runtime: deadlock, every rank that has not returned waits:";
  for (const auto& seat : seats) {
    if (seat->waits_for().empty()) continue;
    if (first < 0) first = seat->rank();
    text += fmt::format("\n  {}: {} waits for {}", name_of(seat->rank(), seat->where()),
                        seat->last_call_text(), seat->waits_for());
    for (const std::string& line : rings.text(seat->where())) text += "\n    " + line;
  }
  return {MockError::Kind::deadlock, first, text};
}

std::string unreceived_text(const std::vector<const MockRings::End*>& ends) {
  std::string text = "mock runtime: messages that no rank has received:";
  for (const MockRings::End* end : ends) {
    const MockRings::End::Slot& first = end->ring.front();
    text += fmt::format("\n  {} in direction '{}' of {}: the first is {}{} from tl.send{} of {}",
                        end->ring.size(), end->direction, end->where.str(),
                        kernbench::name_of(first.message.dtype), first.message.shape.str(),
                        first.site.in_brackets(), end->peer->where.str());
  }
  return text;
}

}  // namespace

std::vector<std::unique_ptr<MockRank>> MockRuntime::Parts::seats_of(
    MockRun& run, const std::vector<MockLaunch>& launches) const {
  std::map<PeId, KernelLaunch> kernels;
  for (const MockLaunch& each : launches) {
    KernelLaunch launch;
    launch.kernel.name = "mock";
    launch.body = each.call.body;
    launch.args = each.call.args;
    launch.targets = places(each.ranks);
    for (const PeId& where : launch.targets) {
      if (!kernels.emplace(where, launch).second)
        throw UsageError(
            fmt::format("{} of a mock runtime has two kernels in one run", where.str()));
    }
  }
  std::vector<std::unique_ptr<MockRank>> seats;
  for (auto& [where, launch] : kernels) {
    run.ranks.push_back(static_cast<int>(memory.machine().index(where)));
    seats.push_back(std::make_unique<MockRank>(run, seats.size(), where, std::move(launch),
                                               setup.scratch_bytes));
  }
  run.barriers.resize(seats.size());
  return seats;
}

MockReport MockRuntime::run(const std::vector<MockLaunch>& launches) {
  MockRings& rings = parts_->rings;
  Turns turns;
  MockRun run{parts_->memory, rings, turns, setup().calls_per_turn};
  std::vector<std::unique_ptr<MockRank>> seats = parts_->seats_of(run, launches);
  rings.clear();  // after a failed run
  std::optional<MockError> failure;
  std::vector<std::function<void()>> bodies;
  for (const auto& seat : seats)
    bodies.emplace_back(
        [&turns, &failure, rank = seat.get()] { run_kernel(*rank, turns, failure); });
  const std::uint64_t received_before = rings.received();
  turns.run(std::move(bodies), [&] { failure = deadlock(seats, rings); });
  parts_->memory.data().resolve();

  if (failure) throw MockError(*failure);
  const std::vector<const MockRings::End*> left = rings.with_messages();
  if (!left.empty()) {
    throw MockError(MockError::Kind::unreceived, rank(left.front()->where), unreceived_text(left));
  }

  MockReport report;
  report.printed = std::move(run.printed);
  report.messages = rings.received() - received_before;
  for (const auto& seat : seats) {
    if (!seat->unwaited().empty())
      report.unwaited.push_back(fmt::format("rank {}: {}", seat->rank(), seat->unwaited()));
  }
  return report;
}

}  // namespace kernbench
