// Numbers of the API against those of `run`, `inspect` and `route` (spec 11.5).
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>

#include "tests/web/served_program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(web_numbers_test)

namespace {

using Answer = Json;

// One run with its log and statistics, for all cases.
struct RecordedRun {
  TemporaryFolder folder;
  std::string log = folder.file("run.sqlite"), stats = folder.file("run.json"),
              other = folder.file("other.sqlite");
  RecordedRun() {
    completed({"run", "--bench", "matmul-composite", "--topology", "tiny", "--op-log", log,
               "--stats", stats});
    completed({"run", "--bench", "matmul-composite", "--topology", "tiny", "--param", "M=64",
               "--op-log", other});
  }
};

const RecordedRun& recorded() {
  static const RecordedRun run;
  return run;
}

double fs_of(const Json& ns) { return std::round(ns.get<double>() * 1e6); }

Json inspect(const Words& options) {
  return json_of(joined({"inspect", recorded().log, "--json"}, options));
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_route_is_that_of_route) {
  const ServedProgram web({recorded().log});
  const std::string from = "sip0.cube0.pe0.pe_dma", to = "sip0.cube0.hbm_ctrl.pe0";
  const Json expected =
      json_of({"route", "--topology", "tiny", from, to, "--bytes", "8192", "--json"});
  const Json found = web.json("/api/machine/0/route?from=" + from + "&to=" + to + "&bytes=8192");
  BOOST_TEST(found == expected);
}

BOOST_AUTO_TEST_CASE(a_node_has_its_attributes_with_units_and_sources) {
  const ServedProgram web({recorded().log});
  const Answer node = web.json("/api/machine/0/node?name=sip0.cube0.pe0.pe_dma");
  BOOST_TEST(node["role"] == "pe_dma");
  bool found = false;
  for (const auto& attribute : node["attributes"]) {
    if (attribute["key"] != "overhead_ns" && attribute["unit"] != "ns") continue;
    found = true;
    BOOST_TEST(attribute["value"].is_number());
    BOOST_TEST(attribute["source"].get<std::string>() != "");
  }
  BOOST_TEST(found);
  BOOST_TEST_REQUIRE(node["links"].size() >= 2U);
  // Each link is a place by its name, and by that of its module.
  const std::string link = node["links"][0]["name"];
  std::string encoded;
  for (const char c : link) encoded += c == ' ' ? "%20" : c == '>' ? "%3E" : std::string(1, c);
  BOOST_TEST(web.json("/api/machine/0/node?name=" + encoded)["type"] == "link");
  BOOST_TEST(web.json("/api/machine/0/node?name=sip0.cube0")["type"] == "scope");
}

BOOST_AUTO_TEST_CASE(search_finds_beginnings_of_parts_first) {
  const ServedProgram web({recorded().log});
  const Answer found = web.json("/api/machine/0/search?q=pe0&limit=50");
  BOOST_TEST_REQUIRE(!found.empty());
  BOOST_TEST(found[0]["name"] == "sip0.cube0.pe0");
  BOOST_TEST(found[0]["role"] == "pe");
  BOOST_TEST(web.json("/api/machine/0/search?q=PE_DMA&limit=1")[0]["role"] == "pe_dma");
  BOOST_TEST(web.json("/api/machine/0/search?q=nothing").empty());
}

// The window `pe`: --stats of the same run has the servers in it.
BOOST_AUTO_TEST_CASE(servers_of_a_place_are_those_of_the_statistics) {
  const ServedProgram web({recorded().log, recorded().stats});
  const Json stats = Json::parse(read_file(recorded().stats));
  std::map<std::string, Json> by_name;  // name and part
  for (const Json& row : stats["servers"]) {
    const bool is_link = row["src"].is_string();
    const std::string part = row["part"].is_string() ? ' ' + row["part"].get<std::string>() : "";
    by_name[(is_link ? row["src"].get<std::string>() + " > " + row["dst"].get<std::string>()
                     : row["name"].get<std::string>()) +
            part] = row;
  }
  std::size_t checked = 0;
  for (const char* run : {"0", "1"}) {
    const Answer place = web.json(std::string("/api/run/") + run + "/place?name=sip0.cube0.pe0");
    for (const auto& server : place["servers"]) {
      const auto row = by_name.find(server["name"]);
      if (row == by_name.end()) continue;  // used outside of the window
      BOOST_TEST(server["busy_fs"].get<double>() == fs_of(row->second["busy_ns"]));
      BOOST_TEST(server["share"].get<double>() == row->second["utilisation"].get<double>(),
                 boost::test_tools::tolerance(1e-4));
      BOOST_TEST(server["bytes"] == row->second["bytes"]);
      if (row->second["stalled_ns"].is_number())
        BOOST_TEST(server["stalled_fs"].get<double>() == fs_of(row->second["stalled_ns"]));
      ++checked;
    }
  }
  BOOST_TEST(checked > 10U);
}

BOOST_AUTO_TEST_CASE(an_hbm_has_the_bytes_of_its_links) {
  const ServedProgram web({recorded().log, recorded().stats});
  const Json stats = Json::parse(read_file(recorded().stats));
  const std::string name = "sip0.cube0.hbm_ctrl.pe0";
  std::uint64_t expected = 0;
  for (const Json& row : stats["servers"])
    if ((row["src"] == name || row["dst"] == name) && row["bytes"].is_number())
      expected += row["bytes"].get<std::uint64_t>();
  BOOST_TEST(expected > 0U);
  for (const char* run : {"0", "1"}) {
    const Answer place = web.json(std::string("/api/run/") + run + "/place?name=" + name);
    std::uint64_t bytes = 0;
    for (const auto& server : place["servers"])
      if (server["bytes"].is_number()) bytes += server["bytes"].get<std::uint64_t>();
    BOOST_TEST(bytes == expected, run);
  }
}

// Colours of the map: those of `topology --heat` come from the same class; of log and statistics
// they are equal.
BOOST_AUTO_TEST_CASE(the_log_and_the_statistics_of_a_run_colour_the_map_equally) {
  const ServedProgram web({recorded().log, recorded().stats});
  for (const char* scope : {"", "sip0", "sip0.cube0", "sip0.cube0.pe0"}) {
    const Answer a = web.json(std::string("/api/run/0/use?scope=") + scope),
                 b = web.json(std::string("/api/run/1/use?scope=") + scope);
    BOOST_TEST_REQUIRE(a["blocks"].size() == b["blocks"].size());
    BOOST_TEST(a["blocks"].size() > 0U, scope);
    for (std::size_t i = 0; i < a["blocks"].size(); ++i) {
      BOOST_TEST(a["blocks"][i].is_null() == b["blocks"][i].is_null());
      if (a["blocks"][i].is_number())
        BOOST_TEST(std::abs(a["blocks"][i].get<double>() - b["blocks"][i].get<double>()) < 1e-5);
    }
    BOOST_TEST_REQUIRE(a["links"].size() == b["links"].size());
    for (std::size_t i = 0; i < a["links"].size(); ++i)
      for (std::size_t d = 0; d < 2; ++d)
        BOOST_TEST(std::abs(a["links"][i][d].get<double>() - b["links"][i][d].get<double>()) <
                   1e-5);
  }
  BOOST_TEST(
      web.error("/api/run/1/use?scope=sip0&from_fs=0&to_fs=1000", 404).find("activity over time") !=
      std::string::npos);
  BOOST_TEST(web.error("/api/run/1/timeline", 404).find("operation log") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_interval_has_the_servers_of_inspect) {
  const ServedProgram web({recorded().log});
  const Json expected = inspect({"--servers", "430:500"});
  const Answer place =
      web.json("/api/run/0/place?name=sip0.cube0.pe0&from_fs=430000000&to_fs=500000000");
  BOOST_TEST(place["window"]["begin_fs"].get<double>() == fs_of(expected["window"]["from_ns"]));
  BOOST_TEST(place["window"]["length_fs"].get<double>() == fs_of(expected["window"]["length_ns"]));
  std::size_t checked = 0;
  for (const Json& row : expected["servers"]) {
    for (const auto& server : place["servers"]) {
      if (server["place"] != row["name"] ||
          server["part"] != (row["part"].is_null() ? Json("") : row["part"]))
        continue;
      BOOST_TEST(server["busy_fs"].get<double>() == fs_of(row["busy_ns"]));
      ++checked;
    }
  }
  BOOST_TEST(checked > 2U);
}

BOOST_AUTO_TEST_CASE(tables_are_those_of_the_reports) {
  const ServedProgram web({recorded().log});
  const Json limits = inspect({"--limits"})["bottleneck"]["resources"];
  const Answer table = web.json("/api/run/0/table/bottleneck.resources");
  BOOST_TEST_REQUIRE(table["rows"].size() == limits.size());
  BOOST_TEST(table["row_count"] == limits.size());
  for (std::size_t i = 0; i < limits.size(); ++i) {
    for (std::size_t c = 0; c < table["columns"].size(); ++c) {
      const std::string key = table["columns"][c]["name"];
      if (limits[i].contains(key) && !limits[i][key].is_structured())
        BOOST_TEST(Json(table["rows"][i][c]) == limits[i][key], key);
    }
  }
  const Json top = inspect({"--top"});
  BOOST_TEST(!top.empty());
  const Answer list = web.json("/api/run/0/tables");
  std::size_t with_rows = 0;
  for (const auto& each : list) with_rows += each["rows"].get<std::size_t>() > 0 ? 1 : 0;
  BOOST_TEST(with_rows == list.size());
  BOOST_TEST(list.size() >= 5U);
  // Rows of servers lead to the map.
  const Answer servers = web.json("/api/run/0/table/servers");
  for (const auto& place : servers["places"]) BOOST_TEST(place.is_string());
  BOOST_TEST(web.error("/api/run/0/table/none", 404).find("no table 'none'") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_critical_path_is_that_of_inspect) {
  const ServedProgram web({recorded().log});
  const Json expected = inspect({"--critical-path"})["critical_path"];
  const Answer path = web.json("/api/run/0/critical-path");
  BOOST_TEST_REQUIRE(path["steps"].size() == expected["steps"].size());
  double time = 0;
  for (std::size_t i = 0; i < path["steps"].size(); ++i) {
    const auto& step = path["steps"][i];
    BOOST_TEST(step["what"].get<std::string>() == expected["steps"][i]["what"].get<std::string>());
    time += step["end_fs"].get<double>() - step["start_fs"].get<double>();
  }
  // The steps are the length of the launch.
  BOOST_TEST(time == path["end_fs"].get<double>() - path["begin_fs"].get<double>());
  BOOST_TEST(web.json("/api/run/0/critical-path?launch=1")["launch"] == 1);
  BOOST_TEST(web.error("/api/run/0/critical-path?launch=99", 400) != "");
}

BOOST_AUTO_TEST_CASE(kernels_are_those_of_run) {
  const ServedProgram web({recorded().log});
  const Json run = json_of({"run", "--bench", "matmul-composite", "--topology", "tiny", "--json"});
  const Answer table = web.json("/api/run/0/table/kernels");
  BOOST_TEST_REQUIRE(table["rows"].size() == run["kernel_groups"].size());
  const Json& group = run["kernel_groups"][0];
  BOOST_TEST_REQUIRE(table["columns"].size() == 7U);
  for (std::size_t i = 0; i < table["columns"].size(); ++i) {
    const std::string column = table["columns"][i]["name"];
    const auto& value = table["rows"][0][i];
    BOOST_TEST_CONTEXT(column) {
      BOOST_TEST(!value.is_null());
      BOOST_TEST(value == group.at(column));
    }
  }
  BOOST_TEST(group["kernel"] == "matmul");
  BOOST_TEST(group["launches"] == 1);
  // The PE on which it ran, and its time.
  const auto& place = table["places"][0];
  BOOST_TEST(place["place"] == group["slowest"]);
  BOOST_TEST(place["to_fs"].get<double>() - place["from_fs"].get<double>() ==
             fs_of(group["pe_exec_max_ns"]));
}

BOOST_AUTO_TEST_CASE(a_comparison_is_that_of_inspect) {
  const ServedProgram web({recorded().log, recorded().other});
  const Json expected = inspect({"--compare", recorded().other})["comparison"];
  const Answer found = web.json("/api/compare?a=0&b=1");
  std::size_t rows = 0;
  for (const auto& table : found["tables"])
    if (table["name"] != "settings") rows += table["rows"].size();
  BOOST_TEST(rows == expected["times"].size());
  BOOST_TEST(found["tables"][0]["name"] == "settings");
  BOOST_TEST(found["tables"][0]["rows"].size() == expected["settings"].size());
}

BOOST_AUTO_TEST_CASE(bars_of_a_pe_are_its_operations) {
  const ServedProgram web({recorded().log});
  const Answer timeline = web.json("/api/run/0/timeline?scope=sip0.cube0.pe0&bins=8192");
  std::map<std::string, std::uint64_t> counts;  // by kind
  for (const auto& lane : timeline["lanes"]) {
    std::uint64_t end = 0;
    for (const auto& bar : lane["bars"]) {
      counts[lane["kind"]] += bar[3].get<std::uint64_t>();
      BOOST_TEST(bar[0].get<std::uint64_t>() >= end);
      end = bar[0];
      BOOST_TEST(bar[2].get<std::size_t>() < timeline["labels"].size());
    }
  }
  const auto count = [](const std::string& sql) {
    const ProgramResult result = completed({"inspect", recorded().log, "--csv", "--sql", sql});
    return std::stoull(result.out.substr(result.out.find('\n') + 1));
  };
  BOOST_TEST(counts["engine"] ==
             count("SELECT count(*) FROM ops WHERE node LIKE 'sip0.cube0.pe0.%' AND node NOT LIKE "
                   "'%.pe_scheduler' AND node NOT LIKE '%.pe_ipcq'"));
  BOOST_TEST(counts["stall"] == count("SELECT count(*) FROM waits WHERE pe = 'sip0.cube0.pe0'"));
  BOOST_TEST(counts["kernel"] == count("SELECT count(*) FROM runs WHERE pe = 'sip0.cube0.pe0'"));
  BOOST_TEST(counts["launch"] == count("SELECT count(*) FROM launches"));
  // Narrow bars of few bins are merged; none is lost.
  std::uint64_t merged = 0;
  const Answer coarse = web.json("/api/run/0/timeline?scope=sip0.cube0.pe0&bins=4");
  for (const auto& lane : coarse["lanes"])
    if (lane["kind"] == "engine")
      for (const auto& bar : lane["bars"]) merged += bar[3].get<std::uint64_t>();
  BOOST_TEST(merged == counts["engine"]);
}

// Operations of a large log are read in the background; launches and kernels are there at once.
BOOST_AUTO_TEST_CASE(a_timeline_says_whether_it_has_the_operations) {
  const ServedProgram web({recorded().log});
  BOOST_TEST(web.json("/api/run/0/timeline?scope=sip0.cube0.pe0")["complete"] == true);
  BOOST_TEST(web.json("/api/run/0/timeline?scope=sip0.cube0.pe0&wait_ms=0")["complete"] == true);
  BOOST_TEST(web.error("/api/run/0/timeline?scope=zz", 404).find("no node 'zz'") !=
             std::string::npos);
  BOOST_TEST(web.error("/api/run/0/timeline?wait_ms=600001", 400).find("wait_ms") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_overview_covers_the_windows_of_the_run) {
  const ServedProgram web({recorded().log});
  const Answer overview = web.json("/api/run/0/overview?bins=4");
  BOOST_TEST(overview["bins"].size() == 4U);
  double busiest = 0;
  std::uint64_t end = overview["begin_fs"];
  for (const auto& bin : overview["bins"]) {
    BOOST_TEST(bin["begin_fs"] == end);
    end = bin["end_fs"];
    for (const char* of : {"links", "memories", "engines"}) {
      BOOST_TEST(bin[of].get<double>() >= 0);
      BOOST_TEST(bin[of].get<double>() <= 1);
    }
    busiest = std::max(busiest, bin["engines"].get<double>());
  }
  BOOST_TEST(end == overview["end_fs"].get<std::uint64_t>());
  BOOST_TEST(busiest > 0);
}

BOOST_AUTO_TEST_CASE(a_kernel_is_a_point_of_the_roofline) {
  const ServedProgram web({recorded().log});
  const Json operators = inspect({"--operators"})["operators"];
  const Answer roofline = web.json("/api/run/0/roofline");
  BOOST_TEST(roofline["peaks"].size() == 2U);
  BOOST_TEST_REQUIRE(roofline["points"].size() == 1U);
  const auto& point = roofline["points"][0];
  const Json& row = operators["operators"][0];
  BOOST_TEST(point["flops"] == row["flops"]);
  BOOST_TEST(point["hbm_bytes"] == row["hbm_bytes"]);
  BOOST_TEST(point["intensity"].get<double>() ==
                 row["flops"].get<double>() / row["hbm_bytes"].get<double>(),
             boost::test_tools::tolerance(1e-9));
  BOOST_TEST(point["rate"].get<double>() <= roofline["peaks"][0]["gflops"].get<double>());
}

BOOST_AUTO_TEST_SUITE_END()
