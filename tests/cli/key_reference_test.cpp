// `list keys`: the reference in configs/README.md is what the program prints, and --set takes what
// the reference lists.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(key_reference)

namespace {

std::string read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

nlohmann::json key_of(const nlohmann::json& keys, const std::string& name) {
  const auto found =
      std::find_if(keys.begin(), keys.end(), [&](const auto& each) { return each["key"] == name; });
  BOOST_REQUIRE_MESSAGE(found != keys.end(), name << " is not listed");
  return *found;
}

std::string without_rtl(const std::string& page) {
  std::istringstream lines(page);
  std::string rest;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("| `rtl.", 0) != 0) rest += line + '\n';
  }
  return rest;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_reference_in_the_readme_is_what_the_program_prints) {
  const std::string page = read(KERNBENCH_SOURCE_DIR "/configs/README.md");
  const std::string mark = "<!-- keys -->\n";
  const std::size_t at = page.find(mark);
  BOOST_REQUIRE(at != std::string::npos);
  const std::string program = kernbench_program({"list", "keys", "--markdown"}).out;
  const bool has_rtl = program.find("\n| `rtl.") != std::string::npos;  // built with Verilator
  std::istringstream written(has_rtl ? page.substr(at + mark.size())
                                     : without_rtl(page.substr(at + mark.size())));
  std::istringstream printed(program);
  std::size_t lines = 0;
  for (std::string expected, found; std::getline(printed, expected); ++lines) {
    std::getline(written, found);
    BOOST_REQUIRE_MESSAGE(found == expected, "configs/README.md has\n  "
                                                 << found << "\nthe program\n  " << expected
                                                 << "\nwrite it anew as the page says");
  }
  std::string more;
  BOOST_TEST(!std::getline(written, more), "behind the reference: " << more);
  BOOST_TEST(lines > 200U);
}

BOOST_AUTO_TEST_CASE(keys_are_listed_for_every_file) {
  const auto json = nlohmann::json::parse(kernbench_program({"list", "keys", "--json"}).out);
  const auto flit = key_of(json["topology.yaml"], "system.flit_bytes");
  BOOST_TEST(flit["allowed"] == "an integer, 1 to 65536");
  BOOST_TEST(flit["unit"] == "B");
  BOOST_TEST(flit["default"] == "required");
  BOOST_TEST(key_of(json["topology.yaml"], "cube.memory_map.address_model")["default"] == "va");
  BOOST_TEST(key_of(json["topology.yaml"], "sip.io_chiplets.*.components.ual_ep")["allowed"] ==
             "a component with the role ual_ep");
  BOOST_TEST(key_of(json["topology.yaml"], "cube.pe_template.links.LINK.bw_gbs")["unit"] == "GB/s");
  BOOST_TEST(key_of(json["ccl.yaml"], "defaults.n_slots")["default"] == "4");
  key_of(json["ccl.yaml"], "algorithms.ALGORITHM.root_cube");
  key_of(json["components.yaml"], "components.*");
  const std::string table = kernbench_program({"list", "keys"}).out;
  BOOST_TEST(table.find("system.flit_bytes") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
