#include "platform/observe/op_table.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "models/address/phys_addr.h"
#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench {
namespace {

// --- parameters of a data op

using Json = nlohmann::ordered_json;

// "HBM", "PE_TCM", "CUBE_SRAM", ...
std::string space_of(std::uint64_t pa) {
  try {
    const PhysAddr address = PhysAddr::decode(pa);
    return address.kind() == AddressKind::pe_local ? name_of(address.pe_unit())
                                                   : name_of(address.kind());
  } catch (const AddressError&) {
    return "unknown";
  }
}

Json ranges_json(const PhysRanges& ranges) {
  Json list = Json::array();
  for (const PhysRange& range : ranges)
    list.push_back({{"address", range.pa}, {"bytes", range.nbytes}, {"space", space_of(range.pa)}});
  return list;
}

Json epilogue_json(const std::vector<EpilogueOp>& epilogue) {
  Json list = Json::array();
  for (const EpilogueOp& op : epilogue) {
    Json entry{{"op", name_of(op.kind)}, {"scope", name_of(op.scope)}};
    if (op.input >= 0) {
      entry["input"] = op.input;
    } else if (op.kind == EpilogueOp::Kind::scale || op.kind == EpilogueOp::Kind::dequant) {
      entry["factor"] = op.factor;
    } else if (op.kind == EpilogueOp::Kind::clamp) {
      entry["min"] = op.low;
      entry["max"] = op.high;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

struct ParamsJson {
  Json operator()(const MemoryParams& p) const {
    constexpr std::array<const char*, 3> names{"load", "store", "copy"};
    return {{"op", names.at(static_cast<std::size_t>(p.kind))}};
  }
  Json operator()(const GemmParams& p) const {
    return {{"op", "gemm"},
            {"m", p.m},
            {"k", p.k},
            {"n", p.n},
            {"transpose_a", p.transpose_a},
            {"transpose_b", p.transpose_b},
            {"acc_dtype", name_of(p.acc_dtype.value_or(DType::f32))},
            {"tile_k", p.tile_k},
            {"epilogue", epilogue_json(p.epilogue)}};
  }
  Json operator()(const MathParams& p) const {
    Json json{{"op", name_of(p.op)},
              {"axis", p.axis ? Json(*p.axis) : Json()},
              {"operands", Json::array()}};
    for (const MathOperand& operand : p.operands) {
      json["operands"].push_back(operand.input >= 0 ? Json{{"input", operand.input}}
                                                    : Json{{"immediate", operand.immediate}});
    }
    json["epilogue"] = epilogue_json(p.epilogue);
    return json;
  }
  Json operator()(const ConvertParams&) const { return {{"op", "convert"}}; }
};

// {"op": "gemm", "m": 32, ..., "inputs": [{"dtype": "f16", "shape": [32, 64], "strides": null}],
// "outputs": [...],
//  "from": [{"address": 4096, "bytes": 4096, "space": "HBM"}], "to": [...]}
// Keys that the kind of op does not have are absent; strides (in elements) are null for dense
// row-major blocks.
Json op_params_json(const DataOp& op) {
  Json json = std::visit(ParamsJson{}, op.params);
  json["inputs"] = Json::array();
  for (const TensorValue& input : op.inputs) {
    json["inputs"].push_back({{"dtype", name_of(input.dtype)},
                              {"shape", input.shape.extents()},
                              {"strides", input.dense() ? Json() : Json(input.strides)}});
  }
  json["outputs"] = Json::array();
  for (const OutputValue& output : op.outputs)
    json["outputs"].push_back(
        {{"dtype", name_of(output.dtype)}, {"shape", output.shape.extents()}});
  json["from"] = ranges_json(op.places.from);
  json["to"] = ranges_json(op.places.to);
  return json;
}

// --- the tables

// One writer, no second chance: a log that is not complete is of no use.
constexpr const char* pragmas =
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE";
constexpr const char* schema = R"(
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE ops (
  id INTEGER PRIMARY KEY, t_start_fs INTEGER NOT NULL, t_end_fs INTEGER NOT NULL, node TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
  command INTEGER NOT NULL, tile INTEGER, bytes INTEGER NOT NULL, macs INTEGER NOT NULL, text TEXT, params TEXT, inputs TEXT, outputs TEXT);
CREATE VIEW listed AS SELECT * FROM ops ORDER BY t_start_fs, id;
)";

std::string list_of(const std::vector<ValueId>& ids) { return nlohmann::json(ids).dump(); }
std::vector<ValueId> ids_of(const std::string& list) {
  return list.empty() ? std::vector<ValueId>()
                      : nlohmann::json::parse(list).get<std::vector<ValueId>>();
}

// `body`, with faults of SQLite as Errors that name the database.
template <class Body>
void guarded(const std::string& path, const char* fault, Body body) {
  try {
    body();
  } catch (const SQLite::Exception& error) {
    throw Error(fmt::format("{} {}: {}", path.empty() ? "a temporary SQLite database" : quote(path),
                            fault, error.what()));
  }
}

// Binds the values of a row one after the other.
class Row {
 public:
  explicit Row(SQLite::Statement& statement) : statement_(statement) {}
  Row& add(std::uint64_t value) { return add_signed(static_cast<std::int64_t>(value)); }
  Row& add_signed(std::int64_t value) { return statement_.bind(++column_, value), *this; }
  Row& add(const std::string& text) { return statement_.bind(++column_, text), *this; }
  Row& add_null() { return statement_.bind(++column_), *this; }
  void insert() {
    statement_.exec();
    statement_.reset();
  }

 private:
  SQLite::Statement& statement_;
  int column_ = 0;
};

}  // namespace

OpTable::OpTable(const std::string& path) : path_(path) {
  guarded(path_, "cannot be opened",
          [&] { database_.emplace(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE); });
  guarded(path_, "cannot be written", [&] {
    database_->exec(pragmas);
    database_->exec(schema);
    insert_.emplace(*database_,
                    "INSERT INTO ops VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  });
}

void OpTable::insert(const std::vector<OpRecord>& records, const NodeName& node_name) {
  guarded(path_, "cannot be written", [&] {
    database_->exec("BEGIN");
    for (const OpRecord& record : records) insert_one(record, node_name);
    database_->exec("COMMIT");
  });
}

void OpTable::insert_one(const OpRecord& record, const NodeName& node_name) {
  const OpRow op = row_of(record, node_name);
  Row row(*insert_);
  row.add(op.id).add(op.t_start).add(op.t_end).add(op.node).add(op.kind).add(op.name);
  row.add(op.command);
  op.tile < 0 ? row.add_null() : row.add_signed(op.tile);
  row.add(op.bytes).add(record.op.macs);
  if (record.op.data) {
    row.add(op.params).add(op_params_json(*record.op.data).dump());
    row.add(list_of(op.inputs)).add(list_of(op.outputs));
  } else {
    row.add_null().add_null().add_null().add_null();
  }
  row.insert();
}

void OpTable::write_csv(std::ostream& out) {
  const auto number = [](const SQLite::Column& column) {
    return static_cast<std::uint64_t>(column.getInt64());
  };
  write_csv_header(out);
  guarded(path_, "cannot be written", [&] {
    SQLite::Statement rows(*database_,
                           "SELECT id, t_start_fs, t_end_fs, node, kind, name, command, tile, "
                           "bytes, text, inputs, outputs FROM listed");
    const auto text = [&rows](int column) { return rows.getColumn(column).getString(); };
    while (rows.executeStep()) {
      const OpRow row{number(rows.getColumn(0)),
                      number(rows.getColumn(1)),
                      number(rows.getColumn(2)),
                      text(3),
                      text(4),
                      text(5),
                      number(rows.getColumn(6)),
                      rows.isColumnNull(7) ? -1 : rows.getColumn(7).getInt64(),
                      number(rows.getColumn(8)),
                      text(9),
                      ids_of(text(10)),
                      ids_of(text(11))};
      kernbench::write_csv(out, row);
    }
  });
}

void OpTable::close(const Meta& meta) {
  guarded(path_, "cannot be written", [&] {
    {
      SQLite::Statement insert(*database_, "INSERT INTO meta VALUES (?, ?)");
      Row(insert).add("schema_version").add(std::to_string(schema_version)).insert();
      for (const auto& [key, value] : meta) Row(insert).add(key).add(value).insert();
    }
    insert_.reset();
    database_->exec(
        "CREATE INDEX ops_by_start ON ops (t_start_fs, id); CREATE INDEX ops_by_node ON ops (node, "
        "t_start_fs)");
  });
  database_.reset();
}

}  // namespace kernbench
