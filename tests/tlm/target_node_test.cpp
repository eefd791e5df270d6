// `system.tlm_targets`: plain targets as nodes of their own, with addresses and attributes of their
// own (spec 2.1, 3.1).
//
// A write of 256 B, one flit: 1 ns on a 256 GB/s link, 4 ns on the target's of 64 GB/s, 1 fs of
// propagation each, 2 ns in a router. The acknowledgement takes the router's 2 ns and 1 fs per
// link.
#include <tlm_utils/simple_target_socket.h>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "models/base/errors.h"
#include "platform/config/resolved_config.h"
#include "platform/topology/topology_json.h"
#include "platform/traffic/traffic_file.h"
#include "platform/traffic/traffic_player.h"
#include "tests/support/forked.h"
#include "tests/support/temporary_folder.h"
#include "tests/tlm/boundary_machine.h"

using namespace kernbench;
using namespace kernbench::test;
using plain_tlm::LtInitiator;

namespace {

// A loosely timed memory of 64 bits, made from its declared parameters.
class Dram final : public sc_core::sc_module {
 public:
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    Param<Fs> latency{*this, Parameter::duration_ns("latency_ns", "of an access", "test")};
    Param<std::size_t> depth{
        *this, Parameter::integer("depth_bytes", "contents", "B", "test").default_val(8192)};
  };
  Dram(const sc_core::sc_module_name& name, const Attributes& attributes)
      : sc_module(name), socket("socket"), parameters_(attributes), contents(*parameters_.depth) {
    socket.register_b_transport(this, &Dram::b_transport);
    socket.register_transport_dbg(this, &Dram::transport_dbg);
  }

  tlm_utils::simple_target_socket<Dram, 64> socket;

 private:
  const Parameters parameters_;

 public:
  plain_tlm::ByteArray contents;
  std::vector<plain_tlm::Request> requests;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    requests.push_back({payload.get_command(), payload.get_address(), payload.get_data_length(),
                        sc_core::sc_time_stamp() + delay});
    contents.access(payload);
    delay += fs(*parameters_.latency);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return contents.debug(payload); }
};

constexpr const char* router = "sip0.cube0.r0c0";  // of PE 0

ExternalModules with_dram() {
  ExternalModules modules;
  modules.add_target("acme.dram", &Dram::socket, schema_of<Dram::Parameters>());
  return modules;
}

std::string target(const std::string& id, const std::string& attach, const std::string& more = "",
                   const std::string& attrs = "latency_ns: 30") {
  return "{id: " + id + ", attach: " + attach + ", bridge: {impl: acme.dram, attrs: {" + attrs +
         "}}, size_bytes: 8192" + more + "}";
}

std::uint64_t external(std::uint64_t offset) { return PhysAddr::external_addr(0, offset).encode(); }

MachineOptions with(const ExternalModules& modules) {
  MachineOptions options(MachineOptions::Engines::builtin);
  options.modules = modules;
  return options;
}

struct Machine : WholeMachine {
  explicit Machine(const std::string& targets, const ExternalModules& modules = with_dram(),
                   std::vector<Override> more = {})
      : WholeMachine("topology.tiny.yaml", set(targets, std::move(more)), with(modules)) {}

  static std::vector<Override> set(const std::string& targets, std::vector<Override> more) {
    more.push_back({"system.tlm_targets", "[" + targets + "]"});
    return more;
  }
  static Dram& dram(const std::string& name) {
    auto* found = dynamic_cast<Dram*>(sc_core::sc_find_object((name + ".module").c_str()));
    if (found == nullptr) throw std::logic_error("no module in " + name);
    return *found;
  }
};

// Without a simulation.
MachineSpec spec_of(const std::vector<Override>& set) {
  ComponentRegistry registry;
  register_builtin_components(registry, with_dram());
  return shipped_spec("topology.tiny.yaml", set, registry);
}
MachineSpec spec_of(const std::string& targets) {
  return spec_of(std::vector<Override>{{"system.tlm_targets", "[" + targets + "]"}});
}
std::string issue(const std::string& targets) {
  try {
    spec_of(targets);
  } catch (const ConfigError& error) {
    if (error.issues().size() == 1) return error.issues()[0].key + ": " + error.issues()[0].message;
    return std::to_string(error.issues().size()) + " issues:\n" + error.what();
  }
  return "no issue";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(target_node)

// --- Who reaches it

// At the link of pe_dma 1 ns after the grant; BEGIN_REQ at 1 + 1 + 2 + 4 ns and 2 fs after it, the
// answer 30 ns later, back after 2 ns and 2 fs. A read: the command 2 ns and 2 fs, the answer 4 + 2
// + 1 ns and 2 fs. The scheduler's 1 ns comes before.
KERNBENCH_SYSTEMC_TEST(a_kernel_reaches_it_at_its_physical_address) {
  Machine m(target("dram", router, ", bw_gbs: 64"));
  Fs written = 0, read = 0;
  const RunResult result = m.run([&](HostPort& port) {
    auto launch = host_message<KernelLaunch>();
    launch->kernel.name = "k";
    launch->targets = {{0, 0, 0}};
    launch->body = std::make_shared<FunctionKernel>([&](KernelContext& context) {
      const auto dma = [&](bool write) {
        Command command;
        command.what = DmaCommand{write, external(0x100), 256};
        const Fs before = context.now();
        context.wait(*context.issue(command));
        return context.now() - before;
      };
      written = dma(true);
      read = dma(false);
    });
    const auto request = port.submit(std::shared_ptr<const KernelLaunch>(launch));
    port.wait(*request);
    BOOST_TEST(request->response().completion.ok, request->response().completion.error_message);
  });
  BOOST_TEST(result.error == "");
  BOOST_TEST(written == 1 * ns + 1 * ns + (1 + 2 + 4) * ns + 30 * ns + 2 * ns + 4);
  BOOST_TEST(read == 1 * ns + 1 * ns + 2 * ns + 30 * ns + (4 + 2 + 1) * ns + 4);
  const Dram& dram = Machine::dram("sip0.cube0.dram");
  BOOST_REQUIRE(dram.requests.size() == 2U);
  BOOST_TEST(dram.requests[0].address == 0x100U);  // the offset in its range
  BOOST_TEST(m.statistic("sip0.cube0.dram", "bytes_written") == 256U);
}

// A payload has one address.
void check_refused(bool write) {
  Machine m(target("dram", router, ", bw_gbs: 64"));
  const RunResult result = m.run([&](HostPort& port) {
    auto launch = host_message<KernelLaunch>();
    launch->kernel.name = "k";
    launch->targets = {{0, 0, 0}};
    launch->body = std::make_shared<FunctionKernel>([&](KernelContext& context) {
      const AddressRuns runs{{external(0x100), 64}, {external(0x200), 64}};
      Command command;
      command.what =
          DmaCommand{write, external(0x100), 128, std::make_shared<const AddressRuns>(runs)};
      context.wait(*context.issue(command));
    });
    const auto request = port.submit(std::shared_ptr<const KernelLaunch>(launch));
    port.wait(*request);
    const std::string& error = request->response().completion.error_message;
    for (const char* part : {"sip0.cube0.dram answered TLM_BURST_ERROR_RESPONSE: ",
                             "dram serves contiguous accesses only, and this one has 2 runs"})
      BOOST_TEST(error.find(part) != std::string::npos, error);
  });
  BOOST_TEST(result.error == "");
  BOOST_TEST(Machine::dram("sip0.cube0.dram").requests.empty());
  BOOST_TEST(m.statistic("sip0.cube0.dram", "errors") == 1U);
}

KERNBENCH_SYSTEMC_TEST(it_refuses_a_read_of_several_runs_of_bytes) { check_refused(false); }
KERNBENCH_SYSTEMC_TEST(it_refuses_a_write_of_several_runs_of_bytes) { check_refused(true); }

KERNBENCH_SYSTEMC_TEST(the_host_writes_and_reads_it_wherever_it_stands) {
  Machine m(target("a", router) + ", " + target("b", "sip0.io0.io_noc") + ", " +
            target("c", "fabric.switch0"));
  const RunResult result = m.run([&](HostPort& port) {
    for (const std::uint64_t base : {0U, 8192U, 16384U}) {
      port.wait(*port.submit(memory_write({0, 0, 0}, external(base + 64), pattern(64))));
      const auto read = port.submit(memory_read({0, 0, 0}, external(base + 64), 64));
      port.wait(*read);
      BOOST_TEST(read->response().completion.ok);
    }
  });
  BOOST_TEST(result.error == "");
  for (const char* name : {"sip0.cube0.a", "sip0.io0.b", "fabric.c"}) {
    Dram& dram = Machine::dram(name);
    BOOST_TEST(dram.requests.size() == 2U, name);
    const auto& bytes = dram.contents.bytes();
    BOOST_TEST(std::vector<unsigned char>(bytes.begin() + 64, bytes.begin() + 128) == pattern(64),
               boost::test_tools::per_element());
  }
}

KERNBENCH_SYSTEMC_TEST(a_traffic_file_reaches_it_by_its_name) {
  Machine m(target("dram", router, ", bw_gbs: 64"));
  const TemporaryFile csv("requests.csv",
                          "at_ns,initiator,op,target,offset,bytes\n"
                          "0,sip0.cube0.pe0.pe_dma,write,sip0.cube0.dram,256,256\n"
                          "100,sip0.cube0.pe0.pe_dma,read,sip0.cube0.dram,256,256\n");
  struct Latencies final : TrafficListener {
    void in_order(const TrafficResult& result) override {
      all.push_back(result.end - result.request.issue);
    }
    std::vector<Fs> all;
  } latencies;
  TrafficFile file(csv.path(), *m.platform);
  file.check();
  TrafficPlayer player("traffic", *m.platform, file, latencies);
  BOOST_TEST(m.platform->run().error == "");
  BOOST_REQUIRE(latencies.all.size() == 2U);
  BOOST_TEST(latencies.all[0] == 1 * ns + (1 + 2 + 4) * ns + 30 * ns + 2 * ns + 4);
  BOOST_TEST(latencies.all[1] == 1 * ns + 2 * ns + 30 * ns + (4 + 2 + 1) * ns + 4);
  const TemporaryFile beyond("requests.csv",
                             "at_ns,initiator,op,target,offset,bytes\n"
                             "0,sip0.cube0.pe0.pe_dma,write,sip0.cube0.dram,8000,256\n");
  TrafficFile faulty(beyond.path(), *m.platform);
  BOOST_CHECK_EXCEPTION(faulty.check(), UsageError, [](const UsageError& error) {
    return std::string(error.what()).find("which has 8192 bytes") != std::string::npos;
  });
}

// Both at the switch: 5 ns in it, on links without a limit 1 fs each, in both directions.
KERNBENCH_SYSTEMC_TEST(a_plain_initiator_reaches_it_and_both_may_stand_at_the_switch) {
  ExternalModules modules = with_dram();
  Fs near = 0, far = 0;
  std::vector<LtInitiator::Program> programs{[&](LtInitiator& i) {
    BOOST_TEST(i.write(external(0), pattern(256)).status == tlm::TLM_OK_RESPONSE);
    near = sc_core::sc_time_stamp().value();
    BOOST_TEST(i.write(external(8192), pattern(256)).status == tlm::TLM_OK_RESPONSE);
    far = sc_core::sc_time_stamp().value() - near;
    BOOST_TEST(i.read(external(0), 256) == pattern(256), boost::test_tools::per_element());
    BOOST_TEST(i.write(external(16384), pattern(4)).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }};
  modules.add_initiator("acme.dma", [&](const char* name, ExternalModules::TargetSocket& bridge) {
    auto made = std::make_unique<LtInitiator>(name, programs);
    made->socket.bind(bridge);
    return made;
  });
  Machine m(target("dram", "fabric.switch0") + ", " + target("dram", router), modules,
            {{"system.tlm_initiators",
              "[{id: dma, attach: fabric.switch0, bridge: {impl: acme.dma, attrs: {}}}]"}});
  BOOST_TEST(m.platform->run().error == "");
  BOOST_TEST(near == 2 * 5 * ns + 30 * ns + 4);
  BOOST_TEST(far > near);  // through an IO chiplet and a cube
  BOOST_TEST(m.statistic("fabric.dma", "errors") == 1U);
  BOOST_TEST(m.statistic("fabric.dram", "writes") == 1U);
  BOOST_TEST(m.statistic("sip0.cube0.dram", "writes") == 1U);
}

// --- Its attributes

KERNBENCH_SYSTEMC_TEST(attributes_of_module_and_bridge_reach_them_and_an_instance_has_its_own) {
  ExternalModules modules = with_dram();
  std::vector<Fs> taken;
  std::vector<LtInitiator::Program> programs{[&](LtInitiator& i) {
    for (const std::uint64_t base : {0U, 8192U}) {
      const Fs before = sc_core::sc_time_stamp().value();
      i.write(external(base), pattern(256));
      taken.push_back(sc_core::sc_time_stamp().value() - before);
    }
  }};
  modules.add_initiator("acme.dma", [&](const char* name, ExternalModules::TargetSocket& bridge) {
    auto made = std::make_unique<LtInitiator>(name, programs);
    made->socket.bind(bridge);
    return made;
  });
  Machine m(
      target("a", "fabric.switch0", "", "latency_ns: 10, overhead_ns: 3") + ", " +
          target("b", "fabric.switch0", "", "latency_ns: 10"),
      modules,
      {{"fabric.b.attrs.latency_ns", "20"},
       {"system.tlm_initiators", "[{id: dma, attach: fabric.switch0, bridge: {impl: acme.dma}}]"}});
  BOOST_TEST(m.platform->run().error == "");
  BOOST_REQUIRE(taken.size() == 2U);
  BOOST_TEST(taken[0] == (10 + 3 + 10) * ns + 4);
  BOOST_TEST(taken[1] == (10 + 20) * ns + 4);
}

BOOST_AUTO_TEST_CASE(a_module_is_an_implementation_with_the_parameters_of_both) {
  ComponentRegistry registry;
  register_builtin_components(registry, with_dram());
  const Implementation* dram = registry.find("acme.dram");
  BOOST_REQUIRE(dram != nullptr);
  std::vector<std::string> names;
  for (const Parameter& parameter : dram->schema) names.push_back(parameter.name());
  BOOST_TEST(names == (std::vector<std::string>{"overhead_ns", "size_mb", "flit_bytes",
                                                "latency_ns", "depth_bytes"}),
             boost::test_tools::per_element());
  for (const Role role : {Role::tlm_target, Role::sram, Role::hbm_ctrl})
    BOOST_TEST(dram->may_stand_at(role));
}

BOOST_AUTO_TEST_CASE(a_parameter_that_the_bridge_has_is_refused) {
  ExternalModules modules;
  modules.add_target("acme.twice", &Dram::socket,
                     {Parameter::duration_ns("overhead_ns", "of a bridge", "test")});
  ComponentRegistry registry;
  BOOST_CHECK_EXCEPTION(register_builtin_components(registry, modules), UsageError,
                        [](const UsageError& error) {
                          return std::string(error.what()) ==
                                 "the external module 'acme.twice' declares the parameter "
                                 "'overhead_ns', which its bridge has, or twice";
                        });
}

BOOST_AUTO_TEST_CASE(a_name_of_an_initiator_and_a_target_stands_behind_module_alone) {
  ExternalModules modules = with_dram();
  modules.add_initiator("acme.dram",
                        [](const char*, ExternalModules::TargetSocket&) { return nullptr; });
  ComponentRegistry registry;
  register_builtin_components(registry, modules);
  BOOST_TEST((registry.find("acme.dram") == nullptr));
  BOOST_TEST((registry.find("builtin.tlm_initiator_bridge") != nullptr));
}

// --- Its addresses

BOOST_AUTO_TEST_CASE(ranges_are_placed_and_exported_with_those_of_all_memories) {
  const MachineSpec spec =
      spec_of(target("a", router) + ", " + target("b", router, ", base_bytes: 8192") + ", " +
              target("c", "fabric.switch0"));
  const auto json = nlohmann::json::parse(topology_json(build_graph(spec)));
  std::map<std::string, std::pair<std::string, std::uint64_t>> ranges;
  for (const auto& node : json["nodes"]) {
    if (node.contains("address"))
      ranges[node["name"]] = {node["address"], node["size_bytes"].get<std::uint64_t>()};
  }
  BOOST_TEST(ranges.size() == 8U + 8U + 3U + 3U);  // hbm_ctrl, pe_tcm, sram m_cpu io_cpu, targets
  const auto range = [&](const char* name) { return ranges.at(name); };
  BOOST_TEST(range("sip0.cube0.a").first == "0x540000000000");  // die 21
  BOOST_TEST(range("sip0.cube0.b").first == "0x540000002000");
  BOOST_TEST(range("fabric.c").first == "0x540000004000");  // the lowest free place
  BOOST_TEST(range("fabric.c").second == 8192U);
  BOOST_TEST(range("sip0.cube0.hbm_ctrl.pe1").first == "0x2180000000");
  BOOST_TEST(range("sip0.cube0.sram").second == 32U << 20);
}

BOOST_AUTO_TEST_CASE(the_resolved_configuration_has_the_same_places) {
  ComponentRegistry registry;
  register_builtin_components(registry, with_dram());
  const MachineSpec spec = spec_of(target("a", router) + ", " + target("b", router));
  const std::string text = resolved_config(spec, registry);
  const TemporaryFolder folder;
  MachineSpec again = load_machine(folder.write("resolved.yaml", text), {}, registry);
  again.source_path.clear();
  BOOST_TEST(resolved_config(again, registry) == text);
  BOOST_TEST((topology_json(build_graph(again)) == topology_json(build_graph(spec))));
}

BOOST_AUTO_TEST_CASE(a_range_is_aligned_inside_the_window_and_of_one_target) {
  const std::string at = "system.tlm_targets.";
  BOOST_TEST(issue(target("a", router, ", base_bytes: 100")) ==
             at + "0.base_bytes: found 100, allowed is a multiple of 4096");
  BOOST_TEST(issue("{id: a, attach: sip0.cube0.r0c0, bridge: {impl: acme.dram, attrs: {latency_ns: "
                   "1}}, size_bytes: 5000}") ==
             at + "0.size_bytes: found 5000, allowed is a multiple of 4096");
  BOOST_TEST(issue(target("a", router, ", base_bytes: 4096") + ", " +
                   target("b", "fabric.switch0", ", base_bytes: 8192")) ==
             at + "1.base_bytes: found 8192 to 16383, which overlaps sip0.cube0.a with 4096 to "
                  "12287");
  BOOST_TEST(issue(target("a", router, ", base_bytes: 4398046507008")) ==
             at +
                 "0.base_bytes: found 4398046507008, allowed is that the 8192 bytes end within the "
                 "window of 4398046511104");
}

BOOST_AUTO_TEST_CASE(its_place_and_its_name_are_checked) {
  const std::string at = "system.tlm_targets.";
  BOOST_TEST(
      issue(target("a", "sip0.cube0.sram"))
          .rfind(at + "0.attach: found 'sip0.cube0.sram', allowed is the name of a router of a "
                      "cube, of an io_noc or of the switch",
                 0) == 0U);
  BOOST_TEST(issue(target("switch0", "fabric.switch0")) ==
             at + "0.id: found 'switch0', which is or may be the name of another node");
  BOOST_TEST(issue(target("a", router) + ", " + target("a", "sip0.cube0.r5c5")) ==
             at + "1.id: found 'a' a second time beside sip0.cube0.r5c5; ids are unique in their "
                  "scope");
  BOOST_TEST(issue(target("a", router, "", "depth_bytes: 4096")) ==
             at + "0.bridge.attrs.latency_ns: the key is missing; allowed is a number, 0 to "
                  "1000000000");
}

// A byte behind it has no memory: the layout tells so.
BOOST_AUTO_TEST_CASE(an_address_without_a_target_is_told_as_such) {
  const MachineDescription machine = describe_machine(build_graph(spec_of(target("a", router))));
  BOOST_TEST(machine.name(machine.place_of(external(8191)).node) == "sip0.cube0.a");
  BOOST_CHECK_EXCEPTION(machine.place_of(external(8192)), RoutingError,
                        [](const RoutingError& error) {
                          return std::string(error.what()) ==
                                 "no plain TLM-2.0 target of this machine serves the physical "
                                 "address 0x540000002000 (sip 0 die 21 EXTERNAL +0x2000)";
                        });
}

BOOST_AUTO_TEST_SUITE_END()
