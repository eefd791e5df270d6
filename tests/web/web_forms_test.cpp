// Forms of runs: bounds of parameters, completion of keys, the field of a fault (spec 11.5).
#include <boost/test/unit_test.hpp>

#include "tests/web/served_program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(web_forms_test)

namespace {

Json keys_of(const ServedProgram& web, const std::string& query) {
  return web.json("/api/keys?" + query)["keys"];
}

// {"error", "field"} of a refused request.
Json refusal(const ServedProgram& web, const Json& body) {
  const HttpAnswer answer = web.request("POST", "/api/jobs", body.dump());
  BOOST_TEST(answer.status == 400, answer.body);
  return Json::parse(answer.body);
}

}  // namespace

// "an integer, 1 to 1048576"
BOOST_AUTO_TEST_CASE(bounds_of_parameters_are_those_of_their_text) {
  const ServedProgram web({"--topology", "tiny"});
  std::size_t bounded = 0;
  const Json forms = web.json("/api/benches");
  for (const Json& bench : forms["benches"]) {
    for (const Json& parameter : bench["parameters"]) {
      const std::string allowed = parameter["allowed"];
      BOOST_TEST((parameter["step"] == 1) == (parameter["type"] == "integer"));
      if (parameter["type"] != "integer" || parameter["least"].is_null() ||
          parameter["most"].is_null())
        continue;
      ++bounded;
      const std::string most = std::to_string(parameter["most"].get<std::int64_t>());
      BOOST_TEST(allowed.substr(allowed.size() - most.size()) == most);
      if (allowed.find("unlimited") == std::string::npos)
        BOOST_TEST(allowed.find(", " + std::to_string(parameter["least"].get<std::int64_t>()) +
                                " to ") != std::string::npos,
                   allowed);
    }
  }
  BOOST_TEST(bounded > 20U);
}

BOOST_AUTO_TEST_CASE(keys_have_the_value_of_the_chosen_topology) {
  const ServedProgram web({"--topology", "tiny", "--set", "system.flit_bytes=128"});
  const Json flit = keys_of(web, "q=system.flit_bytes")[0];
  BOOST_TEST(flit["key"] == "system.flit_bytes");
  BOOST_TEST(flit["value"] == "128");  // of the command line
  BOOST_TEST(flit["unit"] == "B");
  BOOST_TEST(flit["allowed"] == "an integer, 1 to 65536");
  BOOST_TEST(keys_of(web, "q=system.sips.count")[0]["value"] == "1");
  BOOST_TEST(keys_of(web, "topology=topology.six_sip.yaml&q=system.sips.count")[0]["value"] == "6");
  BOOST_TEST(keys_of(web, "topology=topology.six_sip.yaml&q=system.flit_bytes")[0]["value"] !=
             "128");
  const Json ccl = keys_of(web, "q=ccl:defaults.buffer_kind")[0];
  BOOST_TEST(ccl["choices"].dump().find("\"hbm\"") != std::string::npos);
  BOOST_TEST(web.error("/api/keys?topology=/etc/passwd&q=a", 400).find("allowed are") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(keys_are_found_by_begin_part_and_nearest_name) {
  const ServedProgram web({"--topology", "tiny"});
  const Json by_begin = keys_of(web, "q=cube.links.&limit=100");
  BOOST_TEST_REQUIRE(by_begin.size() >= 4U);
  for (const Json& each : by_begin)
    BOOST_TEST(each["key"].get<std::string>().rfind("cube.links.", 0) == 0U);
  const Json by_part = keys_of(web, "q=FLIT_B");
  BOOST_TEST(by_part[0]["key"] == "system.flit_bytes");
  BOOST_TEST(keys_of(web, "q=system.flit_byte5")[0]["key"] == "system.flit_bytes");
  BOOST_TEST(keys_of(web, "q=zzzzzzzzzzzzzzzzzzz").empty());
  const Json all = web.json("/api/keys?q=&limit=3");
  BOOST_TEST(all["keys"].size() == 3U);
  BOOST_TEST(all["key_count"].get<int>() > 100);
}

// Each key that is offered is accepted with its present value.
BOOST_AUTO_TEST_CASE(offered_keys_are_those_of_set) {
  const ServedProgram web({"--topology", "tiny"});
  Words line{"run", "--bench", "gemm-single-pe", "--topology", "tiny", "--print-config"};
  const Json keys = keys_of(web, "q=cube.&limit=1000");
  BOOST_TEST_REQUIRE(keys.size() > 50U);
  for (const Json& key : keys)
    line = joined(line,
                  {"--set", key["key"].get<std::string>() + '=' + key["value"].get<std::string>()});
  const ProgramResult result = kernbench_program(line);
  BOOST_TEST(result.status == 0, result.err);
}

BOOST_AUTO_TEST_CASE(a_fault_names_the_field_that_it_is_about) {
  const ServedProgram web({"--topology", "tiny"});
  const Json of_parameter =
      refusal(web, {{"bench", "gemm-single-pe"}, {"parameters", {{"K", 8}, {"M", -1}}}});
  BOOST_TEST(of_parameter["field"] == "M");
  BOOST_TEST(of_parameter["error"].get<std::string>().find("found -1, allowed is") !=
             std::string::npos);
  BOOST_TEST(refusal(web, {{"bench", "gemm-single-pe"}, {"set", {"cube.nothing=1"}}})["field"] ==
             "set");
  BOOST_TEST(refusal(web, {{"bench", "none"}}).value("field", "") == "");
}

BOOST_AUTO_TEST_SUITE_END()
