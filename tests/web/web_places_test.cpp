// Where rows, points and steps of the API lead (spec 11.5).
#include <boost/test/unit_test.hpp>
#include <set>

#include "tests/web/served_program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(web_places_test)

namespace {

// A kernel on several PEs: one log with its statistics, and one to compare.
struct RecordedRun {
  TemporaryFolder folder;
  std::string log = folder.file("run.sqlite"), stats = folder.file("run.json"),
              other = folder.file("other.sqlite");
  RecordedRun() {
    const Words run{"run", "--bench", "qkv-gemm-multi-pe", "--topology", "tiny"};
    completed(joined(run, {"--op-log", log, "--stats", stats}));
    completed(joined(run, {"--set", "system.flit_bytes=128", "--op-log", other}));
  }
};

const RecordedRun& recorded() {
  static const RecordedRun run;
  return run;
}

// Rows of a query to the log.
std::vector<std::string> queried(const std::string& sql) {
  const ProgramResult result = completed({"inspect", recorded().log, "--csv", "--sql", sql});
  std::vector<std::string> lines;
  for (std::size_t at = result.out.find('\n') + 1; at < result.out.size();) {
    const std::size_t end = result.out.find('\n', at);
    lines.push_back(result.out.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// The target is on the map.
void check_target(const ServedProgram& web, const Json& target, const std::string& of) {
  BOOST_TEST_REQUIRE((target.is_string() || target.is_object()), of << ": " << target.dump());
  const std::string place =
      target.is_string() ? target.get<std::string>() : target["place"].get<std::string>();
  if (place.empty()) {  // the machine
    BOOST_TEST(target["scopes"].size() > 1U);
    return;
  }
  std::string encoded;
  for (const char c : place) encoded += c == ' ' ? "%20" : c == '>' ? "%3E" : std::string(1, c);
  BOOST_TEST(web.get("/api/machine/0/node?name=" + encoded).status == 200, of << ": " << place);
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_row_of_every_table_leads_to_the_map) {
  const ServedProgram web({recorded().log, recorded().other, recorded().stats});
  std::size_t rows = 0;
  const auto check = [&](const Json& table) {
    const std::string name = table["name"];
    BOOST_TEST_REQUIRE(table["places"].size() == table["rows"].size());
    std::set<std::string> known;
    for (const Json& target : table["places"]) {
      ++rows;
      if (known.insert(target.dump()).second && known.size() < 20) check_target(web, target, name);
    }
  };
  for (const char* run : {"0", "2"}) {
    const std::string path = std::string("/api/run/") + run;
    const Json tables = web.json(path + "/tables"), summary = web.json(path + "/summary");
    for (const Json& table : tables)
      check(web.json(path + "/table/" + table["name"].get<std::string>()));
    for (const Json& part : summary)
      if (part.is_object() && part.contains("places")) check(part);
  }
  const Json comparison = web.json("/api/compare?a=0&b=1");
  for (const Json& table : comparison["tables"]) check(table);
  BOOST_TEST(rows > 100U);
  const Json path = web.json("/api/run/0/critical-path");
  BOOST_TEST(path["steps"].size() > 10U);
  for (const Json& step : path["steps"]) check_target(web, step["place"], step["what"]);
}

BOOST_AUTO_TEST_CASE(a_kernel_leads_to_the_pes_and_the_time_of_its_runs) {
  const ServedProgram web({recorded().log});
  const Json point = web.json("/api/run/0/roofline")["points"][0];
  const Json& place = point["place"];
  const std::string kernel = point["kernel"];
  const std::vector<std::string> pes =
      queried("SELECT DISTINCT pe FROM runs JOIN launch_work USING (request) WHERE name = '" +
              kernel + "' ORDER BY pe");
  BOOST_TEST_REQUIRE(pes.size() > 1U);
  BOOST_TEST(place["scopes"].get<std::vector<std::string>>() == pes);
  const std::string common = place["place"];
  for (const std::string& pe : pes) BOOST_TEST(pe.compare(0, common.size() + 1, common + '.') == 0);
  const std::vector<std::string> times = queried(
      "SELECT min(t_start_fs) || '-' || max(runs.t_end_fs) FROM runs JOIN launch_work USING "
      "(request) "
      "WHERE name = '" +
      kernel + "'");
  BOOST_TEST(std::to_string(place["from_fs"].get<std::uint64_t>()) + '-' +
                 std::to_string(place["to_fs"].get<std::uint64_t>()) ==
             times.at(0));
}

// A kind leads to its busiest place.
BOOST_AUTO_TEST_CASE(a_row_of_a_kind_leads_to_the_busiest_place_of_the_kind) {
  const ServedProgram web({recorded().log});
  const Json table = web.json("/api/run/0/table/engines"),
             used = web.json("/api/run/0/place?name=&limit=5000");
  std::size_t checked = 0;
  for (std::size_t i = 0; i < table["rows"].size(); ++i) {
    const std::string engine = table["rows"][i][0], place = table["places"][i];
    BOOST_TEST(place.substr(place.rfind('.') + 1) == engine);
    double most = -1, of_place = -1;
    for (const Json& server : used["servers"]) {
      const std::string at = server["place"];
      if (at.size() < engine.size() ||
          at.compare(at.size() - engine.size(), std::string::npos, engine) != 0)
        continue;
      most = std::max(most, server["share"].get<double>());
      if (at == place) of_place = std::max(of_place, server["share"].get<double>());
    }
    BOOST_TEST(of_place == most, engine);
    checked += most > 0 ? 1 : 0;
  }
  BOOST_TEST(checked > 2U);
}

BOOST_AUTO_TEST_SUITE_END()
