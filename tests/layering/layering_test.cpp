// The tree keeps to the table of allowed includes, and the check of it finds what breaks the table.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/layering/layering_rules.h"
#include "tests/support/temporary_folder.h"

namespace fs = std::filesystem;
using kernbench::layering::check_layering;
using kernbench::layering::parse_rules;
using kernbench::layering::Rules;

BOOST_AUTO_TEST_SUITE(layering_test)

namespace {

const fs::path source_dir = KERNBENCH_SOURCE_DIR;

Rules shipped_rules() {
  std::ifstream file(source_dir / "tests/layering/allowed_includes.txt");
  BOOST_REQUIRE(file);
  return parse_rules(file);
}

std::string join(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += '\n' + line;
  return text;
}

// A small tree of its own, without faults, to which each case adds one.
struct Tree : kernbench::test::TemporaryFolder {
  Tree() {
    write("models/base/units.h", "#pragma once\n#include <string>\n");
    write("models/noc/link.h", "#pragma once\n#include \"models/base/units.h\"\n");
    write("models/noc/link.cpp", "#include \"models/noc/link.h\"\n");
    write("models/noc/CMakeLists.txt",
          "kernbench_library(models_noc\n  SOURCES\n    link.cpp\n)\n");
    write("models/pe/pe_dma.h", "#pragma once\n");
    write("sw/tl/tl.h", "#pragma once\n#include \"models/base/units.h\"\n");
    write("platform/assembly/platform.h", "#pragma once\n#include \"models/noc/link.h\"\n");
  }

  // The one fault of the tree after the text was written to the path; "" if there is none.
  std::string fault_of(const std::string& path, const std::string& text) const {
    write(path, text);
    const auto faults = check_layering(root, shipped_rules());
    BOOST_TEST(faults.size() <= 1u, join(faults));
    return faults.empty() ? "" : faults.front();
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(this_tree_keeps_to_the_table) {
  const auto faults = check_layering(source_dir, shipped_rules());
  BOOST_TEST(faults.empty(), join(faults));
}

BOOST_FIXTURE_TEST_CASE(a_tree_without_faults_passes, Tree) {
  BOOST_TEST(check_layering(root, shipped_rules()).empty());
}

BOOST_FIXTURE_TEST_CASE(a_component_may_not_include_another_component, Tree) {
  BOOST_TEST(fault_of("models/noc/link.h",
                      "#pragma once\n  #  include \"models/pe/pe_dma.h\"  // why not\n") ==
             "models/noc/link.h:2: models/noc may not include models/pe (\"models/pe/pe_dma.h\")");
}

BOOST_FIXTURE_TEST_CASE(base_may_not_include_anything_of_ours, Tree) {
  BOOST_TEST(
      fault_of("models/base/units.h", "#pragma once\n#include \"models/noc/link.h\"\n") ==
      "models/base/units.h:2: models/base may not include models/noc (\"models/noc/link.h\")");
}

BOOST_FIXTURE_TEST_CASE(software_may_not_include_the_platform_or_a_component, Tree) {
  BOOST_TEST(
      fault_of("sw/tl/tl.h", "#pragma once\n#include \"platform/assembly/platform.h\"\n") ==
      "sw/tl/tl.h:2: sw/tl may not include platform/assembly (\"platform/assembly/platform.h\")");
  BOOST_TEST(fault_of("sw/tl/tl.h", "#pragma once\n#include \"models/noc/link.h\"\n") ==
             "sw/tl/tl.h:2: sw/tl may not include models/noc (\"models/noc/link.h\")");
}

BOOST_FIXTURE_TEST_CASE(the_platform_may_not_include_software, Tree) {
  BOOST_TEST(
      fault_of("platform/assembly/platform.h", "#pragma once\n#include \"sw/tl/tl.h\"\n") ==
      "platform/assembly/platform.h:2: platform/assembly may not include sw/tl (\"sw/tl/tl.h\")");
}

BOOST_FIXTURE_TEST_CASE(includes_of_ours_are_paths_from_the_root, Tree) {
  BOOST_TEST(fault_of("models/noc/link.cpp", "#include \"link.h\"\n") ==
             "models/noc/link.cpp:1: \"link.h\" is not a path from the root of the repository");
  BOOST_TEST(fault_of("models/noc/link.cpp", "#include \"models/noc/../base/units.h\"\n") ==
             "models/noc/link.cpp:1: \"models/noc/../base/units.h\" is not a path from the root of "
             "the repository");
  BOOST_TEST(fault_of("models/noc/link.cpp", "#include <models/noc/link.h>\n") ==
             "models/noc/link.cpp:1: <models/noc/link.h> is ours and is included with quotes");
}

BOOST_FIXTURE_TEST_CASE(external_libraries_stay_in_their_libraries, Tree) {
  BOOST_TEST(fault_of("models/noc/link.cpp", "#include <yaml-cpp/yaml.h>\n") ==
             "models/noc/link.cpp:1: models/noc may not include <yaml-cpp/yaml.h>");
  BOOST_TEST(fault_of("models/noc/link.cpp", "#include <fstream>\n") ==
             "models/noc/link.cpp:1: models/noc may not include <fstream>");
  BOOST_TEST(fault_of("models/noc/link.cpp", "#include <systemc>\n") == "");
}

BOOST_FIXTURE_TEST_CASE(the_reference_of_phase_2_shares_no_code_with_its_kernels, Tree) {
  write("platform/phase2/CMakeLists.txt",
        "kernbench_library(platform_phase2 SOURCES job.cpp reference_op.cpp)\n");
  write("platform/phase2/reference_op.h", "#pragma once\n");
  write("platform/phase2/job.h", "#pragma once\n");
  write("models/data/integer_math.h", "#pragma once\n");
  BOOST_TEST(fault_of("platform/phase2/job.cpp", "#include \"models/data/integer_math.h\"\n") ==
             "");
  BOOST_TEST(fault_of("platform/phase2/reference_op.cpp",
                      "#include \"platform/phase2/reference_op.h\"\n"
                      "#include \"platform/phase2/job.h\"\n") ==
             "platform/phase2/reference_op.cpp:2: platform/phase2/reference_* may not include "
             "\"platform/phase2/job.h\"");
  BOOST_TEST(
      fault_of("platform/phase2/reference_op.cpp", "#include \"models/data/integer_math.h\"\n") ==
      "platform/phase2/reference_op.cpp:1: platform/phase2/reference_* may not include "
      "\"models/data/integer_math.h\"");
}

BOOST_FIXTURE_TEST_CASE(what_a_library_never_may_it_may_not_reach_through_others, Tree) {
  write("models/base/component.h", "#pragma once\n#include <systemc>\n");
  write("models/protocol/path.h", "#pragma once\n#include \"models/base/component.h\"\n");
  BOOST_TEST(check_layering(root, shipped_rules()).empty());
  BOOST_TEST(fault_of("models/timing/rules.h",
                      "#pragma once\n#include \"models/base/units.h\"\n"
                      "#include \"models/protocol/path.h\"\n") ==
             "models/timing/rules.h:3: models/timing may not reach models/protocol/path.h > "
             "models/base/component.h > <systemc>");
  // Another header of the library that includes it is not at fault.
  write("models/timing/more.h", "#pragma once\n#include \"models/timing/rules.h\"\n");
  BOOST_TEST(check_layering(root, shipped_rules()).size() == 1u);
  BOOST_TEST(
      fault_of("models/protocol/path.h", "#pragma once\n#include \"models/base/units.h\"\n") == "");
}

BOOST_AUTO_TEST_CASE(the_table_names_every_arrow_inside_the_platform) {
  for (const auto& rule : shipped_rules().libraries) {
    BOOST_TEST(rule.library != "platform/*");
    if (rule.library.rfind("platform/", 0) != 0) continue;
    for (const std::string& target : rule.may_include)
      BOOST_TEST(target != "platform/*", rule.library);
  }
}

BOOST_AUTO_TEST_CASE(arrows_that_form_a_cycle_are_a_fault) {
  const kernbench::test::TemporaryFolder tree;
  std::istringstream text("library a -> b d\nlibrary b -> c\nlibrary c -> a\nlibrary d ->\n");
  const auto faults = check_layering(tree.root, parse_rules(text));
  BOOST_REQUIRE(faults.size() == 3u);
  BOOST_TEST(faults[0] == "allowed_includes.txt: the arrows lead from a back to it");
}

BOOST_FIXTURE_TEST_CASE(every_library_is_in_the_table, Tree) {
  BOOST_TEST(
      fault_of("models/gpu/core.h", "#pragma once\n") ==
      "models/gpu/core.h: the table of allowed includes does not know the library models/gpu");
}

BOOST_FIXTURE_TEST_CASE(every_source_is_listed, Tree) {
  BOOST_TEST(fault_of("models/noc/switch.cpp", "") ==
             "models/noc/switch.cpp: no CMakeLists.txt lists it");
  write("models/noc/CMakeLists.txt",
        "kernbench_library(models_noc SOURCES link.cpp  # switch.cpp\n)\n");
  BOOST_TEST(check_layering(root, shipped_rules()).size() == 1u);
  write("models/noc/CMakeLists.txt", "kernbench_library(models_noc SOURCES link.cpp switch.cpp)\n");
  BOOST_TEST(check_layering(root, shipped_rules()).empty());
  BOOST_TEST(fault_of("models/noc/policies/round_robin.cpp", "") ==
             "models/noc/policies/round_robin.cpp: no CMakeLists.txt lists it");
  write("models/noc/CMakeLists.txt",
        "kernbench_library(models_noc SOURCES link.cpp switch.cpp policies/round_robin.cpp)\n");
  BOOST_TEST(check_layering(root, shipped_rules()).empty());
}

BOOST_FIXTURE_TEST_CASE(every_folder_is_built, Tree) {
  BOOST_TEST(fault_of("models/CMakeLists.txt",
                      "foreach(library base pe)\n  add_subdirectory(${library})\nendforeach()\n") ==
             "models/noc/CMakeLists.txt: the CMakeLists.txt above does not add its folder");
  BOOST_TEST(
      fault_of("models/CMakeLists.txt",
               "foreach(library base noc pe)\n  add_subdirectory(${library})\nendforeach()\n") ==
      "");
}

BOOST_FIXTURE_TEST_CASE(every_header_is_included_once, Tree) {
  BOOST_TEST(fault_of("models/base/units.h", "// nothing\n") ==
             "models/base/units.h: a header without #pragma once");
}

BOOST_AUTO_TEST_CASE(a_line_that_is_no_rule_is_an_error) {
  std::istringstream text("library a -> b\nlibrary a b\n");
  BOOST_CHECK_EXCEPTION(parse_rules(text), std::runtime_error, [](const auto& error) {
    return std::string(error.what()) == "allowed_includes.txt:2: not a rule";
  });
}

BOOST_AUTO_TEST_SUITE_END()
