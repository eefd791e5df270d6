// Origins of data ops for messages.
#include "platform/observe/op_origins.h"

#include <boost/test/unit_test.hpp>
#include <memory>
#include <systemc>
#include <vector>

#include "models/data/data_op.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(op_origins)

namespace {

std::shared_ptr<const DataOp> op_of(std::uint64_t id) {
  auto op = std::make_shared<DataOp>();
  op->id = id;
  op->outputs.push_back({id, Shape{1}, DType::f32});
  return op;
}

struct Node : sc_core::sc_object {
  Node() : sc_object("node_of_origins") {}
};

void execute(OpOrigins& origins, std::shared_ptr<const DataOp> data,
             const sc_core::sc_object* node = nullptr) {
  ExecutedOp op;
  op.node = node;
  op.name = "math_f32";
  op.data = std::move(data);
  origins.write(op);
}

}  // namespace

BOOST_AUTO_TEST_CASE(those_of_ops_that_have_gone_take_no_memory) {
  OpOrigins origins;
  for (std::uint64_t id = 1; id <= 100'000; ++id) execute(origins, op_of(id));
  BOOST_TEST(origins.size() <= 1024U);
}

BOOST_AUTO_TEST_CASE(those_of_ops_that_are_kept_remain) {
  const Node node;
  OpOrigins origins;
  std::vector<std::shared_ptr<const DataOp>> kept;
  for (std::uint64_t id = 1; id <= 10'000; ++id) {
    if (id % 2 == 0) kept.push_back(op_of(id));
    execute(origins, id % 2 == 0 ? kept.back() : op_of(id), &node);
  }
  for (const auto& op : kept)
    BOOST_TEST(origins.text(op->id) == "math_f32 on node_of_origins at 0 ns");
}

BOOST_AUTO_TEST_SUITE_END()
