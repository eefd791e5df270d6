#include "tests/traffic/traffic_machine.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "platform/assembly/builtin_components.h"
#include "platform/topology/build_graph.h"

namespace kernbench::test {
namespace {

class Collected final : public TrafficListener {
 public:
  void in_order(const TrafficResult& result) override { results.push_back(result); }
  std::vector<TrafficResult> results;
};

}  // namespace

TemporaryCsv::TemporaryCsv(const std::string& text)
    : path_((std::filesystem::temp_directory_path() / "kernbench-traffic-XXXXXX").string()) {
  const int file = ::mkstemp(path_.data());
  if (file < 0) throw std::system_error(errno, std::generic_category(), "mkstemp");
  ::close(file);
  std::ofstream(path_, std::ios::binary) << text;
}

TemporaryCsv::~TemporaryCsv() { ::unlink(path_.c_str()); }

TrafficMachine::TrafficMachine(const std::string& topology,
                               const std::vector<Override>& overrides) {
  register_builtin_components(registry);
  MachineSpec spec =
      load_machine(std::string(KERNBENCH_SOURCE_DIR) + "/configs/" + topology, overrides, registry);
  spec.source_path.clear();  // leaves no cache file behind
  PlatformOptions options;
  options.tear_down = false;
  platform = std::make_unique<Platform>(build_graph(std::move(spec)), registry, options);
}

std::vector<TrafficResult> TrafficMachine::play(TrafficSource& source) {
  Collected collected;
  TrafficPlayer player("traffic", *platform, source, collected);
  const RunResult result = platform->run();
  if (result.cause) std::rethrow_exception(result.cause);
  player.check_all_ended();
  return collected.results;
}

std::vector<TrafficResult> TrafficMachine::play(const std::string& rows) {
  const TemporaryCsv csv(csv_header + rows);
  TrafficFile file(csv.path(), *platform);
  file.check();
  return play(file);
}

}  // namespace kernbench::test
