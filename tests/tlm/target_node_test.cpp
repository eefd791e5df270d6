// `system.tlm_targets`: plain targets as nodes of their own, with addresses and attributes of their
// own (spec 2.1, 3.1).
//
// A write of 256 B, one flit: 1 ns on a 256 GB/s link, 4 ns on the target's of 64 GB/s, 1 fs of
// propagation each, 2 ns in a router. The acknowledgement takes the router's 2 ns and 1 fs per
// link.
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "models/base/atomic_op.h"
#include "models/base/errors.h"
#include "platform/traffic/traffic_file.h"
#include "platform/traffic/traffic_player.h"
#include "tests/support/error_text.h"
#include "tests/support/forked.h"
#include "tests/support/temporary_folder.h"
#include "tests/tlm/boundary_machine.h"
#include "tests/tlm/dram_target.h"

using namespace kernbench;
using namespace kernbench::test;
using plain_tlm::LtInitiator;

BOOST_AUTO_TEST_SUITE(target_node)

// --- Who reaches it

// At the link of pe_dma 1 ns after the grant; BEGIN_REQ at 1 + 1 + 2 + 4 ns and 2 fs after it, the
// answer 30 ns later, back after 2 ns and 2 fs. A read: the command 2 ns and 2 fs, the answer 4 + 2
// + 1 ns and 2 fs. The scheduler's 1 ns comes before.
KERNBENCH_SYSTEMC_TEST(a_kernel_reaches_it_at_its_physical_address) {
  Machine m(target("dram", router, ", bw_gbs: 64"));
  Fs written = 0, read = 0;
  const Completion completion = run_kernel(m, [&](KernelContext& context) {
    const auto dma = [&](bool write) {
      const Fs before = context.now();
      issue_dma(context, {write, external(0x100), 256});
      return context.now() - before;
    };
    written = dma(true);
    read = dma(false);
  });
  BOOST_TEST(completion.ok, completion.error_message);
  BOOST_TEST(written == 1 * ns + 1 * ns + (1 + 2 + 4) * ns + 30 * ns + 2 * ns + 4);
  BOOST_TEST(read == 1 * ns + 1 * ns + 2 * ns + 30 * ns + (4 + 2 + 1) * ns + 4);
  const Dram& dram = Machine::dram("sip0.cube0.dram");
  BOOST_REQUIRE(dram.requests.size() == 2U);
  BOOST_TEST(dram.requests[0].address == 0x100U);  // the offset in its range
  BOOST_TEST(m.statistic("sip0.cube0.dram", "bytes_written") == 256U);
}

void check_refused(const DmaCommand& dma, const std::vector<std::string>& parts) {
  Machine m(target("dram", router, ", bw_gbs: 64"));
  const Completion completion =
      run_kernel(m, [&](KernelContext& context) { issue_dma(context, dma); });
  BOOST_TEST(!completion.ok);
  check_contains(completion.error_message, parts);
  BOOST_TEST(Machine::dram("sip0.cube0.dram").requests.empty());
  BOOST_TEST(m.statistic("sip0.cube0.dram", "errors") == 1U);
}

// A payload has one address.
void check_refused_runs(bool write) {
  const AddressRuns runs{{external(0x100), 64}, {external(0x200), 64}};
  check_refused({write, external(0x100), 128, std::make_shared<const AddressRuns>(runs)},
                {"sip0.cube0.dram answered TLM_BURST_ERROR_RESPONSE: ",
                 "dram serves contiguous accesses only, and this one has 2 runs"});
}
KERNBENCH_SYSTEMC_TEST(it_refuses_a_read_of_several_runs_of_bytes) { check_refused_runs(false); }
KERNBENCH_SYSTEMC_TEST(it_refuses_a_write_of_several_runs_of_bytes) { check_refused_runs(true); }

// A payload reads or writes.
KERNBENCH_SYSTEMC_TEST(it_refuses_an_atomic_access) {
  check_refused(
      {true, external(0x100), 4, nullptr,
       std::make_shared<const AtomicAccess>(AtomicAccess{AtomicOp::add})},
      {"sip0.cube0.dram answered TLM_COMMAND_ERROR_RESPONSE: ",
       "atomic_add is not served there; built-in HBM and SRAM serve it, RTL blocks and plain "
       "TLM-2.0 targets do not"});
}

KERNBENCH_SYSTEMC_TEST(the_host_writes_and_reads_it_at_every_attachment) {
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
  BOOST_CHECK_EXCEPTION(faulty.check(), UsageError, with_text<UsageError>("which has 8192 bytes"));
}

// Both at the switch: 5 ns in it, on links without a limit 1 fs each, in both directions.
KERNBENCH_SYSTEMC_TEST(a_plain_initiator_reaches_it_and_both_may_be_attached_to_the_switch) {
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
  BOOST_TEST(error_of<UsageError>([&] { register_builtin_components(registry, modules); }) ==
             "the external module 'acme.twice' declares the parameter 'overhead_ns', which its "
             "bridge has, or twice");
}

BOOST_AUTO_TEST_CASE(a_name_of_an_initiator_and_a_target_follows_module_alone) {
  ExternalModules modules = with_dram();
  modules.add_initiator("acme.dram",
                        [](const char*, ExternalModules::TargetSocket&) { return nullptr; });
  ComponentRegistry registry;
  register_builtin_components(registry, modules);
  BOOST_TEST((registry.find("acme.dram") == nullptr));
  BOOST_TEST((registry.find("builtin.tlm_initiator_bridge") != nullptr));
}

BOOST_AUTO_TEST_SUITE_END()
