// Files of requests, played by the program with runs of flits and with single flits: every grant
// and every end is that of the naive fabric (spec 2.2 to 2.6), to the femtosecond. The naive fabric
// has the nodes and links of `topology --format json` and the paths of `traffic --csv`.
//
// RC_PARAMS="seed=2001 max_success=1500" plays as many files.
#include <rapidcheck/boost_test.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>

#include "tests/cli/program.h"
#include "tests/support/naive_fabric.h"
#include "tests/support/temporary_folder.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(traffic_file_times)

namespace {

// --- Drawn machines and files. The first value is that of the shipped machine.

template <class T>
T any(const std::vector<T>& values) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::elementOf(values));
}

int any_of(int least, int most) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, most + 1));
}

class Settings {
 public:
  explicit Settings(const Words& words) : words_(words) {}

  void set(const std::string& key, const std::string& value) {
    words_.insert(words_.end(), {"--set", key + "=" + value});
  }
  // Sets every other key.
  void draw(const std::string& key, const Words& values) {
    if (any_of(0, 1) == 1) set(key, any(values));
  }
  const Words& words() const { return words_; }

 private:
  Words words_;
};

// Latency and occupancy apart, or an overhead, with any servers.
void draw_servers(Settings& machine, const std::string& node) {
  const std::string attrs = node + ".attrs.";
  if (any_of(0, 2) > 0) return machine.draw(attrs + "overhead_ns", {"2", "0", "0.000003", "1.7"});
  machine.set(attrs + "servers", any<std::string>({"node", "direction", "port"}));
  if (any_of(0, 3) == 0) return;
  machine.set(attrs + "overhead_ns", "0");
  machine.set(attrs + "latency_ns", any<std::string>({"2", "0", "8", "0.7"}));
  machine.set(attrs + "occupancy_ns", any<std::string>({"0.5", "0", "1", "3"}));
  machine.set(attrs + "flit_occupancy_ns", any<std::string>({"0", "1", "0.25", "1.3"}));
}

Words some_machine() {
  if (any_of(0, 60) == 0) return any<Words>({{}, six_small_sips});
  Settings machine({"--topology", "tiny"});
  machine.draw("system.sips.count", {"1", "2", "2", "3"});
  machine.draw("sip.cube_mesh.w", {"1", "2"});
  machine.draw("sip.cube_mesh.h", {"1", "1", "2"});
  machine.draw("system.flit_bytes", {"256", "64", "100", "128", "512"});
  machine.set("system.ns_per_mm", any<std::string>({"0.1", "0", "0", "0.033333"}));
  machine.draw("system.switch.attrs.overhead_ns", {"5", "0"});
  machine.draw("system.links.io_ep_to_switch.bw_gbs", {"64", "0", "37.5"});
  machine.draw("sip.links.ucie_seam.bw_gbs", {"512", "0", "90"});
  const std::string io = "sip.io_chiplets.io0.";
  machine.draw(io + "components.pcie_ep.attrs.overhead_ns", {"5", "0"});
  machine.draw(io + "components.pcie_ep.attrs.cut_through", {"false", "true"});
  draw_servers(machine, io + "components.io_ucie");
  machine.draw(io + "components.io_noc.attrs.overhead_ns", {"0", "1"});
  machine.draw(io + "links.pcie_ep_to_noc_bw_gbs", {"256", "0", "33.3"});
  machine.draw(io + "links.per_connection_bw_gbs", {"128", "0"});
  if (any_of(0, 3) == 0) {  // the shorter path between SIPs
    machine.set(io + "components.ual_ep", "{impl: builtin.ual_ep, attrs: {overhead_ns: 3}}");
    machine.set(io + "links.ual_ep_to_noc_bw_gbs", "256");
    machine.set("system.links.io_ual_to_switch", "{bw_gbs: 128, distance_mm: 25}");
    machine.draw(io + "components.ual_ep.attrs.cut_through", {"false", "true"});
  }
  draw_servers(machine, "cube.ucie.port");
  machine.draw("cube.ucie.per_connection_bw_gbs", {"128", "0", "100"});
  machine.draw("cube.ucie.lane_select", {"spread", "first"});
  draw_servers(machine, "cube.components.router");
  if (any_of(0, 3) == 0) {
    machine.set("sip0.cube0.r0c0.attrs.overhead_ns", "0");
    machine.draw("sip0.cube0.r0c0.attrs.latency_ns", {"2", "8"});
  }
  machine.draw("cube.components.sram.attrs.overhead_ns", {"2", "0"});
  const std::string hbm = "cube.components.hbm_ctrl.attrs.";
  machine.draw(hbm + "overhead_ns", {"0", "3", "0.5"});
  machine.draw(hbm + "burst_bytes", {"256", "64", "512"});
  machine.draw(hbm + "num_pcs", {"8", "1", "2", "4"});
  machine.draw(hbm + "switch_penalty_ns", {"0", "5", "0.3"});
  machine.draw(hbm + "efficiency", {"1", "0.9", "0.5"});
  machine.draw("cube.links.router_link_bw_gbs", {"256", "0", "100", "341.3"});
  machine.draw("cube.links.pe_to_router_bw_gbs", {"256", "0", "64"});
  machine.draw("cube.links.sram_to_router_bw_gbs", {"128", "0"});
  const std::string channel = any<std::string>({"32", "32", "64", "7"});
  machine.set("cube.memory_map.hbm_channel_bw_gbs", channel);
  machine.set("cube.links.hbm_to_router_bw_gbs", std::to_string(8 * std::stoi(channel)));
  const std::string engines = "cube.pe_template.components.";
  machine.draw(engines + "pe_dma.attrs.overhead_ns", {"1", "0"});
  machine.draw(engines + "pe_dma.attrs.rd_engines", {"1", "4"});
  machine.draw(engines + "pe_dma.attrs.wr_engines", {"1", "3"});
  machine.draw(engines + "pe_tcm.attrs.overhead_ns", {"0", "2"});
  return machine.words();
}

// Names of nodes of these kinds, at most `most` of them.
Words some_nodes(const Json& topology, const Words& kinds, int most) {
  Words nodes;
  for (const Json& node : topology.at("nodes")) {
    if (std::count(kinds.begin(), kinds.end(), node.at("kind").get<std::string>()) > 0)
      nodes.push_back(node.at("name").get<std::string>());
  }
  Words some(static_cast<std::size_t>(any_of(1, most)));
  for (std::string& node : some) node = any(nodes);
  return some;
}

const Words initiators{"pe_dma", "pcie_ep"}, memories{"hbm_ctrl", "sram", "pe_tcm"};

// Requests on a grid of times: many meet at one instant, those of one size above all.
std::string some_rows(const Json& topology) {
  const Words from = some_nodes(topology, initiators, 16);
  const Words to = some_nodes(topology, memories, any<int>({5, 1}));
  const double step_ns = any<double>({1, 0, 0.000001, 0.5, 8, 7.3});
  const int grid = any<int>({1, 64, 256, 2048});
  const int most_bytes = any<int>({256, 40, 1000, 4096, 30000});
  const int least_bytes = any<int>({1, most_bytes}), last_step = any<int>({20, 3, 0});
  std::vector<int> times(static_cast<std::size_t>(any_of(1, 40)));
  for (int& time : times) time = any_of(0, last_step);
  std::sort(times.begin(), times.end());
  std::string rows = "at_ns,initiator,op,target,offset,bytes\n";
  for (const int time : times) {
    const int bytes = any_of(least_bytes, most_bytes);
    rows += std::to_string(time * step_ns) + "," + any(from) + "," +
            any<std::string>({"read", "write"}) + "," + any(to) + "," +
            std::to_string(grid * any_of(0, 30)) + "," + std::to_string(bytes) + "\n";
  }
  return rows;
}

// The same from the program's own patterns.
void generate_file(const Words& machine, const Json& topology, const std::string& file) {
  Words words{"traffic",
              "--generate",
              any<std::string>({"random", "hotspot", "stream", "stride"}),
              "--requests",
              std::to_string(any_of(1, 6)),
              "--size",
              any<std::string>({"256", "64", "700", "4096", "20000"}),
              "--rate",
              any<std::string>({"0", "0", "100", "10"}),
              "--read-share",
              any<std::string>({"0.5", "0", "1"}),
              "--seed",
              std::to_string(any_of(0, 1'000'000)),
              "--save",
              file,
              "--initiators"};
  words = joined(joined(words, some_nodes(topology, initiators, 10)), machine);
  if (any_of(0, 1) == 0)
    words = joined(joined(words, {"--targets"}), some_nodes(topology, memories, 5));
  completed(words);
}

// --- The naive fabric of a printed machine

// A number with at most nine decimals, times 1e9.
unsigned __int128 nano(const Json& number) {
  return static_cast<unsigned __int128>(std::llround(number.get<double>() * 1e9));
}

Time rounded(unsigned __int128 numerator, unsigned __int128 denominator) {
  return static_cast<Time>((2 * numerator + denominator) / (2 * denominator));
}

Time fs_of(const Json& attrs, const char* key) {
  return attrs.contains(key) ? rounded(nano(attrs.at(key)), 1000) : 0;
}

NaiveKind kind_of(const Json& node) {
  const std::map<std::string, NaiveKind> kinds{
      {"pe_dma", NaiveKind::dma},   {"pe_tcm", NaiveKind::tcm},   {"sram", NaiveKind::sram},
      {"hbm_ctrl", NaiveKind::hbm}, {"pcie_ep", NaiveKind::pcie}, {"ual_ep", NaiveKind::pcie},
  };
  const auto kind = kinds.find(node.at("kind").get<std::string>());
  if (kind == kinds.end()) return NaiveKind::router;
  const bool cut_through = kind->second == NaiveKind::pcie && node.at("attrs").at("cut_through");
  return cut_through ? NaiveKind::pcie_cut_through : kind->second;
}

NaiveNode naive_node(const Json& node) {
  const Json& attrs = node.at("attrs");
  NaiveNode naive;
  naive.kind = kind_of(node);
  naive.overhead = fs_of(attrs, "overhead_ns");
  naive.latency = fs_of(attrs, "latency_ns");
  naive.occupancy = fs_of(attrs, "occupancy_ns");
  naive.flit_occupancy = fs_of(attrs, "flit_occupancy_ns");
  naive.pipelined = naive.latency + naive.occupancy + naive.flit_occupancy > 0;
  const std::string servers = attrs.value("servers", "node");
  if (servers == "direction") naive.servers = NaiveNode::Servers::direction;
  if (servers == "port") naive.servers = NaiveNode::Servers::port;
  naive.read_channels = attrs.value("rd_engines", 1);
  naive.write_channels = attrs.value("wr_engines", 1);
  return naive;
}

class NaiveMachine {
 public:
  explicit NaiveMachine(const Json& topology)
      : flit_bytes_(topology.at("flit_bytes").get<std::uint64_t>()) {
    for (const Json& node : topology.at("nodes")) {
      numbers_[node.at("name").get<std::string>()] = static_cast<int>(nodes_.size());
      nodes_.push_back(naive_node(node));
    }
    for (const Json& edge : topology.at("edges"))
      add(edge, nano(topology.at("ns_per_mm")), topology);
  }

  // Grants and ends.
  std::pair<std::vector<Time>, std::vector<Time>> play(const std::vector<NaiveRequest>& requests) {
    NaiveFabric fabric(nodes_, links_, flit_bytes_);
    const std::vector<Time> ended = fabric.play(requests, true);
    return {fabric.granted(), ended};
  }

  int number(const std::string& name) const { return numbers_.at(name); }
  NaiveKind kind(int node) const { return nodes_[static_cast<std::size_t>(node)].kind; }

 private:
  void add(const Json& edge, unsigned __int128 nano_ns_per_mm, const Json& topology) {
    const int from = number(edge.at("src").get<std::string>());
    const int to = number(edge.at("dst").get<std::string>());
    const Json& attrs = topology.at("nodes").at(static_cast<std::size_t>(to)).at("attrs");
    const auto rate = edge.at("bw_gbs").is_null() ? 0 : nano(edge.at("bw_gbs"));
    const auto length = nano(edge.at("distance_mm"));
    if (edge.at("kind") == "pe_internal") return;  // no link
    NaiveLink link{from, to, static_cast<std::uint64_t>(rate)};
    link.in_fs = 1'000'000'000'000'000;  // GB/s: bytes in a ns
    constexpr auto nano_squared_in_fs = static_cast<unsigned __int128>(1'000'000'000'000);
    link.propagation = std::max<Time>(1, rounded(length * nano_ns_per_mm, nano_squared_in_fs));
    links_.push_back(link);
    if (edge.at("kind") != "router_to_hbm" || kind(to) != NaiveKind::hbm) return;
    NaiveNode& hbm = nodes_[static_cast<std::size_t>(to)];
    hbm.num_pcs = attrs.at("num_pcs").get<std::uint64_t>();
    hbm.burst_bytes = attrs.at("burst_bytes").get<std::uint64_t>();
    hbm.switch_penalty = fs_of(attrs, "switch_penalty_ns");
    const auto bytes = static_cast<unsigned __int128>(hbm.burst_bytes * hbm.num_pcs);
    hbm.burst_time = rounded(bytes * 1'000'000 * 1'000'000'000 * 1'000'000'000,
                             rate * nano(attrs.at("efficiency")));
  }

  std::uint64_t flit_bytes_;
  std::map<std::string, int> numbers_;
  std::vector<NaiveNode> nodes_;
  std::vector<NaiveLink> links_;
};

// --- Rows

Words cells_of(std::string line, char separator) {
  Words cells;
  for (std::size_t at = 0; at != std::string::npos;) {
    at = line.find(separator);
    cells.push_back(line.substr(0, at));
    if (at != std::string::npos) line.erase(0, at + 1);
  }
  return cells;
}

// Of a decimal number of ns.
Time fs_of(const std::string& ns) {
  const std::size_t point = std::min(ns.find('.'), ns.size());
  std::string fraction = point < ns.size() ? ns.substr(point + 1) : "";
  fraction.resize(6, '0');
  return std::stoull(ns.substr(0, point)) * 1'000'000 + std::stoull(fraction);
}

// The request of a row of the file, with the path of its row in `traffic --csv`.
NaiveRequest naive_request(const NaiveMachine& machine, const Words& asked, const Words& played) {
  NaiveRequest request;
  for (const std::string& node : cells_of(played.at(6), '>'))
    request.path.push_back(machine.number(node));
  const bool host = machine.kind(request.path.front()) != NaiveKind::dma;
  request.kind = asked.at(2) == "read" ? NaiveRequest::Kind::read
                 : host                ? NaiveRequest::Kind::posted_write
                                       : NaiveRequest::Kind::write;
  request.offset = std::stoull(asked.at(4));
  request.bytes = std::stoull(asked.at(5));
  request.issued = fs_of(played.at(1));
  return request;
}

}  // namespace

RC_BOOST_PROP(requests_of_a_file_have_the_times_of_the_naive_fabric, ()) {
  const TemporaryFolder folder;
  const std::string file = folder.file("requests.csv");
  const Words words = some_machine();
  const Json topology = Json::parse(completed(joined({"topology", "--format", "json"}, words)).out);
  if (any_of(0, 1) == 0) {
    folder.write("requests.csv", some_rows(topology));
  } else {
    generate_file(words, topology, file);
  }
  const Words play = joined({"traffic", file, "--csv"}, words);
  const std::string runs = completed(joined(play, {"--fabric", "runs"})).out;
  const std::string flits = completed(joined(play, {"--fabric", "flits"})).out;
  const Words asked = lines_of(folder.read("requests.csv")), played = lines_of(runs);
  RC_ASSERT(asked.size() == played.size());
  NaiveMachine machine(topology);
  std::vector<NaiveRequest> requests;
  std::vector<Time> granted, ended;
  for (std::size_t row = 1; row < played.size(); ++row) {
    const Words cells = cells_of(played[row], ',');
    requests.push_back(naive_request(machine, cells_of(asked[row], ','), cells));
    granted.push_back(fs_of(cells.at(2)));
    ended.push_back(fs_of(cells.at(3)));
  }
  const auto [naive_granted, naive_ended] = machine.play(requests);
  RC_ASSERT(ended == naive_ended);
  RC_ASSERT(granted == naive_granted);
  RC_ASSERT(runs == flits);
}

BOOST_AUTO_TEST_SUITE_END()
