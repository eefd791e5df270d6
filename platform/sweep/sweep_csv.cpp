// The results of a sweep as CSV.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/output/table.h"
#include "platform/sweep/sweep_file.h"

namespace kernbench {
namespace {

std::string csv_of(const SQLite::Column& column) {
  if (column.isNull()) return "";
  if (column.isFloat()) return fmt::format("{}", column.getDouble());
  return csv_field(column.getString());
}

}  // namespace

std::string csv_next_to(const std::string& path) {
  const std::filesystem::path file(path);
  const std::string extension = file.extension().string();
  if (extension != ".sqlite" && extension != ".sqlite3" && extension != ".db")
    throw UsageError(
        fmt::format("the result file {} ends in {}: .sqlite, .sqlite3 or .db", quote(path),
                    extension.empty() ? "nothing that names a format" : quote(extension)));
  return std::filesystem::path(file).replace_extension(".csv").string();
}

void SweepFile::write_csv(const std::string& path) const {
  const std::string temporary = path + ".tmp";
  std::ofstream file(temporary, std::ios::binary);
  SQLite::Statement rows(*database_, "SELECT * FROM results");
  for (int i = 0; i < rows.getColumnCount(); ++i)
    file << (i == 0 ? "" : ",") << csv_field(rows.getColumnName(i));
  file << '\n';
  while (file && rows.executeStep()) {
    for (int i = 0; i < rows.getColumnCount(); ++i)
      file << (i == 0 ? "" : ",") << csv_of(rows.getColumn(i));
    file << '\n';
  }
  errno = 0;
  file.close();
  if (!file || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno == 0 ? EIO : errno;
    std::remove(temporary.c_str());
    throw Error(fmt::format("cannot write {}: {}; {} has all results", quote(path),
                            std::strerror(error), quote(path_)));
  }
}

}  // namespace kernbench
