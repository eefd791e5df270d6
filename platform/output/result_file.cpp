#include "platform/output/result_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/output/file_conflicts.h"

namespace kernbench {

bool is_stream(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

ResultFile::ResultFile(std::string path) : path_(std::move(path)) {
  errno = 0;
  file_.open(path_, std::ios::binary);
  if (!file_)
    throw UsageError(fmt::format("cannot write {}: {}", quote(path_), std::strerror(errno)));
}

void ResultFile::close() {
  errno = 0;
  file_.close();
  if (!file_)
    throw Error(fmt::format("{} is not complete: {}", quote(path_),
                            std::strerror(errno == 0 ? EIO : errno)));
}

void write_result(const std::string& path, const std::string& text) {
  ResultFile file(path);
  file.out() << text;
  file.close();
}

ResultFile open_result(const std::string& path, const std::string& configuration) {
  ResultFile file(path);
  if (!is_stream(path)) write_result(companion_of(path), configuration);
  return file;
}

}  // namespace kernbench
