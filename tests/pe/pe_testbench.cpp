#include "tests/pe/pe_testbench.h"

#include <sysc/kernel/sc_spawn.h>
#include <sysc/kernel/sc_spawn_options.h>

#include <algorithm>
#include <tuple>

#include "models/base/errors.h"
#include "models/pe/pe_components.h"
#include "models/protocol/service_socket.h"
#include "platform/config/pe_links.h"

namespace kernbench::test {
namespace {

Attributes resolve(const ParameterSchema& schema, const std::map<std::string, std::string>& given) {
  Attributes resolved = defaults_of(schema);
  resolved.set("flit_bytes", Rational(256));
  for (const auto& [name, value] : given) {
    const auto found =
        std::find_if(schema.begin(), schema.end(),
                     [&name = name](const Parameter& p) { return p.name() == name; });
    if (found == schema.end()) throw std::logic_error("no parameter '" + name + "'");
    resolved.set(name, found->parse(value));
  }
  return resolved;
}

}  // namespace

// --- Neighbours

PeNeighbour::PeNeighbour(const ComponentInit& init, Fs latency)
    : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward),
      memory_(arrivals_, latency, 256) {}

Fs PeNeighbour::next_due() const {
  const Arrival* head = arrivals_.control();
  if (head != nullptr && head->transaction->route().leg == Leg::response) return head->time;
  return memory_.next_due();
}

void PeNeighbour::serve() {
  while (next_due() <= now()) {
    const Arrival head = *arrivals_.control();
    if (head.transaction->route().leg == Leg::response) {
      arrivals_.pop_control();
      head.transaction->route().listener->completed(*head.transaction);
      continue;
    }
    memory_.serve(
        now(),
        [this](Transaction& transaction, std::uint32_t flit, std::uint32_t count) {
          send(transaction, flit, count, 0, now());
        },
        [this](const Arrival& arrival) {
          seen_.push_back(
              {arrival.time, arrival.transaction->is_write(), arrival.transaction->route().offset,
               arrival.transaction->get_data_length(), arrival.transaction->route().channel});
        });
  }
}

// --- Building

PeTestbench::PeTestbench(const Settings& settings, Fs memory_latency, AddressModel model) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  for (const auto& [engine, stages] : engines_of_pe) names_.emplace_back(name_of(engine));
  observation_.executed_ops.bind(*this);
  observation_.trace_events.bind(*this);
  for (const char* name : {"m_cpu", "mem0", "mem1", "mem2"}) names_.emplace_back(name);
  std::sort(names_.begin(), names_.end());
  describe_machine(model);
  ComponentRegistry engines;
  register_pe_components(engines);
  for (const Implementation* engine : engines.list()) add_engine(*engine, settings);
  const Attributes none;
  for (const char* name : {"mem0", "mem1", "mem2"})
    memories_.push_back(make_component<PeNeighbour>({name, id(name), none, *this}, memory_latency));
  user_ = make_component<PeUser>({"user", no_node, none, *this});
  m_cpu_ = make_component<PeNeighbour>({"m_cpu", id("m_cpu"), none, *this}, Fs{0});
  for (const char* name : {"mem0", "mem1", "mem2", "m_cpu"}) connect("pe_dma", name, true);
  connect("m_cpu", "pe_cpu", true);
  connect("m_cpu", "pe_mmu", true);
  connect("pe_dma", "pe_tcm", false);
}

PeTestbench::~PeTestbench() = default;

void PeTestbench::add_engine(const Implementation& implementation, const Settings& settings) {
  const std::string name(name_of(implementation.roles.front()));
  const auto given = settings.find(name);
  const Attributes attributes =
      resolve(implementation.schema,
              given == settings.end() ? std::map<std::string, std::string>{} : given->second);
  engines_[name] = implementation.create({name.c_str(), id(name), attributes, *this});
}

void PeTestbench::connect(const std::string& a, const std::string& b, bool link) {
  edges_.push_back({id(a), id(b), link});
  edges_.push_back({id(b), id(a), link});
}

// Interfaces that two engines do not have in common are not bound.
void PeTestbench::bind_engines() {
  for (const EnginePair& pair : pe_internal_pairs()) {
    bind_services(*engines_.at(std::string(name_of(pair.src))),
                  *engines_.at(std::string(name_of(pair.dst))), pair.dst, &monitors_);
  }
  for (const EngineOfPe& row : engines_of_pe)
    bind_services(*user_, *engines_.at(std::string(name_of(row.engine))), row.engine, &monitors_);
}

void PeTestbench::elaborate() {
  if (elaborated_) return;
  elaborated_ = true;
  describe_nodes();
  bind_engines();
  std::sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) {
    return std::tie(a.from, a.to) < std::tie(b.from, b.to);
  });
  std::map<std::pair<NodeId, NodeId>, FabricInitiatorSocket*> outputs;
  for (const Edge& edge : edges_)
    outputs[{edge.from, edge.to}] = &fabric_node(edge.from).add_output(names_[edge.to]);
  std::sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) {
    return std::tie(a.to, a.from) < std::tie(b.to, b.from);
  });
  for (const Edge& edge : edges_) {
    FabricTargetSocket& input = fabric_node(edge.to).add_input(edge.from, names_[edge.from]);
    FabricInitiatorSocket& output = *outputs[{edge.from, edge.to}];
    if (!edge.link) {
      monitors_.bind<FabricMonitor>(output, input, edge.from, edge.to,
                                    FabricMonitor::Times{false, true});
      continue;
    }
    links_.push_back(
        std::make_unique<Link>((names_[edge.from] + "__to__" + names_[edge.to]).c_str(),
                               Rational(256), Fs{1}, 256, observation_.link_traversals));
    Link& link = *links_.back();
    link.connect(output, input, &monitors_, edge.from, edge.to);
  }
}

NodeId PeTestbench::id(const std::string& name) const {
  const auto found = std::lower_bound(names_.begin(), names_.end(), name);
  if (found == names_.end() || *found != name)
    throw std::logic_error("no node '" + name + "' in this bench");
  return static_cast<NodeId>(found - names_.begin());
}

FabricNode& PeTestbench::fabric_node(NodeId node) const {
  const std::string& name = names_[node];
  if (name == "m_cpu") return *m_cpu_;
  if (name.rfind("mem", 0) == 0) return *memories_.at(static_cast<std::size_t>(name[3] - '0'));
  return dynamic_cast<FabricNode&>(*engines_.at(name));
}

std::uint16_t PeTestbench::port_of(NodeId from, NodeId to) const {
  return static_cast<std::uint16_t>(std::count_if(
      edges_.begin(), edges_.end(), [&](const Edge& e) { return e.from == from && e.to < to; }));
}

const Path& PeTestbench::path(const std::vector<std::string>& nodes) {
  std::unique_ptr<Path>& there = paths_[nodes];
  if (there) return *there;
  const auto hops = [this](const std::vector<std::string>& way) {
    std::vector<PathHop> all;
    for (std::size_t i = 0; i < way.size(); ++i) {
      PathHop hop;
      hop.node = id(way[i]);
      if (i + 1 < way.size()) {
        const NodeId next = id(way[i + 1]);
        hop.out_port = port_of(hop.node, next);
        hop.propagation_fs = std::any_of(edges_.begin(), edges_.end(), [&](const Edge& edge) {
          return edge.from == hop.node && edge.to == next && edge.link;
        });
      }
      all.push_back(hop);
    }
    return all;
  };
  const std::vector<std::string> back(nodes.rbegin(), nodes.rend());
  there = std::make_unique<Path>(hops(nodes), nullptr);
  std::unique_ptr<Path>& reverse = paths_[back];
  reverse = std::make_unique<Path>(hops(back), paths_[nodes].get());
  paths_[nodes]->set_reverse(reverse.get());
  return *paths_[nodes];
}

const Path& PeTestbench::memory_path(NodeId initiator, NodeId memory) {
  if (names_[initiator] == "m_cpu") return path({"m_cpu", "pe_dma", names_[memory]});
  return path({names_[initiator], names_[memory]});
}

// One PE; what components ask for as they are made.
void PeTestbench::describe_machine(AddressModel model) {
  machine_.address_model = model;
  machine_.hbm_mapping = HbmMapping::one_to_one;
  machine_.hbm_interleave = {4, 256};
  machine_.hbm_slice_bytes = machine_.sram_bytes = memory_bytes;
  machine_.tcm_bytes = 2 << 20;
  machine_.scratch_bytes = 1 << 20;
  machine_.page_bytes = 4096;
  machine_.size_tables();
  machine_.tables.m_cpus = {id("m_cpu")};
  machine_.tables.hbms = {id("mem0")};
  for (const EngineOfPe& row : engines_of_pe)
    machine_.tables.engines[static_cast<std::size_t>(row.engine)] = {
        id(std::string(name_of(row.engine)))};
  for (const std::string& name : names_) machine_.nodes.push_back({name, name, nullptr});
  machine_.memory_map = MemoryMap({{0, memory_bytes, id("mem0")},
                                   {memory_bytes, memory_bytes, id("mem1")},
                                   {2 * memory_bytes, memory_bytes, id("mem2")},
                                   {tcm_base, machine_.tcm_bytes, id("pe_tcm")}});
}

// Of the engines that are there at the end.
void PeTestbench::describe_nodes() {
  for (const auto& [name, engine] : engines_)
    machine_.nodes[id(name)].attributes = &engine->attributes();
  const std::int64_t reserved_kb = engines_.at("pe_tcm")->attributes().integer("reserved_kb");
  machine_.tcm_reserved_bytes = static_cast<std::uint64_t>(reserved_kb) * 1024;
}

// --- Running

void PeTestbench::at(Fs time, std::function<void()> action) {
  sc_core::sc_spawn(
      [this, time, action = std::move(action)] {
        if (time > 0) sc_core::wait(Component::fs(time));
        try {
          action();
        } catch (const sc_core::sc_unwind_exception&) {
          throw;
        } catch (const std::exception& error) {
          if (fault_.empty()) fault_ = std::string("action: ") + error.what();
        }
      },
      ("action" + std::to_string(actions_++)).c_str());
}

void PeTestbench::run() {
  elaborate();
  sc_core::sc_start();
  if (fault_expected_) return;
  if (!fault_.empty()) throw ModelError(fault_);
  if (pool_.outstanding() != 0)
    throw std::logic_error(std::to_string(pool_.outstanding()) + " transactions have not ended");
  if (pending_waits_.any())
    throw std::logic_error("waits for ever: " + pending_waits_.waiters().front().what);
}

void PeTestbench::fatal(const sc_core::sc_object& where, const std::string& what) {
  if (fault_.empty()) fault_ = std::string(where.name()) + ": " + what;
  sc_core::sc_stop();
}

PeTestbench::Translation PeTestbench::translate(std::uint64_t address, std::uint64_t nbytes) {
  TranslationRequest request;
  request.address = address;
  request.nbytes = nbytes;
  const Fs cost = user_->to_mmu.b_transport(request);
  return {request.ranges, cost};
}

Fs PeTestbench::done_at(std::uint64_t id) const {
  const auto found = done_.find(id);
  return found == done_.end() ? never_fs : found->second;
}

Transaction& PeTestbench::make_request(tlm::tlm_command command, const Path& path) {
  TransactionHandle transaction = pool_.make();
  transaction->set_command(command);
  RouteExtension& route = transaction->route();
  route.path = &path;
  route.key = {Component::now(), id("m_cpu"), keys_++};
  route.listener = this;
  route.listener_tag = requests_.size();
  requests_.push_back(transaction);
  answers_.emplace_back();
  return *transaction;
}

std::size_t PeTestbench::send_control(const std::string& to, std::shared_ptr<const Message> message,
                                      bool posted) {
  Transaction& transaction = make_request(tlm::TLM_IGNORE_COMMAND, path({"m_cpu", to}));
  transaction.route().message = std::move(message);
  transaction.route().host_control = true;
  transaction.route().posted = posted;
  m_cpu_->send_request(transaction);
  return requests_.size() - 1;
}

std::size_t PeTestbench::send_to_tcm(bool write, std::uint64_t offset, unsigned bytes) {
  Transaction& transaction = make_request(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND,
                                          memory_path(id("m_cpu"), id("pe_tcm")));
  transaction.set_data_length(bytes);
  transaction.route().offset = offset;
  if (write) transaction.route().cut_flits(bytes, 256);
  m_cpu_->send_request(transaction);
  return requests_.size() - 1;
}

void PeTestbench::completed(Transaction& transaction) {
  const std::uint64_t tag = transaction.route().listener_tag;
  answers_.at(tag) = {Component::now(), transaction.route().message};
  requests_.at(tag) = {};
}

// --- Observing

void PeTestbench::write(const ExecutedOp& op) {
  ops_.push_back(
      {op.t_start, op.t_end, op.node->name(), op.name, op.command_id, op.tile_id, op.bytes});
}

void PeTestbench::write(const TraceEvent& event) {
  trace_.push_back(event);
  if (event.kind == TraceKind::command_complete) done_[event.command_id] = event.time;
}

std::vector<PeTestbench::Op> PeTestbench::ops(const std::string& name) const {
  std::vector<Op> found;
  for (const Op& op : ops_) {
    if (op.name == name) found.push_back(op);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Op& a, const Op& b) { return a.start < b.start; });
  return found;
}

PeTestbench::Op PeTestbench::op(const std::string& name, std::int64_t tile,
                                std::uint64_t command) const {
  std::vector<Op> found;
  for (const Op& op : ops_) {
    if (op.name == name && (tile < 0 || op.tile == tile) && (command == 0 || op.command == command))
      found.push_back(op);
  }
  if (found.size() != 1)
    throw std::logic_error(std::to_string(found.size()) + " records of " + name +
                           ", expected is one");
  return found.front();
}

std::uint64_t PeTestbench::statistic(const std::string& engine, const std::string& name) {
  for (const Statistic& statistic : engines_.at(engine)->statistics()) {
    if (statistic.name == name) return *statistic.value;
  }
  throw std::logic_error("no statistic '" + name + "' in " + engine);
}

}  // namespace kernbench::test
