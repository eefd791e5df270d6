#include "sc_main/result_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "sc_main/build_info.h"
#include "sc_main/file_identity.h"

namespace kernbench {
namespace {

std::string companion_of(const std::string& path) { return path + ".config.yaml"; }

struct NamedFile {
  FileIdentity identity;
  std::string what;  // as a message calls it
};

// Files that are in use or taken by a result, closed to further results.
class TakenFiles {
 public:
  void in_use(const FileInUse& file) {
    taken_.push_back({identity_of(file.path), file.what + ' ' + quote(file.path)});
  }
  // Results go where the shell has sent this program's own output.
  void redirected(int descriptor, const std::string& what) {
    if (const auto identity = identity_of_kept(descriptor)) taken_.push_back({*identity, what});
  }
  void result(const std::string& path) {
    if (path.empty() || is_null_device(path)) return;
    take(path, "the result " + quote(path));
    if (!is_stream(path))
      take(companion_of(path),
           fmt::format("{}, the configuration beside {},", quote(companion_of(path)), quote(path)));
  }

 private:
  void take(const std::string& path, const std::string& what) {
    const FileIdentity identity = identity_of(path);
    const auto same = std::find_if(taken_.begin(), taken_.end(), [&](const NamedFile& file) {
      return file.identity == identity;
    });
    if (same != taken_.end())
      throw UsageError(fmt::format("{} would overwrite {}", what, same->what));
    taken_.push_back({identity, what});
  }

  std::vector<NamedFile> taken_;
};

}  // namespace

std::string configuration_text(const Invocation& invocation,
                               const std::vector<std::pair<std::string, std::string>>& facts,
                               const std::string& resolved) {
  std::string text = fmt::format("# {}\n", version_text());
  for (std::size_t at = 0; (at = text.find('\n', at)) + 1 < text.size();) text.insert(++at, "# ");
  text += fmt::format("# command    {}\n", invocation.line());
  for (const auto& [name, value] : facts)
    text += fmt::format("# {}{}{}\n", name,
                        std::string(11 - std::min<std::size_t>(10, name.size()), ' '), value);
  return text + resolved;
}

void check_result_files(const std::vector<FileInUse>& in_use,
                        const std::vector<std::string>& results) {
  TakenFiles taken;
  for (const FileInUse& file : in_use) taken.in_use(file);
  taken.redirected(STDOUT_FILENO, "the standard output of this command");
  taken.redirected(STDERR_FILENO, "the standard error of this command");
  for (const std::string& result : results) taken.result(result);
}

void write_result(const std::string& path, const std::string& text) {
  ResultFile file(path);
  file.out() << text;
  file.close();
}

ResultFile open_result(const std::string& path, const std::string& configuration) {
  ResultFile file(path);
  if (!is_stream(path)) {
    write_result(companion_of(path), configuration);
  }
  return file;
}

}  // namespace kernbench
