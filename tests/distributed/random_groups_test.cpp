// Random sequences of asynchronous calls in random groups, which overlap, against the same calls
// carried out sequentially on plain numbers.
#include <algorithm>
#include <random>

#include "tests/distributed/ranks.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(random_groups)

namespace {

constexpr int elements = 60, registers = 4;

struct Step {
  enum Kind { all_reduce, broadcast, reduce, all_to_all, message, barrier };
  Kind kind = all_reduce;
  std::size_t group = 0;
  ReduceOp op = ReduceOp::sum;
  int from = 0, to = 0;            // ranks of the world: root; sender and receiver
  std::size_t reg = 0, other = 0;  // of all_to_all and messages: where to
};

struct Program {
  int ranks = 2;
  std::string algorithm;
  std::vector<std::vector<int>> groups;  // in ascending order; empty: all ranks, without new_group
  std::vector<Step> steps;

  std::vector<int> members(std::size_t group) const {
    if (!groups[group].empty()) return groups[group];
    std::vector<int> all;
    for (int rank = 0; rank < ranks; ++rank) all.push_back(rank);
    return all;
  }
};

using Random = std::mt19937;
int up_to(Random& random, int count) {
  return static_cast<int>(random() % static_cast<unsigned>(count));
}

Program program_of(unsigned seed) {
  Random random(seed);
  Program program;
  program.ranks = 3 + up_to(random, 4);
  program.algorithm =
      std::vector<std::string>{"lrab_hierarchical_allreduce", "ring_allreduce",
                               "tree_allreduce"}[static_cast<std::size_t>(up_to(random, 3))];
  program.groups.emplace_back();
  for (int i = 0; i < 3; ++i) {
    std::vector<int> all = program.members(0);
    std::shuffle(all.begin(), all.end(), random);
    all.resize(static_cast<std::size_t>(2 + up_to(random, program.ranks - 1)));
    std::sort(all.begin(), all.end());
    program.groups.push_back(all);
  }
  for (int i = 0; i < 30; ++i) {
    Step step;
    step.kind = static_cast<Step::Kind>(up_to(random, 6));
    step.group = static_cast<std::size_t>(up_to(random, 4));
    step.op = std::vector<ReduceOp>{
        ReduceOp::sum,  ReduceOp::max, ReduceOp::min, ReduceOp::prod,
        ReduceOp::band, ReduceOp::bor, ReduceOp::bxor}[static_cast<std::size_t>(up_to(random, 7))];
    const std::vector<int> members = program.members(step.group);
    const auto count = static_cast<int>(members.size());
    const int from = up_to(random, count), to = (from + 1 + up_to(random, count - 1)) % count;
    step.from = members[static_cast<std::size_t>(from)];
    step.to = members[static_cast<std::size_t>(to)];
    step.reg = static_cast<std::size_t>(up_to(random, registers));
    step.other =
        (step.reg + 1 + static_cast<std::size_t>(up_to(random, registers - 1))) % registers;
    if (step.kind == Step::all_to_all && elements % count != 0) step.kind = Step::all_reduce;
    program.steps.push_back(step);
  }
  return program;
}

// --- Sequential execution

using Register = std::vector<std::int32_t>;
using State = std::vector<std::vector<Register>>;  // by rank and register

Register first_value(int rank, std::size_t reg) {
  Register values;
  for (int i = 0; i < elements; ++i)
    values.push_back((rank + 1) * 1000003 * (i + 1) + static_cast<int>(reg) * 77);
  return values;
}

std::int32_t of_two(ReduceOp op, std::int32_t a, std::int32_t b) {
  const auto x = static_cast<std::uint32_t>(a), y = static_cast<std::uint32_t>(b);
  switch (op) {
    case ReduceOp::max:
      return std::max(a, b);
    case ReduceOp::min:
      return std::min(a, b);
    case ReduceOp::prod:
      return static_cast<std::int32_t>(x * y);
    case ReduceOp::band:
      return a & b;
    case ReduceOp::bor:
      return a | b;
    case ReduceOp::bxor:
      return a ^ b;
    default:
      return static_cast<std::int32_t>(x + y);
  }
}

void carry_out(const Program& program, const Step& step, State& state) {
  const std::vector<int> members = program.members(step.group);
  const auto at = [&](int rank, std::size_t reg) -> Register& {
    return state[static_cast<std::size_t>(rank)][reg];
  };
  switch (step.kind) {
    case Step::all_reduce:
    case Step::reduce: {
      Register result = at(members.front(), step.reg);
      for (std::size_t m = 1; m < members.size(); ++m) {
        for (std::size_t i = 0; i < result.size(); ++i)
          result[i] = of_two(step.op, result[i], at(members[m], step.reg)[i]);
      }
      for (const int rank : members) {
        if (step.kind == Step::all_reduce || rank == step.from) at(rank, step.reg) = result;
      }
      return;
    }
    case Step::broadcast:
      for (const int rank : members) at(rank, step.reg) = at(step.from, step.reg);
      return;
    case Step::all_to_all: {
      const std::size_t count = members.size(), part = elements / count;
      const State before = state;
      for (std::size_t to = 0; to < count; ++to) {
        for (std::size_t i = 0; i < elements; ++i)
          at(members[to], step.other)[i] =
              before[static_cast<std::size_t>(members[i / part])][step.reg][to * part + i % part];
      }
      return;
    }
    case Step::message:
      at(step.to, step.other) = at(step.from, step.reg);
      return;
    case Step::barrier:
      return;
  }
}

// --- On the machine

void run_rank(Torch& torch, int rank, const Program& program) {
  Distributed& dist = torch.distributed;
  std::vector<Group> groups;
  for (const std::vector<int>& ranks : program.groups)
    groups.push_back(ranks.empty() ? Group() : dist.new_group(ranks));
  std::vector<Tensor> tensors;
  std::vector<std::vector<Work>> works(registers);
  for (std::size_t reg = 0; reg < registers; ++reg) {
    const Register first = first_value(rank, reg);
    tensors.push_back(torch.from_host(
        HostArray(Shape{elements}, i32, std::vector<double>(first.begin(), first.end())), one_pe,
        "register" + std::to_string(reg)));
  }
  const auto settle = [&](std::size_t reg) {
    for (Work& work : works[reg]) work.wait();
    works[reg].clear();
  };
  for (const Step& step : program.steps) {
    const Group& group = groups[step.group];
    if (dist.get_rank(group) < 0) continue;
    const CallOptions async(group, true);
    const Tensor &own = tensors[step.reg], &other = tensors[step.other];
    const bool is_message = step.kind == Step::message;
    if (is_message && rank != step.from && rank != step.to) continue;
    if (!is_message || rank == step.from) settle(step.reg);
    if (step.kind == Step::all_to_all || (is_message && rank == step.to)) settle(step.other);
    switch (step.kind) {
      case Step::all_reduce:
        works[step.reg].push_back(dist.all_reduce(own, step.op, async));
        break;
      case Step::broadcast:
        works[step.reg].push_back(dist.broadcast(own, step.from, async));
        break;
      case Step::reduce:
        works[step.reg].push_back(dist.reduce(own, step.from, step.op, async));
        break;
      case Step::all_to_all:
        works[step.other].push_back(dist.all_to_all_single(other, own, async));
        works[step.reg].push_back(works[step.other].back());
        break;
      case Step::message:
        if (rank == step.from)
          works[step.reg].push_back(dist.isend(own, step.to, group));
        else
          works[step.other].push_back(dist.irecv(other, step.from, group));
        break;
      case Step::barrier:
        dist.barrier(group);
        break;
    }
  }
  for (std::size_t reg = 0; reg < registers; ++reg) settle(reg);
  State state(static_cast<std::size_t>(program.ranks));
  for (int each = 0; each < program.ranks; ++each) {
    for (std::size_t reg = 0; reg < registers; ++reg)
      state[static_cast<std::size_t>(each)].push_back(first_value(each, reg));
  }
  for (const Step& step : program.steps) carry_out(program, step, state);
  for (std::size_t reg = 0; reg < registers; ++reg) {
    const Register expected = state[static_cast<std::size_t>(rank)][reg];
    torch.verify(tensors[reg],
                 [expected] { return std::vector<double>(expected.begin(), expected.end()); });
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(any_calls_in_any_groups_equal_their_sequential_execution) {
  for (unsigned seed = 1; seed <= 25; ++seed) {
    const std::string failures = forked_value([seed] {
      const Program program = program_of(seed);
      TorchMachine m("topology.tiny.yaml", sips("ring_1d", program.ranks));
      m.run([&](Torch& torch) {
        on_ranks(torch, {{"algorithm", program.algorithm}},
                 [&](int rank) { run_rank(torch, rank, program); });
      });
      return m.failures();
    });
    BOOST_TEST(failures == "", "seed " << seed << ": " << failures);
  }
}

BOOST_AUTO_TEST_SUITE_END()
