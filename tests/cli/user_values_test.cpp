// Whatever a user writes comes back cut and without control characters.
#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(user_values)

namespace {

// Refused in a few lines of text.
void check_told_briefly(const Words& words) {
  const ProgramResult result = kernbench_program(words);
  std::string line = "kernbench";
  for (const std::string& word : words) line += " '" + word.substr(0, 30) + "'";
  BOOST_TEST_CONTEXT(line) {
    BOOST_TEST(result.status == 2, result.status << ": " << result.err.substr(0, 1000));
    BOOST_TEST(result.err.size() < 4000U, result.err.size() << " bytes");
    BOOST_TEST(std::none_of(result.err.begin(), result.err.end(),
                            [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7f; }));
    BOOST_TEST(std::count(result.err.begin(), result.err.end(), '\n') < 12);
    BOOST_TEST(result.cpu_s < 10);
  }
}

const std::string long_value(100'000, 'x');
const std::string steering = "a\x1b[2J\r\n\x07kernbench: error: a line of its own\tb\x7f\xff";
const Words bad_values{long_value, steering};

const Words run{"run", "--topology", "tiny", "--bench", "gemm-single-pe"};
const Words traffic{"traffic", "--topology", "tiny", "--generate", "stream"};

}  // namespace

BOOST_AUTO_TEST_CASE(of_options) {
  for (const std::string& value : bad_values) {
    check_told_briefly({value});
    check_told_briefly({"run", "--" + value});
    check_told_briefly({"run", "--bench", value});
    check_told_briefly({"run", "--bench", "gemm-single-pe", "--topology", value});
    for (const char* option :
         {"--device", "--param", "--until", "--max-wall", "--deadlock-after", "--seed", "--data",
          "--set", "--ccl", "--components", "--op-log", "--op-log-limit", "--max-memory",
          "--data-memory", "--trace-scope", "--trace-window", "--trace-when"}) {
      check_told_briefly(joined(run, {option, value}));
    }
    check_told_briefly(joined(run, {"--verify-data=" + value}));
    check_told_briefly(joined(run, {"--trace", "/dev/null", "--trace-scope", value}));
    check_told_briefly(joined(run, {"--stats", "/nowhere/" + value}));
    for (const char* parameter : {"M=", "dtype=", "compute="})
      check_told_briefly(joined(run, {"--param", parameter + value}));
    check_told_briefly(joined(run, {"--param", value + "=1"}));
    for (const char* option : {"--initiators", "--targets", "--rate", "--read-share", "--size",
                               "--requests", "--max-outstanding"})
      check_told_briefly(joined(traffic, {option, value}));
    check_told_briefly({"traffic", "--generate", value});
    check_told_briefly({"traffic", value});
    check_told_briefly({"route", value, "sip0.cube0.sram", "--topology", "tiny"});
    check_told_briefly({"probe", "--case", value, "--topology", "tiny"});
    check_told_briefly({"validate", "--group", value});
    check_told_briefly({"topology", "--format", value});
    check_told_briefly({"list", value});
  }
}

BOOST_AUTO_TEST_CASE(of_set) {
  for (const std::string& value : bad_values) {
    for (const std::string key :
         {"system.flit_bytes", "system.sips.topology", "cube.components.router.impl",
          "cube.pe_layout.corners.0", "sip.io_chiplets.io0.cube_ports.0.phy",
          "sip.io_chiplets.0.id", "system.tlm_initiators.0",
          "cube.components.router.attrs.overhead_ns", "ccl:defaults.algorithm",
          "components:components.mine"}) {
      check_told_briefly(joined(run, {"--set", key + "=" + value}));
      check_told_briefly(joined(run, {"--set", key + "=\"" + value + "\""}));
    }
    for (const std::string before :
         {"", "system.", "sip.io_chiplets.", "cube.components.router.attrs.",
          "ccl:", "ccl:algorithms.", "components:components."}) {
      check_told_briefly(joined(run, {"--set", before + value + "=1"}));
    }
  }
}

BOOST_AUTO_TEST_CASE(of_files) {
  const TemporaryFolder folder;
  for (const std::string& value : bad_values) {
    std::string escaped;  // as YAML has it in double quotes
    for (const char c : value) {
      const char* digits = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(c);
      if (c == 'x')
        escaped += c;
      else
        escaped += std::string("\\x") + digits[byte >> 4U] + digits[byte & 15U];
    }
    const std::string topology = folder.write(
        "t.yaml", "include: " KERNBENCH_SOURCE_DIR "/configs/topology.tiny.yaml\nsystem: {\"" +
                      escaped + "\": 1, flit_bytes: \"" + escaped + "\", tlm_initiators: [{id: \"" +
                      escaped + "\", attach: \"" + escaped + "\", bridge: {impl: \"" + escaped +
                      "\"}}]}\n");
    check_told_briefly({"topology", "--topology", topology});
    check_told_briefly(
        {"topology", "--topology", folder.write("i.yaml", "include: \"" + escaped + "\"\n")});
    check_told_briefly({"topology", "--topology", folder.write("r.yaml", value)});
    const std::string header = "at_ns,initiator,op,target,offset,bytes\n";
    const std::string one_line = value.substr(0, value.find('\n'));
    for (const std::string& row :
         {one_line, one_line + ",sip0.cube0.pe0.pe_dma,read,sip0.cube0.sram,0,64",
          "0," + one_line + ",read,sip0.cube0.sram,0,64",
          "0,sip0.cube0.pe0.pe_dma," + one_line + ",sip0.cube0.sram,0,64",
          "0,sip0.cube0.pe0.pe_dma,read," + one_line + ",0,64",
          "0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.sram," + one_line + ",64",
          "0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.sram,0," + one_line}) {
      check_told_briefly(
          {"traffic", "--topology", "tiny", folder.write("t.csv", header + row + "\n")});
    }
    check_told_briefly({"traffic", "--topology", "tiny", folder.write("h.csv", one_line + "\n")});
  }
}

BOOST_AUTO_TEST_SUITE_END()
