// docs/write-a-component.md: its component in a machine made from its YAML, and what it says about
// wrong values. The component and its test are compiled exactly as they stand there
// (tests/support/cut_example.cmake).
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <regex>

#include "tests/support/forked.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/whole_machine.h"

#include COMPONENT_GUIDE_HEADER  // cut out of the guide

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(component_guide)

namespace {

const std::string tiny = std::string(KERNBENCH_SOURCE_DIR) + "/configs/topology.tiny.yaml";

std::string guide() { return source_text("docs/write-a-component.md"); }

// The guide's topology, in a file that goes away with this object.
class GuideTopology {
 public:
  GuideTopology()
      : path_((std::filesystem::temp_directory_path() /
               ("kernbench-guide-" + std::to_string(::getpid()) + ".yaml"))
                  .string()) {
    const std::string text = guide(), fence = "\n```yaml\ninclude: topology.tiny.yaml\n";
    const std::size_t begin = text.find(fence) + fence.size();
    std::ofstream(path_) << "include: " << tiny << '\n'
                         << text.substr(begin, text.find("\n```\n", begin) + 1 - begin);
  }
  ~GuideTopology() { std::filesystem::remove(path_); }
  GuideTopology(const GuideTopology&) = delete;
  GuideTopology& operator=(const GuideTopology&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

ComponentRegistry registry_with_example() {
  ComponentRegistry registry;
  register_builtin_components(registry);
  registry.add(implementation_of<PortedSram>("builtin.ported_sram"));
  return registry;
}

std::uint64_t statistic(const Component& component, const std::string& name) {
  for (const Statistic& each : component.statistics()) {
    if (each.name == name) return *each.value;
  }
  throw std::logic_error("no statistic '" + name + "'");
}

// What the program says to the override.
std::string error_of(const std::string& key, const std::string& value) {
  const GuideTopology topology;
  try {
    load_machine(topology.path(), {{key, value, ""}}, registry_with_example());
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(its_topology_puts_the_component_into_the_machine) {
  const GuideTopology topology;
  const ComponentRegistry registry = registry_with_example();
  MachineSpec spec = load_machine(topology.path(), {}, registry);
  spec.source_path.clear();  // leaves no cache file behind
  FunctionalModel data;
  PlatformOptions options;
  options.check_protocol = true;
  options.data = &data;
  Platform platform(build_graph(std::move(spec)), registry, options);
  const std::uint64_t address =
      platform.address_map().address_of({MemoryArea::cube_sram, 0, 0, 0, 4096}).encode();
  std::vector<std::uint8_t> bytes(4096, 7);
  FunctionProgram program([&](HostPort& port) {
    port.wait(*port.submit(memory_write({0, 0, 0}, address, bytes)));
    port.wait(*port.submit(memory_read({0, 0, 0}, address, bytes.size())));
  });
  const RunResult result = platform.run(program);
  BOOST_TEST(result.error == "");
  const Component& sram = platform.component(platform.graph().at("sip0.cube0.sram"));
  BOOST_TEST(statistic(sram, "accesses") == 2U);
  BOOST_TEST(statistic(sram, "bytes") == 8192U);
  BOOST_TEST(statistic(sram, "busy") ==
             2U * (2 + 4096 / 64) * fs_per_ns);  // overhead_ns 2, 64 B per ns
}

BOOST_AUTO_TEST_CASE(wrong_values_end_as_the_guide_says) {
  const std::string one_line = std::regex_replace(guide(), std::regex("\\s+"), " ");
  const std::string sram = "cube.components.sram.attrs.";
  for (const std::string& error :
       {error_of(sram + "port_bw_gbs", "fast"), error_of(sram + "port_bw_gb", "64"),
        error_of("cube.components.hbm_ctrl.impl", "builtin.ported_sram")}) {
    const std::size_t begin = std::min(error.find("found "), error.find("unknown attribute"));
    BOOST_REQUIRE(begin != std::string::npos);
    const std::string what = error.substr(begin, error.find('\n', begin) - begin);
    BOOST_TEST((one_line.find(what) != std::string::npos), what << " is not in the guide");
  }
}

BOOST_AUTO_TEST_SUITE_END()
