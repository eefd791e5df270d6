// Machines that have twice as much of a resource, to hold the limits that `run` and `traffic` name
// against.
#pragma once

#include <boost/test/unit_test.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/program.h"

namespace kernbench::test {

using Json = nlohmann::json;
inline const std::string pe = "cube.pe_template.components.";

// Settings of the default machine; a run may have others.
inline const std::map<std::string, double>& defaults() {
  static const std::map<std::string, double> values{{"cube.memory_map.hbm_channel_bw_gbs", 32},
                                                    {"cube.links.hbm_to_router_bw_gbs", 256},
                                                    {"cube.links.router_link_bw_gbs", 256},
                                                    {"cube.links.pe_to_router_bw_gbs", 256},
                                                    {"cube.ucie.per_connection_bw_gbs", 128},
                                                    {"sip.links.ucie_seam.bw_gbs", 512},
                                                    {"cube.components.router.attrs.overhead_ns", 2},
                                                    {"cube.ucie.port.attrs.overhead_ns", 8},
                                                    {"system.links.io_ep_to_switch.bw_gbs", 64},
                                                    {"system.switch.attrs.overhead_ns", 5},
                                                    {pe + "pe_gemm.attrs.macs_per_cycle", 4096},
                                                    {pe + "pe_math.attrs.lanes", 128},
                                                    {pe + "pe_tcm.attrs.read_bw_gbs", 512},
                                                    {pe + "pe_tcm.attrs.write_bw_gbs", 512},
                                                    {pe + "pe_dma.attrs.rd_engines", 1},
                                                    {pe + "pe_dma.attrs.wr_engines", 1},
                                                    {pe + "pe_dma.attrs.overhead_ns", 1},
                                                    {pe + "pe_scheduler.attrs.overhead_ns", 1},
                                                    {"ccl:defaults.n_slots", 4},
                                                    {"ccl:defaults.pipelined_n_slots", 6}};
  return values;
}

// A resource, and what is doubled, or halved where it is an overhead.
struct Lever {
  std::string resource;
  Words keys;
};
inline const std::vector<Lever>& levers() {
  static const std::vector<Lever> list{
      {"HBM", {"cube.memory_map.hbm_channel_bw_gbs", "cube.links.hbm_to_router_bw_gbs"}},
      {"mesh links", {"cube.links.router_link_bw_gbs"}},
      {"PE links", {"cube.links.pe_to_router_bw_gbs"}},
      {"UCIe lanes", {"cube.ucie.per_connection_bw_gbs"}},
      {"UCIe seams", {"sip.links.ucie_seam.bw_gbs"}},
      {"router", {"cube.components.router.attrs.overhead_ns"}},
      {"ucie_port", {"cube.ucie.port.attrs.overhead_ns"}},
      {"PCIe links", {"system.links.io_ep_to_switch.bw_gbs"}},
      {"switch", {"system.switch.attrs.overhead_ns"}},
      {"pe_gemm gemm", {pe + "pe_gemm.attrs.macs_per_cycle"}},
      {"pe_math math", {pe + "pe_math.attrs.lanes"}},
      {"pe_tcm read", {pe + "pe_tcm.attrs.read_bw_gbs"}},
      {"pe_tcm write", {pe + "pe_tcm.attrs.write_bw_gbs"}},
      {"pe_dma read_channel", {pe + "pe_dma.attrs.rd_engines"}},
      {"pe_dma write_channel", {pe + "pe_dma.attrs.wr_engines"}},
      {"pe_dma set-up", {pe + "pe_dma.attrs.overhead_ns"}},
      {"pe_scheduler dispatch", {pe + "pe_scheduler.attrs.overhead_ns"}},
      {"pe_ipcq send_blocked", {"ccl:defaults.n_slots", "ccl:defaults.pipelined_n_slots"}}};
  return list;
}

using Settings = std::map<std::string, double>;

struct Run {
  std::string name;
  Words words;
  Settings settings = {};

  bool is_traffic() const { return words.front() == "traffic"; }
};

inline Json bottleneck_of(const Run& run, const Settings& settings) {
  Words words = run.words;
  for (const auto& [key, value] : settings) {
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    words.insert(words.end(), {"--set", key + '=' + text});
  }
  words.emplace_back("--json");
  const ProgramResult result = kernbench_program(words);
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  const Json json = Json::parse(result.out);
  return run.is_traffic() ? json.at("summary").at("bottleneck") : json.at("bottleneck");
}

// How many times as fast with twice as much.
inline double simulated_gain(const Run& run, const Lever& lever, double window) {
  Settings settings = run.settings;
  for (const std::string& key : lever.keys) {
    const auto own = run.settings.find(key);
    const double value = own != run.settings.end() ? own->second : defaults().at(key);
    const bool is_time = key.size() > 3 && key.compare(key.size() - 3, 3, "_ns") == 0;
    settings[key] = is_time ? value / 2 : value * 2;
  }
  return window / bottleneck_of(run, settings).at("window_ns").get<double>();
}

inline double told_gain(const Json& bottleneck, const std::string& resource) {
  for (const Json& row : bottleneck.at("resources")) {
    if (row.at("resource") == resource) return 1 + row.at("gain").get<double>();
  }
  return 1;
}

inline Run gemm(const std::string& size) {
  return {"gemm " + size,
          {"run", "--bench", "gemm-single-pe", "--param", "M=" + size, "--param", "K=" + size,
           "--param", "N=" + size}};
}

}  // namespace kernbench::test
