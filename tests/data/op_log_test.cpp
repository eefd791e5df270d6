// Order and text of the op log (spec 9).
#include "models/data/op_log.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <sstream>
#include <string>
#include <systemc>
#include <vector>

#include "models/data/functional_model.h"
#include "models/data/new_op.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(op_log_test)

namespace {

ExecutedOp op_at(Fs start, Fs end, const char* name, OpKind kind = OpKind::memory) {
  ExecutedOp op;
  op.t_start = start;
  op.t_end = end;
  op.name = name;
  op.kind = kind;
  return op;
}

}  // namespace

BOOST_AUTO_TEST_CASE(records_are_listed_by_start_and_ties_by_id) {
  OpLog log;
  log.write(op_at(20, 30, "a"));
  log.write(op_at(10, 40, "b"));
  log.write(op_at(20, 21, "c"));
  log.write(op_at(10, 11, "d"));
  std::string order;
  for (const OpRecord& record : log.records()) order += record.op.name;
  BOOST_TEST(order == "bdac");
  log.write(op_at(5, 6, "e"));
  BOOST_TEST(log.records().front().id == 5u);
}

// Spec 11.7: operations of two nodes, two commands of a node, two tiles of a command end at 20 fs,
// in any order of the reports; a later one has the last number.
BOOST_AUTO_TEST_CASE(operations_of_one_instant_are_in_the_order_of_node_command_and_tile) {
  struct Node : sc_core::sc_object {
    explicit Node(const char* name) : sc_object(name) {}
  };
  const Node a("a"), b("b");
  std::vector<ExecutedOp> ops;
  const auto add = [&ops](const Node& node, std::uint64_t command, std::int64_t tile) {
    ops.push_back(op_at(10, 20, "dma_read"));
    ops.back().node = &node;
    ops.back().command_id = command;
    ops.back().tile_id = tile;
  };
  add(a, 2, 0);
  add(a, 2, 1);
  add(a, 3, -1);
  add(b, 1, -1);
  const auto listed = [](const std::vector<ExecutedOp>& reports) {
    OpLog log;
    for (const ExecutedOp& op : reports) log.write(op);
    log.write(op_at(5, 21, "dma_write"));
    std::ostringstream text;
    log.write_csv(text, [](const sc_core::sc_object* node) { return std::string(node->name()); });
    return text.str();
  };
  const std::string expected =
      "id,t_start_fs,t_end_fs,node,kind,name,command,tile,bytes,params,inputs,outputs\n"
      "5,5,21,,memory,dma_write,0,,0,,,\n"
      "1,10,20,a,memory,dma_read,2,0,0,,,\n"
      "2,10,20,a,memory,dma_read,2,1,0,,,\n"
      "3,10,20,a,memory,dma_read,3,,0,,,\n"
      "4,10,20,b,memory,dma_read,1,,0,,,\n";
  std::vector<std::size_t> order{0, 1, 2, 3};
  do {
    std::vector<ExecutedOp> reports;
    for (const std::size_t i : order) reports.push_back(ops[i]);
    BOOST_TEST(listed(reports) == expected);
  } while (std::next_permutation(order.begin(), order.end()));
}

BOOST_AUTO_TEST_CASE(a_strided_dma_tells_its_runs_with_data_or_without) {
  const auto params = [](const ExecutedOp& op) {
    return row_of({1, op}, [](const sc_core::sc_object*) { return std::string(); }).params;
  };
  ExecutedOp op = op_at(0, 1, "dma_read");
  BOOST_TEST(params(op) == "");
  op.runs = 2;
  BOOST_TEST(params(op) == "runs=2");
  FunctionalModel data;
  op.data = data.load({{64, 4}, {128, 4}}, Shape{2}, DType::f32).op;
  const std::string block = "block=f32:2 from=PE_CPU_DTCM:0x40+4;PE_CPU_DTCM:0x80+4";
  BOOST_TEST(params(op) == "runs=2 " + block);
  op.data =
      record_of({MemoryParams::Kind::load, {}, DType::f32, Shape{2}}, {{64, 4}, {128, 4}}, {});
  BOOST_TEST(params(op) == "runs=2 " + block);
}

BOOST_AUTO_TEST_CASE(the_dump_has_one_line_per_record) {
  FunctionalModel functional_model;
  OpLog log;
  GemmParams params;
  EpilogueOp scale;
  scale.kind = EpilogueOp::Kind::scale;
  scale.factor = 0.5;
  params.epilogue = {scale};
  ExecutedOp gemm = op_at(1000, 3000, gemm_name(DType::f16), OpKind::gemm);
  const TensorValue a = functional_model
                            .gemm({}, {FunctionalModel::zeros({2, 2}, DType::f16),
                                       FunctionalModel::zeros({2, 2}, DType::f16)})
                            .value;
  gemm.data =
      functional_model
          .gemm(params, {a, FunctionalModel::zeros({2, 2}, DType::f16)}, {{{64, 8}}, {{128, 8}}})
          .op;
  gemm.command_id = 4;
  gemm.bytes = 24;
  log.write(gemm);
  ExecutedOp tile = op_at(500, 600, "tile/FETCH");
  tile.tile_id = 3;
  log.write(tile);
  std::ostringstream text;
  log.write_csv(text, [](const sc_core::sc_object*) { return std::string("node"); });
  BOOST_TEST(text.str() ==
             "id,t_start_fs,t_end_fs,node,kind,name,command,tile,bytes,params,inputs,outputs\n"
             "2,500,600,,memory,tile/FETCH,0,3,0,,,\n"
             "1,1000,3000,,gemm,gemm_f16,4,,24,m=2 k=2 n=2 acc=f32 tile_k=2 "
             "epilogue=scale@output_tile[0.5] in0=f16:2x2 in1=f16:2x2 "
             "out=f16:2x2 from=PE_CPU_DTCM:0x40+8 to=PE_CPU_DTCM:0x80+8,2,1\n");
}

BOOST_AUTO_TEST_SUITE_END()
