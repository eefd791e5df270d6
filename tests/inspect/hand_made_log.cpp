#include "tests/inspect/hand_made_log.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include "platform/observe/sqlite_row.h"

namespace kernbench::test {

void HandMadeLog::launch(const std::string& kernel, Fs issued, Fs ended,
                         const std::vector<std::string>& pes, Fs start, Fs returned,
                         std::uint32_t stream) {
  const std::string request = "by-hand/" + std::to_string(launches.size() + 1);
  launches.push_back(
      {kernel, pes.front().substr(0, pes.front().find('.')), issued, ended, {request}});
  for (const std::string& pe : pes)
    progress.runs.push_back({request, pe, kernel, start, returned, returned, start, stream});
}

void HandMadeLog::awaited_command(const std::string& pe, std::uint64_t command, Fs submitted,
                                  Fs dispatched, Fs completed, std::uint32_t stream) {
  progress.commands.push_back({pe, command, submitted, dispatched, completed});
  progress.waits.push_back({pe, "command", command, submitted, completed, "dma", stream});
}

std::string HandMadeLog::write(const std::string& name) const {
  const std::string path = folder_.file(name);
  std::filesystem::remove(path);
  OpTable table(path);
  table.insert(progress);
  table.insert(launches);
  table.close(meta);
  SQLite::Database database(path, SQLite::OPEN_READWRITE);
  SQLite::Statement insert(database,
                           "INSERT INTO ops VALUES (?, ?, ?, ?, 'memory', ?, ?, ?, ?, 0, NULL, "
                           "NULL, NULL, NULL, ?)");
  std::uint64_t id = 0;
  for (const HandMadeOp& op : ops) {
    SqliteRow row(insert);
    row.add(++id).add(op.start).add(op.end).add(op.node).add(op.name).add(op.command);
    op.tile < 0 ? row.add_null() : row.add_signed(op.tile);
    row.add(op.bytes).add(std::uint64_t{op.stream}).insert();
  }
  return path;
}

}  // namespace kernbench::test
