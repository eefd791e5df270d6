#include "sc_main/result_files.h"

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

// What has a name by now, and nobody else may write to.
class TakenFiles {
 public:
  void in_use(const FileInUse& file) { taken_.push_back({identity_of(file.path), file.what + " '" + file.path + "'"}); }
  // Results go where the shell has sent this program's own output.
  void redirected(int descriptor, const std::string& what) {
    if (const auto identity = identity_of_kept(descriptor)) taken_.push_back({*identity, what});
  }
  void result(const std::string& path) {
    if (path.empty() || is_null_device(path)) return;
    take(path, "the result '" + path + "'");
    if (!is_stream(path)) take(companion_of(path), "'" + companion_of(path) + "', the configuration beside '" + path + "',");
  }

 private:
  void take(const std::string& path, const std::string& what) {
    const FileIdentity identity = identity_of(path);
    const auto same = std::find_if(taken_.begin(), taken_.end(), [&](const NamedFile& file) { return file.identity == identity; });
    if (same != taken_.end()) throw UsageError(what + " would overwrite " + same->what);
    taken_.push_back({identity, what});
  }

  std::vector<NamedFile> taken_;
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
