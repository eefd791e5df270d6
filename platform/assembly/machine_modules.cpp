#include "platform/assembly/machine_modules.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "models/base/exception_text.h"
#include "models/base/services.h"
#include "models/noc/credited_output.h"
#include "models/noc/link.h"
#include "models/pe/credit_network.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/machine_description.h"
#include "models/protocol/service_socket.h"
#include "platform/assembly/fault_guard.h"
#include "platform/assembly/report_guard.h"
#include "platform/config/pe_links.h"
#include "platform/topology/channel_dependencies.h"

namespace kernbench {
namespace {

// Level of the hierarchy that is not a node: sip0, sip0.cube0, ...
class ScopeModule final : public sc_core::sc_module {
 public:
  explicit ScopeModule(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}
};

// While it lives, new modules become children of `module` (null: of the top).
class Inside {
 public:
  explicit Inside(sc_core::sc_module* module) : module_(module) {
    if (module_ != nullptr) module_->simcontext()->hierarchy_push(module_);
  }
  ~Inside() {
    if (module_ != nullptr) module_->simcontext()->hierarchy_pop();
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  sc_core::sc_module* module_;
};

std::string_view parent_of(std::string_view name) {
  const auto dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
}
std::string_view leaf_of(std::string_view name) {
  return name.substr(name.rfind('.') + 1);
}  // npos + 1 == 0

// Length of the common prefix, up to and including its last dot.
std::size_t common_scope(std::string_view a, std::string_view b) {
  std::size_t common = 0;
  for (std::size_t i = 0; i < a.size() && i < b.size() && a[i] == b[i]; ++i) {
    if (a[i] == '.') common = i + 1;
  }
  return common;
}

// The factory may belong to a plug-in or to a plain TLM-2.0 module; exceptions that it throws are
// reported with the node.
std::unique_ptr<Component> create(const Implementation& implementation, const Node& node,
                                  const ComponentInit& init) {
  const bool outside = node.attributes().has("module");
  const std::string says = fmt::format("'{}': {} '{}' cannot be built: ", node.name,
                                       outside ? "the module" : "its implementation",
                                       outside ? node.attributes().text("module") : node.impl());
  std::unique_ptr<Component> component;
  try {
    const ReportGuard no_abort;
    const ForeignCode constructor(says);
    component = implementation.create(init);
  } catch (const Error&) {
    throw;
  } catch (...) {
    throw Error(says + text_of(with_place(std::current_exception())));
  }
  if (component == nullptr)
    throw UsageError(
        fmt::format("'{}': the factory of '{}' has returned null", node.name, node.impl()));
  return component;
}

}  // namespace

LinkName link_name(std::string_view src, std::string_view dst) {
  const std::size_t common = common_scope(src, dst);
  std::string leaf = fmt::format("{}__to__{}", src.substr(common), dst.substr(common));
  std::replace(leaf.begin(), leaf.end(), '.', '_');  // no dots inside a SystemC name
  return {src.substr(0, common == 0 ? 0 : common - 1), std::move(leaf)};
}

LinkInstance::LinkInstance(std::size_t edge_index, std::unique_ptr<Link> instance)
    : edge(edge_index), link(std::move(instance)) {}
LinkInstance::LinkInstance(LinkInstance&& other) noexcept = default;
LinkInstance::~LinkInstance() = default;

MachineModules::MachineModules(const Graph& graph, const ElaboratedPart& part,
                               const FabricEdges& edges, const ComponentRegistry& registry,
                               Services& services, ProtocolMonitors* monitors)
    : graph_(graph), part_(part),
      credit_network_(std::make_unique<CreditNetwork>("credit_network")) {
  create_components(registry, services);
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    const Node& node = graph.node(id);
    if (node.kind == Role::pe_ipcq && part.has(id))
      credit_network_->add({node.at.sip, node.at.cube, node.at.pe}, *components_[id], monitors);
  }
  bind_edges(edges, services.observation().link_traversals, monitors);
}

MachineModules::~MachineModules() {
  while (!links_.empty()) links_.pop_back();
  while (!components_.empty()) components_.pop_back();
  while (!scopes_.empty()) scopes_.pop_back();
}

sc_core::sc_module* MachineModules::scope(std::string_view path) {
  if (path.empty()) return nullptr;
  const auto found = modules_.find(path);
  if (found != modules_.end()) return found->second;
  const Inside inside(scope(parent_of(path)));
  scopes_.push_back(std::make_unique<ScopeModule>(std::string(leaf_of(path)).c_str()));
  return modules_.emplace(path, scopes_.back().get()).first->second;
}

void MachineModules::create_components(const ComponentRegistry& registry, Services& services) {
  components_.reserve(graph_.nodes().size());
  fabric_nodes_.reserve(graph_.nodes().size());
  modules_.reserve(graph_.nodes().size());
  for (const Node& node : graph_.nodes()) {  // by name: a parent precedes its children
    const auto id = static_cast<NodeId>(components_.size());
    if (!part_.has(id)) {
      components_.push_back(nullptr);
      fabric_nodes_.push_back(nullptr);
      continue;
    }
    const Implementation* implementation = registry.find(node.impl());
    if (implementation == nullptr || !implementation->create)
      throw UsageError(
          fmt::format("'{}': the implementation '{}' is not registered", node.name, node.impl()));
    const Inside inside(scope(parent_of(node.name)));
    components_.push_back(create(*implementation, node,
                                 {leaf_of(node.name).data(), id, node.attributes(), services}));
    elaborated_.push_back(components_.back().get());
    fabric_nodes_.push_back(dynamic_cast<FabricNode*>(elaborated_.back()));
    modules_.emplace(node.name, elaborated_.back());
  }
}

FabricNode& MachineModules::fabric_node(NodeId node) const {
  FabricNode* fabric_node = fabric_nodes_[node];
  if (fabric_node == nullptr) {
    throw UsageError(fmt::format(
        "'{}' has edges of the fabric, but its implementation '{}' is not a fabric node",
        graph_.node(node).name, graph_.node(node).impl()));
  }
  return *fabric_node;
}

std::vector<std::uint32_t> MachineModules::virtual_channels() const {
  std::vector<std::uint32_t> channels;
  channels.reserve(fabric_nodes_.size());
  for (const FabricNode* node : fabric_nodes_) {
    const InputBuffer buffer = node == nullptr ? InputBuffer() : node->input_buffer();
    channels.push_back(buffer.finite() ? buffer.virtual_channels : 0);
  }
  return channels;
}

// Edges sorted by (source, destination): outputs of every source and inputs of every destination
// are in ascending order of the peer, like port numbers.
void MachineModules::bind_edges(const FabricEdges& edges,
                                const AnalysisPort<LinkTraversal>& traversals,
                                ProtocolMonitors* monitors) {
  links_.reserve(graph_.edges().size());
  const auto flit_bytes = static_cast<std::uint32_t>(graph_.spec().system.flit_bytes);
  for (std::size_t i = 0; i < graph_.edges().size(); ++i) {
    if (!edges[i].is_elaborated) continue;
    const kernbench::Edge& edge = graph_.edges()[i];
    const Node& src = graph_.node(edge.src);
    const Node& dst = graph_.node(edge.dst);
    // Tasks and services between two engines of a PE; memory traffic to and from a TCM also uses
    // sockets.
    if (edge.kind == EdgeKind::pe_internal)
      bind_services(component(edge.src), component(edge.dst), dst.kind, monitors);
    if (edges[i].binding == EdgeBinding::internal) continue;
    const std::size_t common = common_scope(src.name, dst.name);
    FabricInitiatorSocket& out = fabric_node(edge.src).add_output(
        socket_peer(dst.name.substr(common)), edges[i].binding == EdgeBinding::link);
    FabricTargetSocket& in =
        fabric_node(edge.dst).add_input(edge.src, socket_peer(src.name.substr(common)));
    if (edges[i].binding == EdgeBinding::direct) {
      if (fabric_node(edge.dst).input_buffer().finite())
        throw UsageError(
            fmt::format("'{}' has finite input buffers, but there is no link from '{}' to return "
                        "credits: give the edge a length or a bandwidth",
                        dst.name, src.name));
      if (monitors == nullptr) {
        out.bind(in);
      } else {
        monitors->bind<FabricMonitor>(out, in, edge.src, edge.dst,
                                      FabricMonitor::Times{false, true});
      }
      continue;
    }
    const FabricNode& far_end = fabric_node(edge.dst);
    join_buffers(fabric_node(edge.src), out, far_end, edges[i].bw_gbs, flit_bytes,
                 channel_classes_of(graph_.spec()));
    const LinkName name = link_name(src.name, dst.name);
    const Inside inside(scope(name.scope));
    links_.emplace_back(i, std::make_unique<Link>(name.leaf.c_str(), edges[i].bw_gbs,
                                                  edges[i].propagation_fs, flit_bytes, traversals));
    Link& link = *links_.back().link;
    link.connect(out, in, monitors, edge.src, edge.dst, edge.kind != EdgeKind::pe_internal,
                 far_end.input_buffer());
  }
}

}  // namespace kernbench
