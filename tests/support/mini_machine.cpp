#include "tests/support/mini_machine.h"

#include <algorithm>
#include <tuple>

#include "models/base/errors.h"
#include "models/noc/credited_output.h"

namespace kernbench::test {

StubNode::StubNode(const ComponentInit& init)
    : FabricNode(init, ArrivalQueue::Forwarding::cut_through), ingress_(arrivals_, 0) {}

void StubNode::send_at(Transaction& transaction, Fs at) {
  const std::uint32_t flits = transaction.route().flits;
  if (flits == 0) return send(transaction, 0, 0, 0, at);
  if (at == now()) return send(transaction, 0, flits, 0, at);
  for (std::uint32_t flit = 0; flit < flits; ++flit) send(transaction, flit, 1, 0, at);
}

std::vector<Fs> StubNode::times() const {
  std::vector<Fs> times;
  for (const Received& received : records_) times.push_back(received.time);
  return times;
}

void StubNode::serve() {
  ingress_.serve(now(), [this](const Arrival& arrival, Fs /*start*/) {
    const RouteExtension& route = arrival.transaction->route();
    records_.push_back({arrival.time, route.key, arrival.flit,
                        route.is_control() ? 0 : route.bytes_of(arrival.flit), arrival.upstream,
                        route.leg});
    if (route.is_control() || arrival.flit + 1 == route.flits)
      route.listener->completed(*arrival.transaction);
  });
}

MiniMachine::MiniMachine(std::vector<std::string> names, std::uint32_t flit_bytes)
    : names_(std::move(names)), flit_bytes_(flit_bytes) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  std::sort(names_.begin(), names_.end());
  nodes_.resize(names_.size());
  counts_.resize(names_.size());
  observation_.single_flits = true;
  for (const std::string& name : names_) description_.nodes.push_back({name, {}, nullptr});
}

MiniMachine::~MiniMachine() = default;

NodeId MiniMachine::id(const std::string& name) const {
  const auto found = std::lower_bound(names_.begin(), names_.end(), name);
  if (found == names_.end() || *found != name)
    throw std::logic_error("no node '" + name + "' in this MiniMachine");
  return static_cast<NodeId>(found - names_.begin());
}

StubNode& MiniMachine::stub(const std::string& name) {
  const Attributes none;
  auto made = make_component<StubNode>({name.c_str(), id(name), none, *this});
  StubNode& node = *made;
  nodes_[id(name)] = std::move(made);
  return node;
}

Attributes MiniMachine::resolve(const ParameterSchema& schema,
                                const std::map<std::string, std::string>& attributes) const {
  Attributes resolved = defaults_of(schema);
  for (const Parameter& parameter : schema) {
    if (parameter.name() == "flit_bytes") resolved.set("flit_bytes", Rational(flit_bytes_));
    const auto given = attributes.find(parameter.name());
    if (given != attributes.end() && parameter.is_from_machine()) {
      resolved.set(
          parameter.name(),
          Rational::parse(given->second));  // a fact of this machine; the bounds are those of files
    } else if (given != attributes.end()) {
      resolved.set(parameter.name(), parameter.parse(given->second));
    }
    if (!resolved.has(parameter.name()))
      throw std::logic_error("no value for the parameter '" + parameter.name() + "'");
  }
  for (const auto& [name, value] : attributes) {
    if (!resolved.has(name)) throw std::logic_error("no parameter '" + name + "'");
  }
  return resolved;
}

void MiniMachine::connect(const std::string& a, const std::string& b, const MiniLink& there,
                          const MiniLink& back) {
  edges_.push_back({id(a), id(b), there});
  edges_.push_back({id(b), id(a), back});
}

void MiniMachine::elaborate() {
  std::sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) {
    return std::tie(a.from, a.to) < std::tie(b.from, b.to);
  });
  std::vector<FabricInitiatorSocket*> outputs;
  for (const Edge& edge : edges_) {
    const std::string name = names_[edge.from] + "__to__" + names_[edge.to];
    links_.push_back(std::make_unique<Link>(name.c_str(), Rational::parse(edge.link.bw_gbs),
                                            edge.link.propagation_fs, flit_bytes_,
                                            observation_.link_traversals));
    outputs.push_back(&nodes_[edge.from]->add_output(names_[edge.to]));
    join_buffers(*nodes_[edge.from], *outputs.back(), *nodes_[edge.to],
                 Rational::parse(edge.link.bw_gbs), flit_bytes_);
  }
  for (NodeId to = 0; to < names_.size(); ++to) {
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      const Edge& edge = edges_[i];
      if (edge.to != to) continue;
      links_[i]->connect(*outputs[i], nodes_[to]->add_input(edge.from, names_[edge.from]),
                         &monitors_, edge.from, edge.to, true, nodes_[to]->input_buffer());
    }
  }
  for (NodeId node = 0; node < nodes_.size(); ++node) {
    if (find_service<Transaction>(*nodes_[node]) == nullptr) continue;
    auto& host = hosts_[node] = std::make_unique<HostStub>(("host_of_" + names_[node]).c_str());
    host->to_pcie_ep.bind_to(*nodes_[node], Role::pcie_ep, "host", &monitors_);
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

void MiniMachine::issue(Transaction& transaction) {
  hosts_.at(transaction.route().path->source())->to_pcie_ep.nb_transport_fw(transaction);
}

const Link& MiniMachine::link(const std::string& from, const std::string& to) const {
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    if (edges_[i].from == id(from) && edges_[i].to == id(to)) return *links_.at(i);
  }
  throw std::logic_error("no link from " + from + " to " + to);
}

Link& MiniMachine::link(const std::string& from, const std::string& to) {
  return const_cast<Link&>(static_cast<const MiniMachine&>(*this).link(from, to));
}

void MiniMachine::set_path(const std::vector<std::string>& nodes) {
  std::vector<NodeId> ids;
  for (const std::string& node : nodes) ids.push_back(id(node));
  std::unique_ptr<Path>& there = paths_[{ids.front(), ids.back()}];
  there = std::make_unique<Path>(hops_of(ids), nullptr);
  std::reverse(ids.begin(), ids.end());
  reverses_.push_back(std::make_unique<Path>(hops_of(ids), there.get()));
  there->set_reverse(reverses_.back().get());
}

const Path& MiniMachine::path(NodeId from, NodeId to) {
  std::unique_ptr<Path>& there = paths_[{from, to}];
  if (!there) {
    std::vector<NodeId> nodes = shortest(from, to);
    std::unique_ptr<Path>& back = paths_[{to, from}];
    there = std::make_unique<Path>(hops_of(nodes), nullptr);
    std::reverse(nodes.begin(), nodes.end());
    back = std::make_unique<Path>(hops_of(nodes), there.get());
    there->set_reverse(back.get());
  }
  return *there;
}

std::vector<NodeId> MiniMachine::shortest(NodeId from, NodeId to) const {
  std::vector<NodeId> before(names_.size(), no_node);
  std::vector<NodeId> reached{from};
  for (std::size_t i = 0; i < reached.size() && before[to] == no_node; ++i) {
    for (const Edge& edge : edges_) {
      if (edge.from != reached[i] || edge.to == from || before[edge.to] != no_node) continue;
      before[edge.to] = edge.from;
      reached.push_back(edge.to);
    }
  }
  if (before[to] == no_node)
    throw RoutingError("no path from " + names_[from] + " to " + names_[to]);
  std::vector<NodeId> nodes{to};
  while (nodes.back() != from) nodes.push_back(before[nodes.back()]);
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

std::vector<PathHop> MiniMachine::hops_of(const std::vector<NodeId>& nodes) const {
  std::vector<PathHop> hops;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    PathHop hop;
    hop.node = nodes[i];
    const Attributes& attributes = nodes_[hop.node]->attributes();
    if (attributes.has("overhead_ns"))
      hop.overhead_fs = ns_to_fs(attributes.decimal("overhead_ns"));
    if (i + 1 < nodes.size()) {
      for (const Edge& edge : edges_) {
        if (edge.from != hop.node) continue;
        if (edge.to < nodes[i + 1]) ++hop.out_port;
        if (edge.to != nodes[i + 1]) continue;
        hop.propagation_fs = edge.link.propagation_fs;
        hop.bw_gbs = Rational::parse(edge.link.bw_gbs);
      }
    }
    hops.push_back(hop);
  }
  return hops;
}

Transaction& MiniMachine::request(tlm::tlm_command command, const std::string& from,
                                  const std::string& to, std::uint64_t offset, unsigned bytes,
                                  Fs issued) {
  TransactionHandle transaction = pool_.make();
  transaction->set_command(command);
  transaction->set_address(offset);
  transaction->set_data_length(bytes);
  RouteExtension& route = transaction->route();
  route.path = &path(from, to);
  route.key = {issued, id(from), counts_[id(from)]++};
  route.offset = offset;
  if (command == tlm::TLM_WRITE_COMMAND) route.cut_flits(bytes, flit_bytes_);
  route.listener = this;
  route.listener_tag = requests_.size();
  requests_.push_back(transaction);
  return *transaction;
}

Transaction& MiniMachine::write(const std::string& from, const std::string& to,
                                std::uint64_t offset, unsigned bytes, Fs issued) {
  return request(tlm::TLM_WRITE_COMMAND, from, to, offset, bytes, issued);
}

Transaction& MiniMachine::posted_write(const std::string& from, const std::string& to,
                                       std::uint64_t offset, unsigned bytes, Fs issued) {
  Transaction& transaction = write(from, to, offset, bytes, issued);
  transaction.route().posted = true;
  return transaction;
}

Transaction& MiniMachine::read(const std::string& from, const std::string& to, std::uint64_t offset,
                               unsigned bytes, Fs issued) {
  return request(tlm::TLM_READ_COMMAND, from, to, offset, bytes, issued);
}

Transaction& MiniMachine::control(const std::string& from, const std::string& to, Fs issued,
                                  bool host_control) {
  Transaction& transaction = request(tlm::TLM_IGNORE_COMMAND, from, to, 0, 0, issued);
  transaction.route().host_control = host_control;
  return transaction;
}

void MiniMachine::run() {
  if (sc_core::sc_pending_activity()) sc_core::sc_start();
  if (!fault_.empty()) throw ModelError(fault_);
  if (pool_.outstanding() != 0)
    throw std::logic_error(std::to_string(pool_.outstanding()) + " transactions have not ended");
}

void MiniMachine::completed(Transaction& transaction) {
  const std::uint64_t tag = transaction.route().listener_tag;
  completions_.push_back({Component::now(), tag});
  requests_.at(tag) = {};
}

Fs MiniMachine::completed_at(std::uint64_t tag) const {
  for (const Completed& completed : completions_) {
    if (completed.tag == tag) return completed.time;
  }
  return never_fs;
}

void MiniMachine::fatal(const sc_core::sc_object& where, const std::string& what) {
  if (!fault_.empty()) return;  // of the first one
  fault_ = std::string(where.name()) + ": " + what;
  sc_core::sc_stop();
}

}  // namespace kernbench::test
