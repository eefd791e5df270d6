// docs/json.md names every key that a command prints with --json (spec 10).
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/cli/program.h"
#include "tests/support/temporary_folder.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(json_test)

namespace {

// Below these keys stand names of the user's: parameters, kinds of components, attributes.
const std::set<std::string> open_objects{"parameters", "memories", "attrs", "mean_parts"};

void collect_keys(const nlohmann::json& value, std::set<std::string>& keys) {
  if (value.is_array()) {
    for (const auto& element : value) collect_keys(element, keys);
  }
  if (!value.is_object()) return;
  for (const auto& [key, member] : value.items()) {
    keys.insert(key);
    if (!(open_objects.count(key) == 1 && member.is_object())) collect_keys(member, keys);
  }
}

void check_documented(const std::vector<std::string>& words, const std::string& document) {
  const ProgramResult result = kernbench_program(words);
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  std::set<std::string> keys;
  collect_keys(nlohmann::json::parse(result.out), keys);
  BOOST_TEST(!keys.empty());
  for (const std::string& key : keys) {
    const bool named = document.find('`' + key + '`') != std::string::npos ||
                       document.find('.' + key + '`') != std::string::npos ||
                       document.find('`' + key + '.') != std::string::npos ||
                       document.find('`' + key + "[]") != std::string::npos ||
                       document.find('.' + key + "[]`") != std::string::npos;
    BOOST_TEST(named,
               "'" << key << "' of `kernbench " << words.front() << "` is not in docs/json.md");
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_key_of_the_json_output_is_documented) {
  const std::string document = source_text("docs/json.md");
  BOOST_TEST_REQUIRE(!document.empty());
  const TemporaryFolder folder;
  const std::string requests =
      folder.write("r.csv",
                   "at_ns,initiator,op,target,offset,bytes\n"
                   "0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,4096\n");
  check_documented({"run", "--bench", "matmul-composite", "--topology", "tiny", "--verify-data",
                    "--breakdown", "--operators", "--energy", "--json"},
                   document);
  check_documented({"run", "--bench", "ccl-allreduce", "--topology", "tiny", "--json"}, document);
  check_documented({"traffic", requests, "--topology", "tiny", "--breakdown", "--json"}, document);
  check_documented({"probe", "--topology", "tiny", "--json"}, document);
  check_documented(
      {"route", "sip0.cube0.pe0.pe_dma", "sip0.cube0.hbm_ctrl.pe0", "--topology", "tiny", "--json"},
      document);
  check_documented({"validate", "--group", "hbm", "--json"}, document);
  check_documented({"rtl-compare", "--impl", "builtin.pe_gemm", "--json"}, document);
  check_documented({"rtl-compare", "--impl", "builtin.sram", "--attribute", "size_mb=32", "--json"},
                   document);
  const std::string log = folder.file("log.sqlite"), other = folder.file("other.sqlite");
  for (const std::string& path : {log, other})
    BOOST_TEST_REQUIRE(kernbench_program(joined({"run", "--bench", "ccl-allreduce", "--op-log",
                                                 path, "--seed", path == log ? "1" : "2"},
                                                six_small_sips))
                           .status == 0);
  check_documented({"inspect", log, "--json"}, document);
  check_documented({"inspect", log, "--top", "--timeline", "--critical-path", "--stages",
                    "--compare", other, "--json"},
                   document);
  check_documented({"list", "--json"}, document);
  check_documented({"list", "components", "--json"}, document);
  check_documented({"list", "topologies", "--json"}, document);
  check_documented({"list", "signals", "--topology", "tiny", "--json"}, document);
  check_documented({"list", "algorithms", "--json"}, document);
  check_documented({"topology", "--topology", "tiny", "--format", "json"}, document);
}

BOOST_AUTO_TEST_SUITE_END()
