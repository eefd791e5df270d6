#include "tests/report/hand_made_log.h"

namespace kernbench::test {

void HandMadeLog::launch(const std::string& kernel, Fs issued, Fs ended,
                         const std::vector<std::string>& pes, Fs start, Fs returned,
                         std::uint32_t stream) {
  const std::string request = "by-hand/" + std::to_string(launches.size() + 1);
  launches.push_back(
      {kernel, pes.front().substr(0, pes.front().find('.')), issued, ended, {request}});
  for (const std::string& pe : pes) {
    progress.starts.push_back({request, pe, kernel, start, start, stream});
    progress.runs.push_back({request, pe, kernel, start, returned, returned, start, stream});
  }
}

void HandMadeLog::awaited_command(const std::string& pe, std::uint64_t command, Fs submitted,
                                  Fs dispatched, Fs completed, std::uint32_t stream) {
  progress.commands.push_back({pe, command, submitted, dispatched, completed});
  progress.waits.push_back({pe, KernelWait::Reason::command, command, submitted, completed,
                            KernelWait::CommandKind::dma, stream});
}

std::string HandMadeLog::write(const std::string& name) const {
  const std::string path = folder_.file(name);
  std::filesystem::remove(path);
  std::vector<ExecutedOpRow> rows;
  for (const HandMadeOp& op : ops) {
    ExecutedOpRow& row = rows.emplace_back();
    row.id = rows.size();
    row.start = op.start;
    row.end = op.end;
    row.node = op.node;
    row.name = op.name;
    row.kind = op.name.find("gemm") == 0 ? OpKind::gemm : OpKind::memory;
    row.command = op.command;
    if (op.tile >= 0) row.tile = op.tile;
    row.bytes = op.bytes;
    row.stream = op.stream;
  }
  OpTable table(path);
  table.insert(rows);
  progress.insert_into(table);
  table.insert(launches);
  table.close(meta);
  return path;
}

}  // namespace kernbench::test
