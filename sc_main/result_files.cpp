#include "sc_main/result_files.h"

#include <filesystem>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "sc_main/build_info.h"

namespace kernbench {
namespace {

namespace fs = std::filesystem;

// Something that is written to, but not kept: a terminal, a pipe, /dev/null.
bool is_stream(const std::string& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status);
}

std::string companion_of(const std::string& path) { return path + ".config.yaml"; }

// One spelling per file, links resolved as far as the path exists.
fs::path canonical(const std::string& path) {
  std::error_code error;
  fs::path resolved = fs::weakly_canonical(path, error);
  return error ? fs::absolute(path).lexically_normal() : resolved;
}

struct NamedFile {
  fs::path path;
  std::string what;  // as a message calls it
};

}  // namespace

std::string configuration_text(const Invocation& invocation, const std::vector<std::pair<std::string, std::string>>& facts,
                               const std::string& resolved) {
  std::string text = "# " + version_text() + '\n';
  for (std::size_t at = 0; (at = text.find('\n', at)) + 1 < text.size();) text.insert(++at, "# ");
  text += "# command    " + invocation.line() + '\n';
  for (const auto& [name, value] : facts) text += "# " + name + std::string(11 - std::min<std::size_t>(10, name.size()), ' ') + value + '\n';
  return text + resolved;
}

void check_result_files(const std::vector<std::string>& inputs, const std::vector<std::string>& results) {
  std::vector<NamedFile> taken;
  for (const std::string& input : inputs) {
    if (!input.empty()) taken.push_back({canonical(input), "the input " + quote(input)});
  }
  const auto take = [&taken](const std::string& path, const std::string& what) {
    NamedFile file{canonical(path), what};
    for (const NamedFile& other : taken) {
      if (other.path == file.path) throw UsageError(file.what + " would overwrite " + other.what);
    }
    taken.push_back(std::move(file));
  };
  for (const std::string& result : results) {
    if (result.empty() || is_stream(result)) continue;
    take(result, "the result " + quote(result));
    take(companion_of(result), quote(companion_of(result)) + ", the configuration beside " + quote(result) + ",");
  }
}

ResultFile open_result(const std::string& path, const std::string& configuration) {
  ResultFile file(path);
  if (!is_stream(path)) {
    ResultFile companion(companion_of(path));
    companion.out() << configuration;
    companion.close();
  }
  return file;
}

}  // namespace kernbench
