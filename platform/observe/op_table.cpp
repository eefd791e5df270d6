#include "platform/observe/op_table.h"

#include <nlohmann/json.hpp>

#include "platform/observe/op_params_json.h"

namespace kernbench {
namespace {

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

}  // namespace

OpTable::OpTable(const std::string& path) : database_(path) {
  database_.execute(schema);
  insert_.emplace(database_, "INSERT INTO ops VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
}

void OpTable::insert(const std::vector<OpRecord>& records, const NodeName& node_name) {
  const auto number = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  database_.execute("BEGIN");
  for (const OpRecord& record : records) {
    const OpRow row = row_of(record, node_name);
    insert_->bind(0, number(row.id)).bind(1, number(row.t_start)).bind(2, number(row.t_end));
    insert_->bind(3, row.node).bind(4, row.kind).bind(5, row.name).bind(6, number(row.command));
    row.tile < 0 ? insert_->bind_null(7) : insert_->bind(7, row.tile);
    insert_->bind(8, number(row.bytes)).bind(9, number(record.op.macs));
    if (record.op.data) {
      insert_->bind(10, row.params)
          .bind(11, op_params_json(*record.op.data).dump())
          .bind(12, list_of(row.inputs))
          .bind(13, list_of(row.outputs));
    } else {
      for (int column = 10; column <= 13; ++column) insert_->bind_null(column);
    }
    insert_->run();
  }
  database_.execute("COMMIT");
}

void OpTable::write_csv(std::ostream& out) {
  const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  write_csv_header(out);
  SqliteStatement rows(database_,
                       "SELECT id, t_start_fs, t_end_fs, node, kind, name, command, tile, bytes, "
                       "text, inputs, outputs FROM listed");
  while (rows.step()) {
    OpRow row{number(rows.integer(0)),
              number(rows.integer(1)),
              number(rows.integer(2)),
              rows.text(3),
              rows.text(4),
              rows.text(5),
              number(rows.integer(6)),
              rows.is_null(7) ? -1 : rows.integer(7),
              number(rows.integer(8)),
              rows.text(9),
              ids_of(rows.text(10)),
              ids_of(rows.text(11))};
    kernbench::write_csv(out, row);
  }
}

void OpTable::close(const Meta& meta) {
  {
    SqliteStatement insert(database_, "INSERT INTO meta VALUES (?, ?)");
    insert.bind(0, "schema_version").bind(1, std::to_string(schema_version)).run();
    for (const auto& [key, value] : meta) insert.bind(0, key).bind(1, value).run();
  }
  insert_.reset();
  database_.execute(
      "CREATE INDEX ops_by_start ON ops (t_start_fs, id); CREATE INDEX ops_by_node ON ops (node, "
      "t_start_fs)");
  database_.close();
}

}  // namespace kernbench
