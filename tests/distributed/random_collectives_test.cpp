// Any sequence of collectives over any rings: whatever the arrangement of the SIPs, the
// algorithm, the size, number and place of the slots, and the way in which a send waits, every rank
// gets the right values and the run comes to its end.
#include <rapidcheck/boost_test.h>

#include "tests/distributed/rank_check.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(random_collectives)

namespace {

struct Call {
  CollectiveOp op = CollectiveOp::all_reduce;
  DType dtype = DType::f16;
  ReduceOp reduction = ReduceOp::sum;
  std::int64_t elements = 1;
  int root = 0;
};

struct Case {
  std::string topology;
  int w = 1, h = 1, lanes = 1;
  CclChanges changes;
  std::vector<Call> calls;

  int ranks() const { return w * h; }
  std::string str() const {
    std::string text = topology + " " + std::to_string(w) + " x " + std::to_string(h) + ", " +
                       std::to_string(lanes) + " lanes";
    for (const auto& [key, value] : changes) text += ", " + key + "=" + value;
    for (const Call& call : calls)
      text += std::string("; ") + name_of(call.op) + " " + name_of(call.reduction) + " of " +
              std::to_string(call.elements) + " " + std::string(name_of(call.dtype)) + ", root " +
              std::to_string(call.root);
    return text;
  }
};

template <class T>
T one_of(const std::vector<T>& values) {
  return *rc::gen::elementOf(values);
}

Case random_case() {
  Case c;
  // Of the meshes those that have a way round.
  const std::vector<std::tuple<std::string, int, int>> machines{
      {"ring_1d", 1, 1},  {"ring_1d", 2, 1},         {"ring_1d", 3, 1},
      {"torus_2d", 2, 2}, {"mesh_2d_no_wrap", 2, 1}, {"mesh_2d_no_wrap", 2, 2}};
  std::tie(c.topology, c.w, c.h) = one_of(machines);
  c.lanes = *rc::gen::inRange(1, 3);
  c.changes = {{"algorithm", one_of<std::string>({"ring_allreduce", "tree_allreduce",
                                                  "lrab_hierarchical_allreduce"})},
               {"buffer_kind", one_of<std::string>({"tcm", "sram", "hbm"})},
               {"backpressure", one_of<std::string>({"sleep", "poll"})},
               {"n_slots", std::to_string(*rc::gen::inRange(1, 6))},
               {"slot_size", std::to_string(*rc::gen::inRange(16, 700))},
               {"vc_chunk_size", one_of<std::string>({"256", "1000", "4096"})}};
  const int calls = *rc::gen::inRange(1, 5);
  for (int i = 0; i < calls; ++i) {
    Call call;
    call.op = static_cast<CollectiveOp>(
        *rc::gen::inRange(0, static_cast<int>(collective_op_names().size())));
    call.dtype = one_of(every_dtype);
    call.reduction = one_of(every_reduction);
    call.elements = *rc::gen::inRange(1, 500);
    call.root = *rc::gen::inRange(0, c.ranks());
    c.calls.push_back(call);
  }
  return c;
}

void carry_out(RankCheck& check, const Call& call) {
  check.set(call.dtype, call.elements);
  switch (call.op) {
    case CollectiveOp::all_reduce:
      return check.all_reduce(call.reduction);
    case CollectiveOp::broadcast:
      return check.broadcast(call.root);
    case CollectiveOp::reduce:
      return check.reduce(call.reduction, call.root);
    case CollectiveOp::all_gather:
      return check.all_gather();
    case CollectiveOp::reduce_scatter:
      return check.reduce_scatter(call.reduction);
    case CollectiveOp::all_to_all:
      return check.all_to_all();
    case CollectiveOp::gather:
      return check.gather(call.root);
    case CollectiveOp::scatter:
      return check.scatter(call.root);
    case CollectiveOp::send_recv:
      return check.send_recv();
  }
}

// What phase 2 finds wrong.
std::string failures_of(const Case& c) {
  return forked_value([&c] {
    TorchMachine m("topology.tiny.yaml", sips(c.topology, c.w, c.h));
    m.run([&](Torch& torch) {
      on_ranks(torch, c.changes, [&](int rank) {
        RankCheck check(torch, rank, c.ranks(),
                        {Placement::replicate, Placement::row_wise, 1, c.lanes}, c.lanes);
        for (const Call& call : c.calls) carry_out(check, call);
      });
    });
    return m.failures();
  });
}

}  // namespace

RC_BOOST_PROP(any_rings_carry_any_collectives, ()) {
  const Case c = random_case();
  RC_LOG() << c.str() << "\n";
  RC_ASSERT(failures_of(c) == "");
}

BOOST_AUTO_TEST_SUITE_END()
