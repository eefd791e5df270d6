// components.yaml (spec 12).
#include "platform/config/components_file.h"

#include <boost/test/unit_test.hpp>

#include "tests/topology/machines.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(components_file)

BOOST_AUTO_TEST_CASE(shipped_file_names_every_builtin) {
  const ComponentsFile file = load_components_file(source_dir + "/configs/components.yaml");
  ComponentRegistry all = make_registry();
  BOOST_TEST(file.aliases.size() == all.list().size());
  BOOST_TEST(file.plugins.empty());
  apply_aliases(file, all);
  BOOST_TEST(file.aliases.size() == all.list().size());  // each is its own factory
}

BOOST_AUTO_TEST_CASE(a_second_name_can_be_used_in_a_topology) {
  const TemporaryFolder dir;
  const std::string path = dir.write(
      "components.yaml",
      "components: {custom.gemm: builtin.pe_gemm}\nplugins: [libmine.so, /opt/other.so]\n");
  const ComponentsFile file =
      load_components_file(path, {{"components.my.router", "builtin.forwarding"}});
  BOOST_TEST(file.plugins[0] == dir.file("libmine.so"));
  BOOST_TEST(file.plugins[1] == "/opt/other.so");
  ComponentRegistry all = make_registry();
  apply_aliases(file, all);
  const MachineSpec spec =
      load_machine(default_topology,
                   {{"cube.pe_template.components.pe_gemm.impl", "custom.gemm"},
                    {"cube.components.router.impl", "my.router"}},
                   all);
  BOOST_TEST(spec.cube.engines.at("pe_gemm").impl == "custom.gemm");
  BOOST_TEST(spec.cube.router.impl == "my.router");
}

BOOST_AUTO_TEST_CASE(an_unknown_factory_is_an_error_with_its_place) {
  const TemporaryFolder dir;
  const std::string path =
      dir.write("components.yaml",
                "components:\n  custom.gemm: builtin.pe_gem\n  builtin.noc: builtin.ucie\n");
  ComponentRegistry all = make_registry();
  try {
    apply_aliases(load_components_file(path), all);
    BOOST_FAIL("accepted");
  } catch (const ConfigError& error) {
    BOOST_REQUIRE(error.issues().size() == 2U);
    BOOST_TEST(error.issues()[0].line == 2);
    BOOST_TEST(
        error.issues()[0].message ==
        "found 'builtin.pe_gem', allowed is a registered factory; did you mean 'builtin.pe_gemm'?");
    BOOST_TEST(error.issues()[1].key == "components.builtin.noc");
  }
}

BOOST_AUTO_TEST_CASE(unknown_keys_are_errors) {
  const TemporaryFolder dir;
  BOOST_CHECK_THROW(
      load_components_file(dir.write("components.yaml", "components: {}\nplugin: []\n")),
      ConfigError);
  BOOST_CHECK_THROW(load_components_file(dir.file("absent.yaml")), ConfigError);
}

BOOST_AUTO_TEST_SUITE_END()
