// The energy table (spec 11.8): values and units, overrides, and its errors, which name the place.
#include "platform/energy/energy_table.h"

#include <boost/test/unit_test.hpp>
#include <sstream>

#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(energy_table_test)

namespace {

EnergyTable table_of(const std::string& text, const std::vector<Override>& overrides = {}) {
  const TemporaryFolder folder;
  return load_energy_table(folder.write("energy.yaml", text), overrides);
}

std::string fault_of(const std::string& text, const std::vector<Override>& overrides = {}) {
  return error_of<ConfigError>([&] { table_of(text, overrides); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(energies_are_of_an_action_or_of_the_bits_of_a_byte) {
  const EnergyTable table = table_of(
      "components:\n"
      "  pe_gemm: {macs_f16: {pj: 0.75, process: 7 nm, source: a book}, static: {w: 0.5}}\n"
      "  sram: {bytes_read: {pj_per_bit: 0.25}}\n"
      "links:\n"
      "  pcie: {bytes: {pj_per_bit: 6}}\n");
  const EnergyEntry* const macs = table.find({false, "pe_gemm"}, "macs_f16");
  BOOST_TEST_REQUIRE(macs != nullptr);
  BOOST_TEST(macs->pj == 0.75);
  BOOST_TEST(macs->process == "7 nm");
  BOOST_TEST(macs->source == "a book");
  BOOST_TEST(table.find({false, "pe_gemm"}, "static")->w == 0.5);
  BOOST_TEST(table.find({false, "sram"}, "bytes_read")->pj == 8 * 0.25);
  BOOST_TEST(table.find({false, "sram"}, "bytes_read")->source == "assumption");
  BOOST_TEST(table.find({true, "pcie"}, "bytes")->pj == 8 * 6);
  BOOST_TEST(table.find({false, "pcie"}, "bytes") == nullptr);
  BOOST_TEST(table.find({false, "sram"}, "bytes_written") == nullptr);
}

BOOST_AUTO_TEST_CASE(an_override_changes_or_adds_an_entry) {
  const EnergyTable table = table_of("components: {pe_mmu: {look_ups: {pj: 1}}}\n",
                                     {{"components.pe_mmu.look_ups.pj", "2", "energy:"},
                                      {"components.pe_mmu.walks.pj", "3", "energy:"}});
  BOOST_TEST(table.find({false, "pe_mmu"}, "look_ups")->pj == 2);
  BOOST_TEST(table.find({false, "pe_mmu"}, "walks")->pj == 3);
}

BOOST_AUTO_TEST_CASE(errors_name_the_place_and_what_is_allowed) {
  check_contains(fault_of("components:\n  pe_gem: {macs_f16: {pj: 1}}\n"),
                 {"energy.yaml:2:", "components.pe_gem: unknown key; did you mean 'pe_gemm'?"});
  check_contains(fault_of("components: {sram: {bytes_read: {pj: -1}}}\n"),
                 {"components.sram.bytes_read.pj: found -1, allowed is a number, 0 to"});
  check_contains(fault_of("components: {sram: {bytes_read: {pj: 1, pj_per_bit: 1}}}\n"),
                 {"components.sram.bytes_read: ",
                  "found pj and pj_per_bit, allowed is one value, pj or pj_per_bit"});
  check_contains(fault_of("components: {sram: {static: {pj: 1}}}\n"),
                 {"components.sram.static: found pj, allowed is one value, w: the static power"});
  check_contains(fault_of("links: {ucie_mash: {bytes: {pj: 1}}}\n"),
                 {"links.ucie_mash: unknown key; did you mean 'ucie_mesh'?"});
  check_contains(fault_of("{}", {{"components.sram.bytes_read.pj", "much", "energy:"}}),
                 {"--set energy:components.sram.bytes_read.pj=much", "found 'much'"});
  check_contains(error_of<ConfigError>([] { load_energy_table("/no/such.yaml", {}); }),
                 {"/no/such.yaml"});
}

// Every kind of the shipped table has its static power, and each value its origin.
BOOST_AUTO_TEST_CASE(the_shipped_table_has_all_kinds_with_their_sources) {
  const std::string path = std::string(KERNBENCH_SOURCE_DIR) + "/configs/energy.yaml";
  const EnergyTable table = load_energy_table(path, {});
  for (const RoleInfo& role : role_table) {
    if (role.role == Role::tlm_initiator || role.role == Role::tlm_target) continue;  // of users
    BOOST_TEST((table.find({false, std::string(role.name)}, "static") != nullptr), role.name);
  }
  std::size_t entries = 0, sources = 0;
  for (const auto& [kind, actions] : table.entries()) entries += actions.size();
  std::istringstream lines(read_file(path));
  for (std::string line; std::getline(lines, line);) {
    const bool is_comment = line.find_first_not_of(' ') == line.find('#');
    if (!is_comment && contains(line, "source: ")) ++sources;  // an entry per line
  }
  BOOST_TEST(entries > 70U);
  BOOST_TEST(sources == entries);
}

BOOST_AUTO_TEST_SUITE_END()
