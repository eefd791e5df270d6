#include "platform/topology/channel_dependencies.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "models/base/errors.h"

namespace kernbench {
namespace {

bool is_initiator(Role kind) {
  return kind == Role::pe_dma || kind == Role::pcie_ep || kind == Role::m_cpu ||
         kind == Role::tlm_initiator;
}
// The path of a message to a pe_dma is the first part of that to its pe_tcm.
bool is_target(Role kind) {
  return kind == Role::hbm_ctrl || kind == Role::sram || kind == Role::pe_tcm ||
         kind == Role::tlm_target;
}

bool same_cube(const Location& a, const Location& b) { return a.sip == b.sip && a.cube == b.cube; }

constexpr std::string_view phase_names[] = {"source", "along x", "along y", "target"};

// Directed graph of buffers: (edge, leg, class) in one number.
class Dependencies {
 public:
  Dependencies(const Graph& graph, const std::vector<std::uint32_t>& virtual_channels)
      : graph_(graph), virtual_channels_(virtual_channels),
        classes_(channel_classes_of(graph.spec())), next_(graph.edges().size() * 2 * classes_) {}

  void add_path(const std::vector<NodeId>& path, Leg leg) {
    if (classes_ > 1) phases_ = channel_phases_of(graph_, path);
    std::size_t previous = none;
    for (std::size_t hop = 0; hop + 1 < path.size(); ++hop) {
      const std::uint32_t channels = virtual_channels_[path[hop + 1]];
      if (channels == 0) {
        previous = none;
        continue;
      }
      const Edge* edge = graph_.find_edge(path[hop], path[hop + 1]);
      const auto index = static_cast<std::size_t>(edge - graph_.edges().data());
      const std::size_t of_class = classes_ > 1 ? static_cast<std::size_t>(phases_[hop]) : 0;
      const std::size_t of_leg = channels > 1 && leg == Leg::response ? 1 : 0;
      const std::size_t buffer = (index * 2 + of_leg) * classes_ + of_class;
      if (previous != none) add(previous, buffer);
      previous = buffer;
    }
  }

  // Depth-first search; the stack from the first repeated buffer on is the cycle.
  std::vector<std::string> cycle() const {
    std::vector<State> state(next_.size(), State::unseen);
    struct Step {
      std::size_t buffer, next;
    };
    std::vector<Step> stack;
    for (std::size_t start = 0; start < next_.size(); ++start) {
      if (state[start] != State::unseen) continue;
      stack.push_back({start, 0});
      state[start] = State::on_stack;
      while (!stack.empty()) {
        Step& step = stack.back();
        if (step.next == next_[step.buffer].size()) {
          state[step.buffer] = State::done;
          stack.pop_back();
          continue;
        }
        const std::size_t to = next_[step.buffer][step.next++];
        if (state[to] == State::unseen) {
          state[to] = State::on_stack;
          stack.push_back({to, 0});
        } else if (state[to] == State::on_stack) {
          const auto first = std::find_if(stack.begin(), stack.end(),
                                          [to](const Step& at) { return at.buffer == to; });
          std::vector<std::string> texts;
          for (auto at = first; at != stack.end(); ++at) texts.push_back(text_of(at->buffer));
          return texts;
        }
      }
    }
    return {};
  }

 private:
  enum class State : std::uint8_t { unseen, on_stack, done };
  static constexpr std::size_t none = ~std::size_t{0};

  void add(std::size_t from, std::size_t to) {
    std::vector<std::uint32_t>& next = next_[from];
    const auto buffer = static_cast<std::uint32_t>(to);
    if (std::find(next.begin(), next.end(), buffer) == next.end()) next.push_back(buffer);
  }

  std::string text_of(std::size_t buffer) const {
    const Edge& edge = graph_.edges()[buffer / classes_ / 2];
    const bool response = (buffer / classes_) % 2 == 1;
    std::string text =
        fmt::format("{} -> {}", graph_.node(edge.src).name, graph_.node(edge.dst).name);
    if (virtual_channels_[edge.dst] > 1) text += response ? ", responses" : ", requests";
    if (classes_ > 1) text += fmt::format(", phase '{}'", phase_names[buffer % classes_]);
    return text;
  }

  const Graph& graph_;
  const std::vector<std::uint32_t>& virtual_channels_;
  std::uint32_t classes_;
  std::vector<std::vector<std::uint32_t>> next_;  // by buffer
  std::vector<ChannelPhase> phases_;
};

}  // namespace

std::uint32_t channel_classes_of(const MachineSpec& machine) {
  return machine.system.channel_classes == ChannelClasses::phases ? channel_phases : 1;
}

std::vector<ChannelPhase> channel_phases_of(const Graph& graph, const std::vector<NodeId>& path) {
  std::vector<ChannelPhase> phases(path.empty() ? 0 : path.size() - 1, ChannelPhase::source);
  const int columns = graph.spec().sip.mesh_w;
  ChannelPhase entered = ChannelPhase::source;
  std::size_t first = 0;  // first hop into the cube of path[i]
  for (std::size_t i = 1; i <= path.size(); ++i) {
    const Location& previous = graph.node(path[i - 1]).at;
    const bool ends = i == path.size();
    if (!ends && same_cube(previous, graph.node(path[i]).at)) continue;
    // Hops [first, i - 1) lead to nodes of one cube, or of none.
    const ChannelPhase phase =
        ends && entered != ChannelPhase::source ? ChannelPhase::target : entered;
    for (std::size_t hop = first; hop + 1 < i; ++hop) phases[hop] = phase;
    if (ends) break;
    first = i - 1;
    const Location& next = graph.node(path[i]).at;
    const bool between_cubes = previous.sip == next.sip && previous.cube >= 0 && next.cube >= 0;
    const bool along_x = between_cubes && previous.cube / columns == next.cube / columns;
    entered = next.cube < 0 ? ChannelPhase::source
              : along_x     ? ChannelPhase::along_x
                            : ChannelPhase::along_y;
  }
  return phases;
}

namespace {

// Adds the dependencies of the paths from all initiators to all targets.
//
// A path between two SIPs is that of its source to the switch and that from there, which depends on
// the kind of the source only (spec 2.7). So each part is added with one path that has it, and each
// pair of ports of the switch with one path over both.
class AllPaths {
 public:
  // Paths between the nodes for which `sends` holds; empty: all.
  AllPaths(const Graph& graph, const RouteFinder& routes, Dependencies& dependencies,
           const std::function<bool(NodeId)>& sends)
      : graph_(graph), routes_(routes), dependencies_(dependencies),
        by_channel_(graph.spec().cube.memory_map.hbm_mapping_mode == HbmMapping::one_to_one) {
    for (NodeId node = 0; node < graph.nodes().size(); ++node) {
      if (sends && !sends(node)) continue;
      Sip& sip = sips_[graph.node(node).at.sip];
      if (is_initiator(graph.node(node).kind)) sip.sources.push_back(node);
      if (is_target(graph.node(node).kind)) sip.targets.push_back(node);
    }
  }

  void add() {
    for (const auto& [number, sip] : sips_) {
      for (const NodeId source : sip.sources) {
        for (const NodeId target : sip.targets) add_paths(source, target);
      }
    }
    for (auto& [number, sip] : sips_) add_paths_to_switch(number, sip);
    for (auto& [number, sip] : sips_) add_paths_from_switch(number, sip);
    for (const auto& [number, sip] : sips_) {
      for (const auto& [other_number, other] : sips_) {
        if (number != other_number) add_paths_over_switch(sip, other);
      }
    }
  }

 private:
  // The edges that a source may use, and where it may cross its row of cubes.
  using SourceKind = std::pair<Role, int>;
  using ByPort = std::map<NodeId, NodeId>;  // node next to the switch -> first node of its paths
  struct Sip {
    std::vector<NodeId> sources, targets;
    std::map<SourceKind, ByPort> leaving, entering;  // -> source, -> target
  };

  SourceKind kind_of(NodeId source) const {
    const Node& node = graph_.node(source);
    return {node.kind, node.at.cube < 0 ? -1 : node.at.cube / graph_.spec().sip.mesh_w};
  }

  void add_paths_to_switch(int number, Sip& sip) {
    for (const NodeId source : sip.sources) {
      for (const auto& [other_number, other] : sips_) {
        if (other_number == number || other.targets.empty()) continue;
        const NodeId next = *(switch_on(add_paths(source, other.targets.front())) - 1);
        sip.leaving[kind_of(source)].emplace(next, source);
        break;
      }
    }
  }

  void add_paths_from_switch(int number, Sip& sip) {
    for (const auto& [other_number, other] : sips_) {
      if (other_number == number) continue;
      for (const auto& [kind, ports] : other.leaving) {
        ByPort& entering = sip.entering[kind];
        if (!entering.empty()) continue;  // from another SIP
        for (const NodeId target : sip.targets)
          entering.emplace(*(switch_on(add_paths(ports.begin()->second, target)) + 1), target);
      }
    }
  }

  void add_paths_over_switch(const Sip& from, const Sip& to) {
    for (const auto& [kind, ports] : from.leaving) {
      for (const auto& [out, source] : ports) {
        for (const auto& [in, target] : to.entering.at(kind)) add_paths(source, target);
      }
    }
  }

  std::vector<NodeId>::const_iterator switch_on(const std::vector<NodeId>& path) const {
    return std::find_if(path.begin(), path.end(), [this](NodeId node) {
      return graph_.node(node).kind == Role::fabric_switch;
    });
  }

  // Returns the path to the target as a whole.
  const std::vector<NodeId>& add_paths(NodeId source, NodeId target) {
    if (by_channel_ && graph_.node(target).kind == Role::hbm_ctrl) {
      for (int channel = 0; channel < graph_.spec().cube.memory_map.hbm_channels_per_pe; ++channel)
        add_path(routes_.channel_path(source, target, channel));
    }
    path_ = routes_.memory_path(source, target);
    add_path(path_);
    return path_;
  }
  void add_path(const std::vector<NodeId>& path) {
    dependencies_.add_path(path, Leg::request);
    dependencies_.add_path(RouteFinder::reversed(path), Leg::response);
  }

  const Graph& graph_;
  const RouteFinder& routes_;
  Dependencies& dependencies_;
  bool by_channel_;
  std::map<int, Sip> sips_;  // -1: modules at the switch
  std::vector<NodeId> path_;
};

}  // namespace

std::vector<std::string> dependency_cycle(const Graph& graph, const RouteFinder& routes,
                                          const std::vector<std::uint32_t>& virtual_channels,
                                          const std::function<bool(NodeId)>& sends) {
  Dependencies dependencies(graph, virtual_channels);
  AllPaths(graph, routes, dependencies, sends).add();
  return dependencies.cycle();
}

void check_buffers(const Graph& graph, const RouteFinder& routes,
                   const std::vector<std::uint32_t>& virtual_channels,
                   const std::function<bool(NodeId)>& sends) {
  const std::uint32_t classes = channel_classes_of(graph.spec());
  bool any = false;
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const std::uint32_t channels = virtual_channels[node];
    any = any || channels > 0;
    if (channels > 0 && classes > 1 && channels < 2 * classes)
      throw UsageError(fmt::format(
          "'{}' has {} virtual channels; system.channel_classes: phases needs at least {} "
          "(attribute virtual_channels of {}), one for requests and one for responses of each of "
          "{} classes",
          graph.node(node).name, channels, 2 * classes, graph.node(node).impl(), classes));
  }
  if (!any || graph.spec().system.cyclic_buffers == CyclicBuffers::accept) return;
  const std::vector<std::string> cycle = dependency_cycle(graph, routes, virtual_channels, sends);
  if (cycle.empty()) return;
  std::string text = fmt::format(
      "finite buffers of this machine can deadlock: {} of them form a cyclic wait", cycle.size());
  constexpr std::size_t shown = 40;
  for (std::size_t i = 0; i < cycle.size() && i < shown; ++i) text += "\n  " + cycle[i];
  if (cycle.size() > shown) text += fmt::format("\n  and {} more", cycle.size() - shown);
  // A channel for each leg may be all that is missing.
  std::vector<std::uint32_t> of_legs = virtual_channels;
  for (std::uint32_t& channels : of_legs) channels = channels == 1 ? 2 : channels;
  text += of_legs != virtual_channels && dependency_cycle(graph, routes, of_legs, sends).empty()
              ? "\nvirtual_channels of 2 or more, for requests and responses apart, excludes"
              : "\nsip.cube_routes: x_first with system.channel_classes: phases (and "
                "virtual_channels of 8 or more) excludes";
  throw UsageError(text + " such cycles; system.cyclic_buffers: accept runs the machine as it is");
}

}  // namespace kernbench
