// `--op-log F`: CSV or SQLite by the name's ending; what spills is the same as what stays in memory
// (spec 9).
#include "platform/events/op_log_file.h"

#include <rapidcheck.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "models/address/phys_addr.h"
#include "models/base/errors.h"
#include "models/data/functional_model.h"
#include "tests/observe/fake_machine.h"
#include "tests/support/forked.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(op_log_file_test)

namespace {

ExecutedOp op_at(const FakeEngine& node, Fs start, Fs end, const char* name,
                 OpKind kind = OpKind::memory) {
  ExecutedOp op;
  op.node = &node;
  op.t_start = start;
  op.t_end = end;
  op.name = name;
  op.kind = kind;
  return op;
}

std::string written(const std::vector<ExecutedOp>& ops, const std::string& ending,
                    std::uint64_t limit, const OpTable::Meta& meta = {}) {
  const TemporaryFile file("log" + ending);
  OpLogFile log(ResultFile(file.path()), nullptr, limit);
  for (const ExecutedOp& op : ops) log.write(op);
  log.close(meta);
  if (ending == ".csv") return file.text();
  // As CSV, column by column.
  SQLite::Database database(file.path());
  SQLite::Statement rows(database,
                         "SELECT id, t_start_fs, t_end_fs, node, kind, name, command, tile, bytes, "
                         "text, inputs, outputs FROM listed");
  std::string text =
      "id,t_start_fs,t_end_fs,node,kind,name,command,tile,bytes,params,inputs,outputs\n";
  while (rows.executeStep()) {
    for (int column = 0; column < 12; ++column) {
      std::string field = rows.getColumn(column).getString();
      if (column >= 10 && !field.empty()) {
        field = field.substr(1, field.size() - 2);  // [1,2] is 1;2 there
        std::replace(field.begin(), field.end(), ',', ';');
      }
      text += (column == 0 ? "" : ",") + field;
    }
    text += '\n';
  }
  return text;
}

// A load, a product of what it loaded, and a stage of a tile.
std::vector<ExecutedOp> three_ops(const FakeMachine& machine, FunctionalModel& functional_model) {
  const std::uint64_t hbm = PhysAddr::pe_hbm_addr(0, 0, 0, 4096, std::uint64_t{6} << 30).encode(),
                      tcm = PhysAddr::pe_tcm_addr(0, 0, 0, 64).encode();
  ExecutedOp load = op_at(*machine.dma, 1000, 5000, "dma_read");
  const IssuedOp loaded = functional_model.load({{hbm, 16}}, {2, 4}, DType::f16, {{tcm, 16}});
  load.data = loaded.op;
  load.bytes = 16;
  ExecutedOp product = op_at(*machine.gemm, 5000, 6000, "gemm_f16", OpKind::gemm);
  GemmParams params;
  params.epilogue.emplace_back();
  params.epilogue[0].kind = EpilogueOp::Kind::clamp;
  params.epilogue[0].low = -0.5;
  params.epilogue[0].high = 2;
  const IssuedOp issued = functional_model.gemm(params, {loaded.value, transposed(loaded.value)},
                                                {{{tcm, 16}}, {{tcm + 16, 8}}});
  product.data = issued.op;
  product.command_id = 2;
  product.macs = 16;
  ExecutedOp stage = op_at(*machine.gemm, 2000, 2500, "tile/STORE");
  stage.tile_id = 3;
  auto parameters = std::make_shared<DataOp>();
  parameters->params =
      MemoryParams{MemoryParams::Kind::store, std::vector<ValueId>(), DType::f16, Shape{2, 4}};
  parameters->places.from_registers = 16;
  parameters->places.to = {{tcm, 16}};
  stage.data = parameters;
  ExecutedOp relu = op_at(*machine.gemm, 7000, 7500, "relu", OpKind::math);
  MathParams math;
  math.op = MathOp::relu;
  relu.data = functional_model.math(math, {issued.value}).op;
  return {load, product, stage, relu};
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(the_limit_changes_no_byte_and_no_row) {
  FakeMachine machine;
  FunctionalModel functional_model;
  const std::vector<ExecutedOp> ops = three_ops(machine, functional_model);
  const std::string csv = written(ops, ".csv", 1000);
  BOOST_TEST(csv.find("\n3,2000,2500,sip0.pe0.pe_gemm,memory,tile/STORE,0,3,0,block=f16:2x4 "
                      "from=registers+16 to=PE_TCM:0xc000040+16,,\n2,5000,") != std::string::npos,
             csv);
  BOOST_TEST(csv.find(",1,2\n") != std::string::npos,
             csv);  // relu reads value 1 and defines value 2
  for (const std::uint64_t limit : {1U, 2U, 3U, 4U, 5U}) {
    BOOST_TEST(written(ops, ".csv", limit) == csv);
    BOOST_TEST(written(ops, ".sqlite", limit) == csv);
  }
  BOOST_TEST(written({}, ".csv", 1) == written({}, ".db", 1));
}

KERNBENCH_SYSTEMC_TEST(records_are_listed_by_start_and_ties_by_id_however_they_come) {
  FakeMachine machine;
  const std::array nodes{machine.dma.get(), machine.gemm.get(), machine.port.get()};
  rc::check("spilled or not", [&] {
    std::vector<ExecutedOp> ops;
    for (int left = *rc::gen::inRange(0, 40); left > 0; --left) {
      const Fs start = *rc::gen::inRange<Fs>(0, 8);
      ops.push_back(op_at(*nodes[*rc::gen::inRange<std::size_t>(0, 3)], start,
                          start + *rc::gen::inRange<Fs>(0, 9), "dma_write"));
      ops.back().tile_id = *rc::gen::inRange(-1, 3);
    }
    const std::string csv = written(ops, ".csv", 1000);
    const auto limit = *rc::gen::inRange<std::uint64_t>(1, 12);
    RC_ASSERT(written(ops, ".csv", limit) == csv);
    RC_ASSERT(written(ops, ".sqlite", limit) == csv);
    std::pair<Fs, std::uint64_t> last{0, 0};
    std::istringstream lines(csv);
    std::string line;
    std::getline(lines, line);
    std::size_t count = 0;
    for (; std::getline(lines, line); ++count) {
      const std::pair<Fs, std::uint64_t> now{std::stoull(line.substr(line.find(',') + 1)),
                                             std::stoull(line)};
      RC_ASSERT(last < now);
      last = now;
    }
    RC_ASSERT(count == ops.size());
  });
}

KERNBENCH_SYSTEMC_TEST(a_database_has_typed_parameters_meta_and_indices) {
  FakeMachine machine;
  FunctionalModel functional_model;
  const TemporaryFile file("typed.sqlite");
  OpLogFile log(ResultFile(file.path()), nullptr, 2);
  for (const ExecutedOp& op : three_ops(machine, functional_model)) log.write(op);
  log.close(
      {{"command_line", "kernbench run"}, {"configuration", R"({"system": {"flit_bytes": 256}})"}});

  SQLite::Database database(file.path());
  const auto value = [&](const std::string& sql) {
    SQLite::Statement statement(database, sql);
    BOOST_TEST_REQUIRE(statement.executeStep(), sql);
    return statement.getColumn(0).getString();
  };
  BOOST_TEST(value("SELECT value FROM meta WHERE key = 'schema_version'") ==
             std::to_string(op_log_schema_version));
  BOOST_TEST(value("SELECT value FROM meta WHERE key = 'command_line'") == "kernbench run");
  BOOST_TEST(value("SELECT json_extract(value, '$.system.flit_bytes') FROM meta WHERE key = "
                   "'configuration'") == "256");
  BOOST_TEST(value("SELECT count(*) FROM ops") == "4");
  BOOST_TEST(value("SELECT macs FROM ops WHERE name = 'gemm_f16'") == "16");
  BOOST_TEST(value("SELECT tile FROM ops WHERE name = 'tile/STORE'") == "3");
  BOOST_TEST(value("SELECT count(*) FROM ops WHERE tile IS NULL") == "3");
  BOOST_TEST(value("SELECT inputs IS NULL AND outputs IS NULL FROM ops WHERE name = "
                   "'tile/STORE'") == "1");
  BOOST_TEST(value("SELECT group_concat(name) FROM (SELECT name FROM sqlite_master WHERE type = "
                   "'index' AND sql NOT NULL ORDER BY name)") ==
             "commands_by_pe,hops_by_transfer,messages_by_receiver,messages_by_sender,ops_by_node,"
             "ops_by_t_start_fs,runs_by_pe,server_use_by_server,server_use_by_window,"
             "slot_waits_by_pe,transfers_by_initiator,waits_by_pe");

  const auto params = [&](const std::string& name) {
    return nlohmann::json::parse(value("SELECT params FROM ops WHERE name = '" + name + "'"));
  };
  const nlohmann::json load = params("dma_read"), product = params("gemm_f16"),
                       relu = params("relu"), store = params("tile/STORE");
  BOOST_TEST(load["op"] == "load");
  BOOST_TEST(load["dtype"] == "f16");
  BOOST_TEST(load["shape"] == nlohmann::json({2, 4}));
  BOOST_TEST(load["from"][0]["space"] == "HBM");
  BOOST_TEST(load["from"][0]["bytes"] == 16);
  BOOST_TEST(load["to"][0]["space"] == "PE_TCM");
  BOOST_TEST(load["to"][0]["address"] == PhysAddr::pe_tcm_addr(0, 0, 0, 64).encode());
  BOOST_TEST(product["op"] == "gemm");
  BOOST_TEST((product["m"] == 2 && product["k"] == 4 && product["n"] == 2));
  BOOST_TEST(product["acc_dtype"] == "f32");
  BOOST_TEST(product["inputs"][0]["shape"] == nlohmann::json({2, 4}));
  BOOST_TEST(product["inputs"][0]["strides"].is_null());
  BOOST_TEST((product["transpose_a"] == false && product["transpose_b"] == true));
  BOOST_TEST(product["inputs"][1]["strides"].is_null());
  BOOST_TEST(product["outputs"][0]["dtype"] == "f16");
  BOOST_TEST(
      (product["epilogue"][0] ==
       nlohmann::json{{"op", "clamp"}, {"scope", "output_tile"}, {"min", -0.5}, {"max", 2.0}}));
  BOOST_TEST(store["from"] ==
             nlohmann::json::parse(R"([{"address": null, "bytes": 16, "space": "registers"}])"));
  BOOST_TEST(store["to"][0]["space"] == "PE_TCM");
  BOOST_TEST(relu["operands"][0]["input"] == 0);
  BOOST_TEST(relu["axis"].is_null());
}

BOOST_AUTO_TEST_CASE(the_ending_of_the_name_chooses_the_format) {
  BOOST_TEST((op_log_format("a.csv") == OpLogFormat::csv));
  for (const char* name : {"a.sqlite", "b.c/a.sqlite3", "a.csv.db"})
    BOOST_TEST((op_log_format(name) == OpLogFormat::sqlite));
  BOOST_TEST((op_log_format("/dev/null") == OpLogFormat::csv));
  for (const char* name : {"a.txt", "a", "csv", "a.CSV", "/tmp"}) {
    BOOST_CHECK_EXCEPTION(op_log_format(name), UsageError, [&](const UsageError& error) {
      return std::string(error.what()).find("'" + std::string(name) + "'") != std::string::npos;
    });
  }
}

// The 100000 records do not fit what /dev/full takes, which is nothing.
BOOST_AUTO_TEST_CASE(write_errors_are_reported_at_the_end) {
  OpLogFile log(ResultFile("/dev/full"), nullptr, 1000);
  ExecutedOp op;
  for (int i = 0; i < 100000; ++i) log.write(op);
  BOOST_CHECK_EXCEPTION(log.close(), Error, [](const Error& error) {
    return std::string(error.what()).find("'/dev/full' is not complete") == 0;
  });
}

BOOST_AUTO_TEST_CASE(a_fault_of_sqlite_is_an_error_with_its_text) {
  const auto fault_of = [](const std::string& path) -> std::string {
    try {
      OpTable table(path);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  BOOST_TEST(fault_of("/nowhere/a.db") ==
             "'/nowhere/a.db' cannot be opened: unable to open database file");
  const TemporaryFile file("twice.db");
  BOOST_TEST(fault_of(file.path()) == "");
  BOOST_TEST(fault_of(file.path()) ==
             "'" + file.path() + "' cannot be written: table meta already exists");
}

BOOST_AUTO_TEST_SUITE_END()
