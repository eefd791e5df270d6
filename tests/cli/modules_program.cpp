// What makes `kernbench_modules` of the program's own objects: plain TLM-2.0 initiators, also those
// of module_faults.cpp, and the targets of module_targets.cpp. The linker sends calls of
// register_builtin_components() here (--wrap).
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "models/base/component_registry.h"
#include "tests/cli/faulty_components.h"
#include "tests/cli/memory_faults.h"
#include "tests/cli/module_initiators.h"

#define WRAPPED(prefix) \
  prefix##_ZN9kernbench27register_builtin_componentsERNS_17ComponentRegistryERKNS_15ExternalModulesE

namespace kernbench {

void add_targets(ExternalModules& modules);  // module_targets.cpp
void add_faulty(ExternalModules& modules);   // module_faults.cpp

namespace {

using namespace test;

volatile int zero = 0;
int* volatile nothing = nullptr;

// A well-behaved one: what it writes comes back.
template <unsigned Width>
void copy(Initiator<Width>& i) {
  std::vector<unsigned char> data(200, 0x5a), back(data.size());
  if (!i.access(write_command, hbm(24), data) || !i.access(read_command, hbm(24), back) ||
      back != data)
    SC_REPORT_ERROR("test/copy", "what comes back is not what was written");
}

void add_good(ExternalModules& modules) {
  add<8>(modules, "width_8", copy<8>);
  add<32>(modules, "width_32", copy<32>);
  add<64>(modules, "width_64", copy<64>);
  add<512>(modules, "width_512", copy<512>);
  add(modules, "unaligned", [](I& i) {
    for (std::size_t length : {1, 3, 65, 4097}) i.read(hbm(length * 7), length);
  });
  add(modules, "sram_read", [](I& i) { i.read(sram(64)); });
  add(modules, "words", [](I& i) {
    SC_REPORT_INFO("acme/dma", "starts to copy");
    SC_REPORT_WARNING("acme/dma", "the FIFO is half full");
    SC_REPORT_INFO_VERB("acme/dma", "beat 1", sc_core::SC_HIGH);
    sc_core::wait(12, ns);
    i.read(hbm());
  });
  add(modules, "pauses", [](I& i) {
    for (int k = 0; k < 3; ++k) sc_core::sc_pause(), sc_core::wait(5, ns);
    i.read(hbm());
  });
  add(modules, "clocked", [](I& i) {
    i.read(hbm());
    for (;;) sc_core::wait(100, ns);
  });
  add(modules, "byte_enables", [](I& i) {
    std::vector<unsigned char> data(8, 0x11), back(8, 0xee);
    unsigned char enables[] = {0xff, 0x00};
    const auto masked = [&](tlm::tlm_generic_payload& payload) {
      payload.set_byte_enable_ptr(enables);
      payload.set_byte_enable_length(2);
    };
    for (const std::uint64_t address : {hbm(), sram()}) {
      std::fill(data.begin(), data.end(), 0x11);
      i.access(write_command, address, data);
      std::fill(data.begin(), data.end(), 0x22);
      i.access(write_command, address, data, masked);
      std::fill(back.begin(), back.end(), 0xee);
      i.access(read_command, address, back);
      if (back != std::vector<unsigned char>{0x22, 0x11, 0x22, 0x11, 0x22, 0x11, 0x22, 0x11})
        SC_REPORT_ERROR("test/byte_enables", "a write has changed other bytes than those enabled");
      std::fill(back.begin(), back.end(), 0xee);
      i.access(read_command, address, back, masked);
      if (back != std::vector<unsigned char>{0x22, 0xee, 0x22, 0xee, 0x22, 0xee, 0x22, 0xee})
        SC_REPORT_ERROR("test/byte_enables", "a read has returned other bytes than those enabled");
    }
  });
  add(modules, "debug_and_dmi", [](I& i) {
    std::vector<unsigned char> data(8);
    tlm::tlm_generic_payload payload;
    plain_tlm::prepare(payload, read_command, hbm(), data);
    tlm::tlm_dmi dmi;
    if (i.socket->get_direct_mem_ptr(payload, dmi) || i.socket->transport_dbg(payload) != 8)
      SC_REPORT_ERROR("test/debug", "wrong answer");
    for (const std::uint64_t nowhere : {~std::uint64_t{0}, std::uint64_t{1} << 50}) {
      payload.set_address(nowhere);
      if (i.socket->transport_dbg(payload) != 0) SC_REPORT_ERROR("test/debug", "wrong answer");
    }
    payload.set_address(hbm());
    payload.set_data_ptr(nullptr);
    if (i.socket->transport_dbg(payload) != 0) SC_REPORT_ERROR("test/debug", "wrong answer");
  });
}

// Accesses that are refused: the run goes on.
void add_refused(ExternalModules& modules) {
  const auto refused = [&](const std::string& name, const I::Adjust& adjust) {
    add(modules, name, [adjust](I& i) {
      i.read(hbm(), 64, adjust);
      i.read(hbm());
    });
  };
  using P = tlm::tlm_generic_payload;
  refused("null_pointer", [](P& p) { p.set_data_ptr(nullptr); });
  refused("no_length", [](P& p) { p.set_data_length(0); });
  refused("four_gigabytes", [](P& p) {
    p.set_data_length(~0U);
    p.set_streaming_width(~0U);
  });
  refused("streaming", [](P& p) { p.set_streaming_width(4); });
  refused("no_command", [](P& p) { p.set_command(tlm::TLM_IGNORE_COMMAND); });
  refused("nowhere", [](P& p) { p.set_address(std::uint64_t{1} << 50); });
  refused("wrong_enables", [](P& p) {
    static unsigned char enables[] = {0xff, 0x01};
    p.set_byte_enable_ptr(enables);
    p.set_byte_enable_length(2);
  });
  refused("enables_of_no_length", [](P& p) {
    static unsigned char enables[] = {0xff};
    p.set_byte_enable_ptr(enables);
    p.set_byte_enable_length(0);
  });
}

// What SystemC calls outside of any process.
void add_faulty_callbacks(ExternalModules& modules) {
  const auto exits = [](I&) { std::exit(0); };
  const auto null = [](I&) { *nothing = 1; };
  add(modules, "elaborated_exit", exits, I::On::elaborated);
  add(modules, "elaborated_null", null, I::On::elaborated);
  add(modules, "started_exit", exits, I::On::started);
  add(modules, "stopped_null", null, I::On::stopped);
  const auto constructor = [&](const std::string& name, void (*fault)()) {
    modules.add_initiator("test.constructor_" + name,
                          [fault](const char*, ExternalModules::TargetSocket&) {
                            fault();
                            return std::unique_ptr<sc_core::sc_module>();
                          });
  };
  constructor("exit", [] { std::exit(0); });
  constructor("abort", [] { std::abort(); });
  constructor("null", [] { *nothing = 1; });
  constructor("recursion", [] { zero = test::deeper(0); });
}

// After two accesses: the result files have something in them.
void add_memory_faults(ExternalModules& modules) {
  const auto memory_fault = [&](const std::string& name, void (*fault)()) {
    add(modules, name, [fault](I& i) {
      for (int k = 0; k < 2; ++k) i.read(hbm());
      fault();
      for (int k = 0; k < 8; ++k) i.read(hbm(64));
    });
    add(
        modules, "method_" + name, [fault](I&) { fault(); }, I::On::method);
  };
  memory_fault("recursion", [] { zero = test::deeper(0); });
  memory_fault("heap_16_400", [] { test::overrun_heap(16, 400); });
  memory_fault("heap_2000_400", [] { test::overrun_heap(2000, 400); });
  memory_fault("heap_16_200k", [] { test::overrun_heap(16, 200'000); });
  memory_fault("heap_2000_200k", [] { test::overrun_heap(2000, 200'000); });
  memory_fault("free_twice", [] { test::free_twice(100'000); });
}

}  // namespace
}  // namespace kernbench

extern "C" void WRAPPED(__real_)(kernbench::ComponentRegistry& registry,
                                 const kernbench::ExternalModules& modules);

extern "C" void WRAPPED(__wrap_)(kernbench::ComponentRegistry& registry,
                                 const kernbench::ExternalModules& /*modules*/) {
  using namespace kernbench;
  ExternalModules all;
  add_good(all);
  add_refused(all);
  add_faulty(all);
  add_faulty_callbacks(all);
  add_memory_faults(all);
  add_targets(all);
  WRAPPED(__real_)(registry, all);
  test::add_faulty_components(registry);
}
