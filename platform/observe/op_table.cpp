#include "platform/observe/op_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <nlohmann/json.hpp>

#include "platform/observe/sqlite_row.h"

namespace kernbench {
namespace {

// --- parameters of a data op: JSON as text, since a log may have millions

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

// --- the tables

// One writer, no second chance: a log that is not complete is of no use.
constexpr const char* pragmas =
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE";
constexpr const char* schema = R"(
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE ops (
  id INTEGER PRIMARY KEY, t_start_fs INTEGER NOT NULL, t_end_fs INTEGER NOT NULL, node TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
  command INTEGER NOT NULL, tile INTEGER, bytes INTEGER NOT NULL, macs INTEGER NOT NULL, text TEXT, params TEXT, inputs TEXT, outputs TEXT,
  stream INTEGER NOT NULL);
CREATE VIEW listed AS SELECT * FROM ops ORDER BY t_start_fs, id;
CREATE TABLE launches (
  id INTEGER PRIMARY KEY, kernel TEXT NOT NULL, device TEXT NOT NULL, t_issue_fs INTEGER NOT NULL, t_end_fs INTEGER NOT NULL);
CREATE TABLE runs (
  request TEXT NOT NULL, launch INTEGER, pe TEXT NOT NULL, kernel TEXT NOT NULL,
  t_start_fs INTEGER NOT NULL, t_return_fs INTEGER NOT NULL, t_end_fs INTEGER NOT NULL, t_target_fs INTEGER NOT NULL,
  stream INTEGER NOT NULL);
CREATE TABLE waits (
  pe TEXT NOT NULL, reason TEXT NOT NULL, command INTEGER, t_start_fs INTEGER NOT NULL, t_end_fs INTEGER NOT NULL, command_kind TEXT,
  stream INTEGER NOT NULL);
CREATE TABLE slot_waits (
  pe TEXT NOT NULL, waiting TEXT NOT NULL, t_start_fs INTEGER NOT NULL, t_end_fs INTEGER NOT NULL, stream INTEGER NOT NULL);
CREATE TABLE commands (
  pe TEXT NOT NULL, command INTEGER NOT NULL, t_submit_fs INTEGER NOT NULL, t_dispatch_fs INTEGER, t_complete_fs INTEGER);
CREATE TABLE messages (
  id INTEGER PRIMARY KEY, ring INTEGER NOT NULL, number INTEGER NOT NULL, slot INTEGER NOT NULL, bytes INTEGER NOT NULL,
  sender TEXT NOT NULL, receiver TEXT, t_sent_fs INTEGER NOT NULL, t_arrive_fs INTEGER, t_write_fs INTEGER, t_visible_fs INTEGER,
  t_take_fs INTEGER, t_consume_fs INTEGER, t_credit_fs INTEGER);
)";
constexpr const char* indices = R"(
CREATE INDEX ops_by_start ON ops (t_start_fs, id);
CREATE INDEX ops_by_node ON ops (node, t_start_fs);
CREATE INDEX runs_by_pe ON runs (pe, t_start_fs);
CREATE INDEX waits_by_pe ON waits (pe, t_start_fs);
CREATE INDEX slot_waits_by_pe ON slot_waits (pe, t_start_fs);
CREATE INDEX commands_by_pe ON commands (pe, command);
CREATE INDEX messages_by_sender ON messages (sender, t_sent_fs);
CREATE INDEX messages_by_receiver ON messages (receiver, t_take_fs);
)";

std::string list_of(const std::vector<ValueId>& ids) {
  return fmt::format("[{}]", fmt::join(ids, ","));
}
std::vector<ValueId> ids_of(const std::string& list) {
  return list.empty() ? std::vector<ValueId>()
                      : nlohmann::json::parse(list).get<std::vector<ValueId>>();
}

const std::array<const char*, 5> progress_inserts{
    "INSERT INTO runs VALUES (?, NULL, ?, ?, ?, ?, ?, ?, ?)",
    "INSERT INTO waits VALUES (?, ?, ?, ?, ?, ?, ?)",
    "INSERT INTO slot_waits VALUES (?, ?, ?, ?, ?)", "INSERT INTO commands VALUES (?, ?, ?, ?, ?)",
    "INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"};

void insert_row(SQLite::Statement& into, const RunRow& run) {
  SqliteRow row(into);
  row.add(run.request).add(run.pe).add(run.kernel).add(run.start).add(run.returned).add(run.end);
  row.add(run.target).add(std::uint64_t{run.stream});
  row.insert();
}

void insert_row(SQLite::Statement& into, const WaitRow& wait) {
  SqliteRow row(into);
  row.add(wait.pe).add(std::string(wait.reason)).add(wait.command).add(wait.start).add(wait.end);
  *wait.command_kind == '\0' ? row.add_null() : row.add(std::string(wait.command_kind));
  row.add(std::uint64_t{wait.stream});
  row.insert();
}

void insert_row(SQLite::Statement& into, const SlotWaitRow& wait) {
  SqliteRow row(into);
  row.add(wait.pe).add(std::string(wait.waiting)).add(wait.start).add(wait.end);
  row.add(std::uint64_t{wait.stream});
  row.insert();
}

void insert_row(SQLite::Statement& into, const CommandRow& command) {
  SqliteRow row(into);
  row.add(command.pe).add(command.command).add(command.submitted);
  row.add(command.dispatched).add(command.completed);
  row.insert();
}

void insert_row(SQLite::Statement& into, const MessageRow& message) {
  SqliteRow row(into);
  row.add(message.id).add(message.ring).add(message.number).add(message.slot).add(message.bytes);
  row.add(message.sender);
  message.receiver.empty() ? row.add_null() : row.add(message.receiver);
  row.add(message.sent).add(message.arrived).add(message.write).add(message.visible);
  row.add(message.taken).add(message.consumed).add(message.credit);
  row.insert();
}

}  // namespace

OpTable::OpTable(const std::string& path) : path_(path) {
  guarded_sqlite(path_, "cannot be opened",
                 [&] { database_.emplace(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE); });
  guarded_sqlite(path_, "cannot be written", [&] {
    database_->exec(pragmas);
    database_->exec(schema);
    insert_.emplace(*database_,
                    "INSERT INTO ops VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  });
}

void OpTable::insert(const std::vector<OpRecord>& records, const NodeName& node_name) {
  guarded_sqlite(path_, "cannot be written", [&] {
    database_->exec("BEGIN");
    for (const OpRecord& record : records) insert_one(record, node_name);
    database_->exec("COMMIT");
  });
}

void OpTable::insert_one(const OpRecord& record, const NodeName& node_name) {
  const OpRow op = row_of(record, node_name);
  SqliteRow row(*insert_);
  row.add(op.id).add(op.t_start).add(op.t_end).add(op.node).add(op.kind).add(op.name);
  row.add(op.command);
  op.tile < 0 ? row.add_null() : row.add_signed(op.tile);
  row.add(op.bytes).add(record.op.macs);
  if (record.op.data) {
    row.add(op.params);
    path_.empty() ? row.add_null() : row.add(op_params_json(*record.op.data));
    if (record.op.data->id == 0)
      row.add_null().add_null();
    else
      row.add(list_of(op.inputs)).add(list_of(op.outputs));
  } else {
    op.params.empty() ? row.add_null() : row.add(op.params);
    row.add_null().add_null().add_null();
  }
  row.add(std::uint64_t{record.op.stream});
  row.insert();
}

void OpTable::insert(const ProgressRows& rows) {
  guarded_sqlite(path_, "cannot be written", [&] {
    database_->exec("BEGIN");
    const auto insert_all = [&](const char* statement, const auto& list) {
      if (list.empty()) return;
      SQLite::Statement into(*database_, statement);
      for (const auto& row : list) insert_row(into, row);
    };
    insert_all(progress_inserts[0], rows.runs);
    insert_all(progress_inserts[1], rows.waits);
    insert_all(progress_inserts[2], rows.slot_waits);
    insert_all(progress_inserts[3], rows.commands);
    insert_all(progress_inserts[4], rows.messages);
    database_->exec("COMMIT");
  });
}

void OpTable::insert(const std::vector<LaunchRow>& launches) {
  guarded_sqlite(path_, "cannot be written", [&] {
    database_->exec("BEGIN; CREATE INDEX runs_by_request ON runs (request)");
    {
      SQLite::Statement into(*database_, "INSERT INTO launches VALUES (?, ?, ?, ?, ?)");
      SQLite::Statement runs(*database_, "UPDATE runs SET launch = ? WHERE request = ?");
      std::uint64_t id = 0;
      for (const LaunchRow& launch : launches) {
        SqliteRow(into)
            .add(++id)
            .add(launch.kernel)
            .add(launch.device)
            .add(launch.issued)
            .add(launch.ended)
            .insert();
        for (const std::string& request : launch.requests)
          SqliteRow(runs).add(id).add(request).insert();
      }
    }
    database_->exec("COMMIT");
  });
}

void OpTable::write_csv(std::ostream& out) {
  const auto number = [](const SQLite::Column& column) {
    return static_cast<std::uint64_t>(column.getInt64());
  };
  write_csv_header(out);
  guarded_sqlite(path_, "cannot be written", [&] {
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
  guarded_sqlite(path_, "cannot be written", [&] {
    {
      SQLite::Statement insert(*database_, "INSERT INTO meta VALUES (?, ?)");
      SqliteRow(insert).add("schema_version").add(std::to_string(schema_version)).insert();
      for (const auto& [key, value] : meta) SqliteRow(insert).add(key).add(value).insert();
    }
    insert_.reset();
    database_->exec(indices);
  });
  database_.reset();
}

}  // namespace kernbench
