#include "platform/events/op_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <nlohmann/json.hpp>

#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench {
namespace {

// --- Parameters of a data op: JSON as text, since a log may have millions

std::string list_text(const std::vector<std::int64_t>& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ","));
}

std::string number_text(double value) { return nlohmann::json(value).dump(); }

template <class List, class Text>
std::string list_of(const List& list, Text text_of) {
  std::string text;
  for (const auto& each : list) text += (text.empty() ? "" : ",") + text_of(each);
  return "[" + text + "]";
}

std::string ranges_json(const PhysRanges& ranges, std::uint64_t register_bytes) {
  std::string text;
  if (register_bytes > 0)
    text = fmt::format(R"({{"address":null,"bytes":{},"space":"registers"}})", register_bytes);
  for (const PhysRange& range : ranges)
    text += fmt::format(R"({}{{"address":{},"bytes":{},"space":"{}"}})", text.empty() ? "" : ",",
                        range.pa, range.nbytes, space_of(range.pa));
  return "[" + text + "]";
}

std::string epilogue_json(const std::vector<EpilogueOp>& epilogue) {
  return list_of(epilogue, [](const EpilogueOp& op) {
    std::string entry =
        fmt::format(R"("op":"{}","scope":"{}")", name_of(op.kind), name_of(op.scope));
    if (op.input >= 0) {
      entry += fmt::format(R"(,"input":{})", op.input);
    } else if (op.kind == EpilogueOp::Kind::scale || op.kind == EpilogueOp::Kind::dequant) {
      entry += fmt::format(R"(,"factor":{})", number_text(op.factor));
    } else if (op.kind == EpilogueOp::Kind::clamp) {
      entry += fmt::format(R"(,"min":{},"max":{})", number_text(op.low), number_text(op.high));
    }
    return "{" + entry + "}";
  });
}

// Members of the object.
struct ParamsJson {
  std::string operator()(const MemoryParams& p) const {
    constexpr std::array<const char*, 4> names{"load", "store", "copy", "atomic"};
    const char* name = names.at(static_cast<std::size_t>(p.kind));
    if (!p.block) return fmt::format(R"("op":"{}")", name);
    return fmt::format(R"("op":"{}","dtype":"{}","shape":{})", name, name_of(p.dtype),
                       list_text(p.block->extents()));
  }
  std::string operator()(const GemmParams& p) const {
    std::string text = fmt::format(
        R"("op":"gemm","m":{},"k":{},"n":{},"transpose_a":{},"transpose_b":{},"acc_dtype":"{}")",
        p.m, p.k, p.n, p.transpose_a, p.transpose_b, name_of(p.acc_dtype.value_or(DType::f32)));
    if (p.tile_k > 0) text += fmt::format(R"(,"tile_k":{})", p.tile_k);  // not of a stage
    text += R"(,"epilogue":)" + epilogue_json(p.epilogue);
    if (p.batch > 1) text += fmt::format(R"(,"batch":{})", p.batch);
    if (p.accumulates) text += R"(,"accumulates":true)";
    return text;
  }
  std::string operator()(const MathParams& p) const {
    const std::string operands = list_of(p.operands, [](const MathOperand& operand) {
      return operand.input >= 0
                 ? fmt::format(R"({{"input":{}}})", operand.input)
                 : fmt::format(R"({{"immediate":{}}})", number_text(operand.immediate));
    });
    return fmt::format(R"("op":"{}","axis":{},"operands":{},"epilogue":{})", name_of(p.op),
                       p.axis ? std::to_string(*p.axis) : "null", operands,
                       epilogue_json(p.epilogue));
  }
  std::string operator()(const ConvertParams&) const { return R"("op":"convert")"; }
};

// {"op":"gemm","m":32,...,"inputs":[{"dtype":"f16","shape":[32,64],"strides":null}],
//  "outputs":[...],"from":[{"address":4096,"bytes":4096,"space":"HBM"}],"to":[...]}
// Keys that the kind of op does not have are absent; strides (in elements) are null for dense
// row-major blocks.
std::string op_params_json(const DataOp& op) {
  const std::string inputs = list_of(op.inputs, [](const TensorValue& input) {
    return fmt::format(R"({{"dtype":"{}","shape":{},"strides":{}}})", name_of(input.dtype),
                       list_text(input.shape.extents()),
                       input.dense() ? "null" : list_text(input.strides));
  });
  const std::string outputs = list_of(op.outputs, [](const OutputValue& output) {
    return fmt::format(R"({{"dtype":"{}","shape":{}}})", name_of(output.dtype),
                       list_text(output.shape.extents()));
  });
  return fmt::format(R"({{{},"inputs":{},"outputs":{},"from":{},"to":{}}})",
                     std::visit(ParamsJson{}, op.params), inputs, outputs,
                     ranges_json(op.places.from, op.places.from_registers),
                     ranges_json(op.places.to, op.places.to_registers));
}

// --- Tables

// There is one writer and no recovery: an incomplete log is useless.
constexpr const char* pragmas =
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE";

struct CreateTables {
  std::string& sql;
  template <class Row>
  void table() {
    sql += create_statement(Row::table, column_texts<Row>());
  }
};
struct CreateIndices {
  std::string& sql;
  template <class Row>
  void table() {
    for (const char* columns : Row::indices) sql += index_statement(Row::table, columns);
  }
};

std::string list_of(const std::vector<ValueId>& ids) {
  return fmt::format("[{}]", fmt::join(ids, ","));
}
std::vector<ValueId> ids_of(const OptionalText& list) {
  return list ? nlohmann::json::parse(*list).get<std::vector<ValueId>>() : std::vector<ValueId>();
}

// `with_json`: JSON of the parameters.
ExecutedOpRow table_row_of(const OpRecord& record, const NodeName& node_name, bool with_json) {
  OpRow op = row_of(record, node_name);
  ExecutedOpRow row;
  row.id = op.id;
  row.start = op.t_start;
  row.end = op.t_end;
  row.node = std::move(op.node);
  row.kind = record.op.kind;
  row.name = std::move(op.name);
  row.command = op.command;
  if (op.tile >= 0) row.tile = op.tile;
  row.bytes = op.bytes;
  row.macs = record.op.macs;
  row.stream = record.op.stream;
  row.runs = record.op.runs;
  if (record.op.data || !op.params.empty()) row.text = std::move(op.params);
  if (!record.op.data) return row;
  if (with_json) row.params = op_params_json(*record.op.data);
  if (record.op.data->id == 0) return row;
  row.inputs = list_of(op.inputs);
  row.outputs = list_of(op.outputs);
  return row;
}

}  // namespace

OpTable::OpTable(const std::string& path) : path_(path) {
  guarded("cannot be opened",
          [&] { database_.emplace(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE); });
  std::string sql =
      "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;\n";
  for_each_table(CreateTables{sql});
  sql += "CREATE VIEW listed AS SELECT * FROM ops ORDER BY t_start_fs, id;\n";
  guarded("cannot be written", [&] {
    database_->exec(pragmas);
    database_->exec(sql);
  });
}

void OpTable::guarded(const char* fault, const std::function<void()>& body) const {
  try {
    body();
  } catch (const SQLite::Exception& error) {
    throw Error(fmt::format("{} {}: {}",
                            path_.empty() ? "a temporary SQLite database" : quote(path_), fault,
                            error.what()));
  }
}

void OpTable::transaction(const std::function<void(SQLite::Database&)>& body) {
  guarded("cannot be written", [&] {
    database_->exec("BEGIN");
    body(*database_);
    database_->exec("COMMIT");
  });
}

void OpTable::insert(const std::vector<OpRecord>& records, const NodeName& node_name) {
  transaction([&](SQLite::Database& database) {
    SQLite::Statement into = insertion<ExecutedOpRow>(database);
    for (const OpRecord& record : records)
      insert_row(into, table_row_of(record, node_name, !path_.empty()));
  });
}

void OpTable::insert(std::vector<LaunchRow> launches) {
  transaction([&](SQLite::Database& database) {
    database.exec("CREATE INDEX runs_by_request ON runs (request)");
    SQLite::Statement into = insertion<LaunchRow>(database);
    SQLite::Statement runs(database, "UPDATE runs SET launch = ? WHERE request = ?");
    std::uint64_t id = 0;
    for (LaunchRow& launch : launches) {
      launch.id = ++id;
      insert_row(into, launch);
      for (const std::string& request : launch.requests) {
        bind_value(runs, 1, id);
        bind_value(runs, 2, request);
        runs.exec();
        runs.reset();
      }
    }
  });
}

void OpTable::write_csv(std::ostream& out) {
  write_csv_header(out);
  guarded("cannot be written", [&] {
    SQLite::Statement rows(*database_,
                           select_statement("listed", column_texts<ExecutedOpRow>(), true, ""));
    ExecutedOpRow row;
    while (rows.executeStep()) {
      read_row(rows, true, row);
      kernbench::write_csv(out, {row.id, row.start, row.end, row.node, name_of(row.kind), row.name,
                                 row.command, row.tile.value_or(-1), row.bytes,
                                 row.text.value_or(""), ids_of(row.inputs), ids_of(row.outputs)});
    }
  });
}

void OpTable::close(const Meta& meta) {
  std::string indices;
  for_each_table(CreateIndices{indices});
  transaction([&](SQLite::Database& database) {
    SQLite::Statement insert(database, "INSERT INTO meta VALUES (?, ?)");
    const auto add = [&insert](const std::string& key, const std::string& value) {
      bind_value(insert, 1, key);
      bind_value(insert, 2, value);
      insert.exec();
      insert.reset();
    };
    add("schema_version", std::to_string(op_log_schema_version));
    for (const auto& [key, value] : meta) add(key, value);
  });
  guarded("cannot be written", [&] { database_->exec(indices); });
  database_.reset();
}

}  // namespace kernbench
