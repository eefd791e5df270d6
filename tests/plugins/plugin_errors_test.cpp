// What cannot be loaded ends with a message that names the file, and status 2; nothing crashes
// (spec 12).
#include <elf.h>

#include <boost/test/unit_test.hpp>

#include "models/base/quote.h"
#include "tests/plugins/examples.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(plugin_errors)

namespace {

// `parts` in the message, in order.
void check_plugins_refused(const Words& files, const Words& parts) {
  Words words{"list", "components"};
  for (const std::string& file : files) words = words + Words{"--plugin", file};
  const ProgramResult result = kernbench_program(words);
  BOOST_TEST_CONTEXT(files.back()) {
    BOOST_TEST(result.status == 2, result.status << ": " << result.err);
    BOOST_TEST(result.out == "");
    const std::string begin = "kernbench: error: plug-in " + kernbench::quote(files.back()) + ": ";
    // The message of a constructor of a global object is written by a handler.
    BOOST_TEST(result.err.find(begin) != std::string::npos, result.err);
    std::size_t at = 0;
    for (const std::string& part : parts) {
      at = result.err.find(part, at);
      BOOST_TEST(at != std::string::npos, "'" << part << "' is not in: " << result.err);
    }
  }
}

// A copy with `from`, which is there once, replaced by as many bytes.
std::string patched(const TemporaryFolder& folder, const std::string& from, const std::string& to) {
  std::string bytes = read_file(example("row_hbm"));
  const std::size_t at = bytes.find(from);
  BOOST_REQUIRE(at != std::string::npos);
  return folder.write("patched.so", bytes.replace(at, to.size(), to));
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_plug_in_of_another_version_shows_both_stamps) {
  check_plugins_refused({example("another_version")},
                        {"plug-in  program", "KernBench ", "0.0.9 ", "<- differs", "SystemC "});
}

BOOST_AUTO_TEST_CASE(a_plug_in_of_another_systemc_mode_shows_both_stamps) {
  check_plugins_refused({example("another_cplusplus")},
                        {"SC_CPLUSPLUS", "202002L", "201703L", "<- differs"});
}

BOOST_AUTO_TEST_CASE(a_stamp_of_another_format_is_refused) {
  const TemporaryFolder folder;
  check_plugins_refused({patched(folder, "stamp=1\n", "stamp=2\n")},
                        {"stamp", "2", "1", "<- differs"});
  check_plugins_refused({patched(folder, "stamp=1\n", "stamp=0\n")},
                        {"stamp", "0", "1", "<- differs"});
}

BOOST_AUTO_TEST_CASE(another_systemc_is_refused) {
  const TemporaryFolder folder;
  check_plugins_refused({patched(folder, "SystemC=2.3.4", "SystemC=2.3.3")},
                        {"SystemC", "2.3.3", "2.3.4", "<- differs"});
}

BOOST_AUTO_TEST_CASE(what_is_no_plug_in_is_refused) {
  const TemporaryFolder folder;
  check_plugins_refused({folder.file("nothing.so")}, {"there is no such file"});
  check_plugins_refused({folder.root.string()}, {"it is not a regular file"});
  check_plugins_refused({folder.write("text.so", "plugins: []\n")}, {"it is not an ELF file"});
  check_plugins_refused({folder.write("empty.so", "")}, {"it is not an ELF file"});
  check_plugins_refused({KERNBENCH_PROGRAM}, {"it has no ABI stamp of KernBench"});
  check_plugins_refused({example("plain_library")}, {"it has no ABI stamp of KernBench"});
  check_plugins_refused({example("no_entry")}, {"it has a stamp but no entry"});
}

BOOST_AUTO_TEST_CASE(a_file_for_another_machine_or_cut_short_is_refused) {
  const TemporaryFolder folder;
  std::string bytes = read_file(example("row_hbm"));
  const std::string whole = bytes;
  bytes[18] = static_cast<char>(EM_S390);
  check_plugins_refused({folder.write("machine.so", bytes)}, {"it is for another machine"});
  bytes = whole;
  bytes[EI_CLASS] = ELFCLASS32;
  check_plugins_refused({folder.write("narrow.so", bytes)}, {"it is for another kind of machine"});
  for (const std::size_t size : {std::size_t{20}, std::size_t{100}, whole.size() / 8})
    check_plugins_refused({folder.write("cut.so", whole.substr(0, size))},
                          {"the file is cut short"});
}

BOOST_AUTO_TEST_CASE(a_registration_that_fails_is_reported) {
  check_plugins_refused({example("throws")}, {"its registration has failed: no licence"});
  check_plugins_refused({example("throws_an_integer")},
                        {"its registration has failed: an exception that is not a std::exception"});
  check_plugins_refused({example("throws_when_loaded")},
                        {"a constructor of its global objects has failed: no licence"});
  check_plugins_refused({example("exits_when_loaded")},
                        {"a constructor of its global objects has failed: it has called exit(0)"});
  check_plugins_refused({example("exits")}, {"its registration has failed: it has called exit(0)"});
  check_plugins_refused({example("aborts")},
                        {"its registration has failed: it has called abort() (SIGABRT)"});
#ifndef __SANITIZE_ADDRESS__
  const std::string null = "it has accessed the invalid address 0x0 (SIGSEGV)";
  check_plugins_refused({example("crashes_when_loaded")},
                        {"a constructor of its global objects has failed: " + null});
  check_plugins_refused({example("crashes")}, {"its registration has failed: " + null});
#endif
  check_plugins_refused({example("brings_nothing")},
                        {"has added no component, module, bench or algorithm"});
  check_plugins_refused({example("no_factory")}, {"its component 'acme.nothing' has no factory"});
}

BOOST_AUTO_TEST_CASE(an_undefined_symbol_is_named) {
  check_plugins_refused({example("undefined_symbol")},
                        {"it cannot be loaded", "nowhere_defined(int)"});
}

BOOST_AUTO_TEST_CASE(a_name_that_is_taken_is_refused_with_its_owner) {
  check_plugins_refused({example("name_clash")},
                        {"the name of its component 'builtin.sram' is taken: it is built in"});
}

BOOST_AUTO_TEST_CASE(the_same_plug_in_twice_is_refused) {
  const TemporaryFolder folder;
  check_plugins_refused({example("row_hbm"), example("row_hbm")}, {"it is named twice"});
  const std::string link = folder.file("link.so");
  std::filesystem::create_symlink(example("row_hbm"), link);
  check_plugins_refused({example("row_hbm"), link},
                        {"it is named twice, also as", "librow_hbm.so"});
  const std::string copy = folder.file("copy.so");
  std::filesystem::copy(example("row_hbm"), copy);
  check_plugins_refused({example("row_hbm"), copy},
                        {"its name 'acme_hbm' is that of the plug-in", "librow_hbm.so"});
}

BOOST_AUTO_TEST_CASE(a_factory_that_fails_is_reported_with_the_node) {
  const auto refused = [](const std::string& impl, int status, const std::string& message) {
    const ProgramResult result =
        kernbench_program({"run", "--bench", "gemm-single-pe", "--topology", "tiny", "--plugin",
                           example("makes_nothing"), "--set",
                           "cube.pe_template.components.pe_math={impl: " + impl + ", attrs: {}}"});
    BOOST_TEST(result.status == status, result.err);
    BOOST_TEST(result.err == "kernbench: error: 'sip0.cube0.pe0.pe_math': " + message + "\n");
  };
  refused("acme.nothing", 2, "the factory of 'acme.nothing' has returned null");
  refused("acme.thrower", 1, "its implementation 'acme.thrower' cannot be built: no licence");
  refused("acme.leaver", 1,
          "its implementation 'acme.leaver' cannot be built: it has called exit(0)");
}

// Guards of the program hold for code of plug-ins.
BOOST_AUTO_TEST_CASE(a_kernel_of_a_plug_in_that_misbehaves_is_reported) {
  const auto reported = [](const std::string& how, const std::string& what) {
    const ProgramResult result =
        kernbench_program({"run", "--bench", "acme-unruly", "--param", "how=" + how, "--topology",
                           "tiny", "--plugin", example("unruly_bench")});
    BOOST_TEST(result.status == 1, result.status << ": " << result.err);
    BOOST_TEST(result.err.find("kernel 'unruly'") != std::string::npos, result.err);
    BOOST_TEST(result.err.find(what) != std::string::npos, result.err);
  };
  reported("exit", "has called exit(0)");
  reported("null", "has accessed the invalid address 0x8");
  reported("throw", "no licence");
  reported("stop", "has called sc_stop()");
}

BOOST_AUTO_TEST_CASE(a_component_of_a_plug_in_that_throws_is_named) {
  const TemporaryFile csv("requests.csv",
                          "at_ns,initiator,op,target,offset,bytes\n"
                          "0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.sram,0,64\n");
  const ProgramResult result = kernbench_program(
      {"traffic", csv.path(), "--topology", "tiny", "--plugin", example("unruly_bench"), "--set",
       "cube.components.sram.impl=acme.throwing_memory"});
  BOOST_TEST(result.status == 1, result.err);
  BOOST_TEST(result.err.find("sip0.cube0.sram at ") != std::string::npos, result.err);
  BOOST_TEST(result.err.find("no licence") != std::string::npos, result.err);
}

BOOST_AUTO_TEST_CASE(every_command_that_reads_a_machine_loads_plug_ins) {
  const Words plugin{"--plugin", "nothing.so"};
  for (const Words& command :
       {Words{"run", "--bench", "gemm-single-pe"}, Words{"topology"}, Words{"probe"},
        Words{"traffic", "--generate", "stream"},
        Words{"route", "sip0.io0.pcie_ep", "sip0.cube0.hbm_ctrl.pe0"}, Words{"list"},
        Words{"list", "components"}, Words{"list", "algorithms"}}) {
    const ProgramResult result = kernbench_program(command + plugin);
    BOOST_TEST(result.status == 2);
    BOOST_TEST(result.err == "kernbench: error: plug-in 'nothing.so': there is no such file\n");
  }
}

BOOST_AUTO_TEST_CASE(results_are_not_written_over_a_plug_in) {
  const TemporaryFolder folder;
  const std::string copy = folder.file("acme.json");
  std::filesystem::copy(example("row_hbm"), copy);
  const ProgramResult result = kernbench_program({"run", "--bench", "gemm-single-pe", "--topology",
                                                  "tiny", "--plugin", copy, "--stats", copy});
  BOOST_TEST(result.status == 2);
  BOOST_TEST(read_file(copy) == read_file(example("row_hbm")));
}

BOOST_AUTO_TEST_SUITE_END()
