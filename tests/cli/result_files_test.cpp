// No result overwrites another result, an input or a file of the shell's redirection: whatever the
// names of the files (spec 10).
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(result_files)

namespace {

namespace fs = std::filesystem;
// Programs start in the folder of this process.
class InFolder {
 public:
  InFolder() { fs::current_path(folder_.file("")); }
  ~InFolder() { fs::current_path(before_); }
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;
  const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
  fs::path before_ = fs::current_path();
};

Words on_tiny(const Words& more) {
  Words words{"run", "--bench", "qkv-gemm", "--topology", "tiny"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

void check_refused_together(const std::string& one, const std::string& other) {
  check_refused(on_tiny({"--trace-requests", one, "--stats", other}),
                {"the result '" + other + "' would overwrite the result '" + one + "'"});
  BOOST_TEST((fs::is_symlink(one) || !fs::exists(one) || fs::file_size(one) == 0));
}

}  // namespace

BOOST_AUTO_TEST_CASE(spellings_of_a_file_that_is_not_there_yet) {
  const InFolder here;
  fs::create_directory("sub");
  for (const std::string other : {"./new", "sub/../new", ".//new", "sub/.././new"})
    check_refused_together("new", other);
  check_refused_together("new", here.folder().file("new"));
  fs::create_directory_symlink(".", "loop");
  check_refused_together("new", "loop/loop/new");
}

BOOST_AUTO_TEST_CASE(hard_links_of_one_file) {
  const InFolder here;
  here.folder().write("one", "");
  fs::create_hard_link("one", "two");
  check_refused_together("one", "two");
}

BOOST_AUTO_TEST_CASE(links_to_a_file_that_is_there_or_is_not) {
  const InFolder here;
  fs::create_directory("sub");
  fs::create_symlink("new", "link");
  fs::create_symlink("../link", "sub/link_of_link");
  check_refused_together("new", "link");
  check_refused_together("link", "sub/link_of_link");
  here.folder().write("new", "");
  check_refused_together("link", "new");
  check_refused_together("sub/link_of_link", "new");
}

BOOST_AUTO_TEST_CASE(the_configuration_written_next_to_a_result_is_a_result) {
  const InFolder here;
  check_refused(on_tiny({"--trace-requests", "x", "--stats", "./x.config.yaml"}),
                {"the result './x.config.yaml' would overwrite 'x.config.yaml', the configuration "
                 "next to 'x'"});
  check_refused(on_tiny({"--trace-requests", "x.config.yaml", "--stats", "x"}),
                {"'x.config.yaml', the configuration next to 'x', would overwrite the result "
                 "'x.config.yaml'"});
  fs::create_symlink("y", "x.config.yaml");
  check_refused(on_tiny({"--stats", "x", "--trace-requests", "y"}), {"would overwrite"});
  BOOST_TEST(!fs::exists("x"));
}

BOOST_AUTO_TEST_CASE(inputs_of_all_kinds) {
  const InFolder here;
  here.folder().write("base.yaml", "include: " KERNBENCH_SOURCE_DIR
                                   "/configs/topology.tiny.yaml\nsystem: {ns_per_mm: 0.2}\n");
  here.folder().write("machine.yaml", "include: base.yaml\nsystem: {flit_bytes: 128}\n");
  fs::create_hard_link("base.yaml", "hard");
  for (const std::string file : {"machine.yaml", "./machine.yaml", "base.yaml", "hard"})
    check_refused({"run", "--bench", "qkv-gemm", "--topology", "machine.yaml", "--stats", file},
                  {"would overwrite the input '"});
  check_refused(
      {"run", "--bench", "qkv-gemm", "--topology", "machine.yaml", "--stats", "cube_mesh.yaml"},
      {"would overwrite the layout of a cube, '"});
  for (const std::string name :
       {"topology.tiny.yaml", "topology.yaml", "components.yaml", "ccl.yaml"})
    check_refused(on_tiny({"--stats", KERNBENCH_SOURCE_DIR "/configs/" + name}),
                  {"would overwrite the input '"});
}

BOOST_AUTO_TEST_CASE(the_standard_output_where_it_is_kept) {
  const InFolder here;
  here.folder().write("requests.csv",
                      "at_ns,initiator,op,target,offset,bytes\n0,sip0.cube0.pe0.pe_dma,read,sip0."
                      "cube0.sram,0,64\n");
  for (const char* name : {"log", "other"}) here.folder().write(name, "");
  const Words words{"traffic", "requests.csv",     "--topology", "tiny",
                    "--csv",   "--trace-requests", "log"};
  ProgramResult result = kernbench_program(words, {}, "log");
  BOOST_TEST(result.status == 2);
  BOOST_TEST(
      result.err.find("the result 'log' would overwrite the standard output of this command") !=
          std::string::npos,
      result.err);
  result = kernbench_program(words, {}, "other");
  BOOST_TEST(result.status == 0, result.err);
  BOOST_TEST(here.folder().read("log").find("\"kind\":\"read\"") != std::string::npos);
}

// Nothing is kept, so nothing is lost; two results in one pipe are lost to each other.
BOOST_AUTO_TEST_CASE(dev_null_takes_any_number_and_a_pipe_one) {
  const InFolder here;
  BOOST_TEST(kernbench_program(on_tiny({"--stats", "/dev/null", "--trace-requests", "/dev/null",
                                        "--trace", "/dev/null"}))
                 .status == 0);
  fs::create_symlink("/dev/null", "hole");
  BOOST_TEST(
      kernbench_program(on_tiny({"--stats", "hole", "--trace-requests", "/dev/null"})).status == 0);
  BOOST_REQUIRE(::mkfifo("pipe", 0600) == 0);
  check_refused(on_tiny({"--trace-requests", "pipe", "--stats", "./pipe"}),
                {"the result './pipe' would overwrite the result 'pipe'"});
}

BOOST_AUTO_TEST_CASE(different_files_are_no_conflict) {
  const InFolder here;
  fs::create_directory("sub");
  const ProgramResult result = kernbench_program(
      on_tiny({"--stats", "x.json", "--trace-requests", "sub/x.json", "--trace", "x.vcd"}));
  BOOST_TEST(result.status == 0, result.err);
  BOOST_TEST(fs::file_size("x.json") > 1000U);
  BOOST_TEST(fs::file_size("sub/x.json") > 1000U);
}

BOOST_AUTO_TEST_SUITE_END()
