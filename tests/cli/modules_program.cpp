// What makes `kernbench_modules` of the program's own objects: plain TLM-2.0 initiators, those that
// misbehave among them, and the targets of module_targets.cpp. The linker sends calls of
// register_builtin_components() here (--wrap).
#include <sysc/kernel/sc_spawn.h>
#include <sysc/kernel/sc_spawn_options.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <systemc>
#include <thread>
#include <tlm>
#include <vector>

#include "models/address/phys_addr.h"
#include "models/base/component_registry.h"
#include "models/tlm/external_modules.h"
#include "tests/cli/faulty_components.h"
#include "tests/cli/memory_faults.h"
#include "tests/support/plain_tlm/payload_pool.h"

#define WRAPPED(prefix) \
  prefix##_ZN9kernbench27register_builtin_componentsERNS_17ComponentRegistryERKNS_15ExternalModulesE

namespace kernbench {

void add_targets(ExternalModules& modules);  // module_targets.cpp

namespace {

using sc_core::sc_time;
constexpr auto ns = sc_core::SC_NS;
constexpr auto read_command = tlm::TLM_READ_COMMAND, write_command = tlm::TLM_WRITE_COMMAND;

volatile int zero = 0;
int* volatile nothing = nullptr;

std::uint64_t hbm(std::uint64_t offset = 0) {
  return PhysAddr::pe_hbm_addr(0, 0, 0, offset, std::uint64_t{6} << 30).encode();
}
std::uint64_t sram(std::uint64_t offset = 0) {
  return PhysAddr::cube_sram_addr(0, 0, offset).encode();
}

// --- Initiators: what one does on its process

template <unsigned Width>
class Initiator final : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  enum class On { thread, method, two_threads, elaborated, started, stopped };
  using Behaviour = std::function<void(Initiator&)>;

  SC_HAS_PROCESS(Initiator);
  Initiator(const sc_core::sc_module_name& name, Behaviour behaviour, On on)
      : sc_module(name), socket("socket"), other("other"), on_(on),
        behaviour_(std::move(behaviour)) {
    socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    if (on == On::method) {
      SC_METHOD(run);
    } else if (on == On::thread || on == On::two_threads) {
      SC_THREAD(run);
    }
    if (on == On::two_threads) SC_THREAD(run_too);
  }

  tlm::tlm_initiator_socket<Width> socket;
  sc_core::sc_event other;
  bool first = false;  // of two threads: the one that runs
  std::function<tlm::tlm_sync_enum(tlm::tlm_generic_payload&, tlm::tlm_phase&)> on_backward;
  plain_tlm::PayloadPool pool;

  using Adjust = std::function<void(tlm::tlm_generic_payload&)>;
  bool access(tlm::tlm_command command, std::uint64_t address, std::vector<unsigned char>& data,
              const Adjust& adjust = {}) {
    tlm::tlm_generic_payload payload;
    plain_tlm::prepare(payload, command, address, data);
    if (adjust) adjust(payload);
    sc_time delay;
    socket->b_transport(payload, delay);
    return payload.is_response_ok();
  }
  bool read(std::uint64_t address, std::size_t length = 64, const Adjust& adjust = {}) {
    std::vector<unsigned char> data(length);
    return access(read_command, address, data, adjust);
  }
  // BEGIN_REQ, or another phase first.
  tlm::tlm_generic_payload& begin(std::uint64_t address, tlm::tlm_phase phase = tlm::BEGIN_REQ) {
    tlm::tlm_generic_payload& payload = pool.take();
    plain_tlm::prepare(payload, read_command, address, block_);
    sc_time delay;
    socket->nb_transport_fw(payload, phase, delay);
    return payload;
  }
  void end(tlm::tlm_generic_payload& payload) {
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_time delay;
    socket->nb_transport_fw(payload, phase, delay);
  }

 private:
  void run() { behaviour_(*this); }
  void run_if(On on) {
    if (on == on_) behaviour_(*this);
  }
  void end_of_elaboration() override { run_if(On::elaborated); }
  void start_of_simulation() override { run_if(On::started); }
  void end_of_simulation() override { run_if(On::stopped); }
  void run_too() { behaviour_(*this); }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_time&) override {
    return on_backward ? on_backward(payload, phase) : tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  On on_;
  Behaviour behaviour_;
  std::vector<unsigned char> block_ = std::vector<unsigned char>(64);
};

using I = Initiator<64>;

template <unsigned Width = 64>
void add(ExternalModules& modules, const std::string& name,
         typename Initiator<Width>::Behaviour behaviour,
         typename Initiator<Width>::On on = Initiator<Width>::On::thread) {
  modules.add_initiator("test." + name,
                        [behaviour, on](const char* leaf, ExternalModules::TargetSocket& bridge) {
                          auto made = std::make_unique<Initiator<Width>>(leaf, behaviour, on);
                          ExternalModules::bind(made->socket, bridge);
                          return made;
                        });
}

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

// After an access: the result files have something in them.
void add_memory_faults(ExternalModules& modules) {
  const auto memory_fault = [&](const std::string& name, void (*fault)()) {
    add(modules, name, [fault](I& i) {
      i.read(hbm());
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
  add(
      modules, "keeps_a_lock",
      [](I&) {
        static std::mutex lock;
        lock.lock();  // of the second thread for ever
        *nothing = 1;
      },
      I::On::two_threads);
  memory_fault("free_twice", [] { test::free_twice(100'000); });
}

void add_faulty(ExternalModules& modules) {
  add(modules, "error", [](I&) {
    sc_core::wait(12, ns);
    SC_REPORT_ERROR("acme/dma", "the FIFO has overrun");
  });
  add(modules, "fatal", [](I&) { SC_REPORT_FATAL("acme/dma", "the FIFO is lost"); });
  const auto throws = [](I&) { throw std::runtime_error("no channel is left"); };
  const auto throws_42 = [](I&) { throw 42; };
  const auto fatal = [](I&) { SC_REPORT_FATAL("acme/dma", "the FIFO is lost"); };
  const auto stops = [](I&) { sc_core::sc_stop(); };
  add(modules, "throw", throws);
  add(modules, "throw_42", throws_42);
  add(modules, "stop", stops);
  add(modules, "method_fatal", fatal, I::On::method);
  add(modules, "method_throw", throws, I::On::method);
  add(modules, "method_throw_42", throws_42, I::On::method);
  add(modules, "method_stop", stops, I::On::method);
  add(
      modules, "method_exit", [](I&) { std::exit(0); }, I::On::method);
  add(
      modules, "method_abort", [](I&) { std::abort(); }, I::On::method);
  add(
      modules, "method_null", [](I&) { *nothing = 1; }, I::On::method);
  add(
      modules, "method_b_transport", [](I& i) { i.read(hbm()); }, I::On::method);
  add(modules, "exit", [](I&) { std::exit(0); });
  add(modules, "_exit", [](I&) { ::_exit(0); });
  add(modules, "thread_exit", [](I&) { std::thread([] { std::exit(0); }).join(); });
  add(modules, "abort", [](I&) { std::abort(); });
  add(modules, "null", [](I&) { *nothing = 1; });
  add(modules, "delta_loop", [](I&) {
    sc_core::wait(7, ns);
    while (zero == 0) sc_core::wait(sc_core::SC_ZERO_TIME);
  });
  add(
      modules, "ping_pong",
      [](I& i) {
        sc_core::wait(7, ns);
        for (;;) {
          i.other.notify(sc_core::SC_ZERO_TIME);
          sc_core::wait(i.other);
        }
      },
      I::On::two_threads);
  add(modules, "never_yields", [](I&) {
    while (zero == 0) {
    }
  });
  add(modules, "waits", [](I& i) { sc_core::wait(i.other); });  // as one that is done

  add(modules, "end_req", [](I& i) { i.begin(hbm(), tlm::END_REQ); });
  add(modules, "end_resp", [](I& i) { i.begin(hbm(), tlm::END_RESP); });
  add(modules, "no_phase", [](I& i) { i.begin(hbm(), tlm::tlm_phase()); });
  add(modules, "two_requests", [](I& i) { i.begin(hbm()), i.begin(hbm()); });
  add(modules, "twice", [](I& i) {
    tlm::tlm_generic_payload& payload = i.begin(hbm());
    sc_core::wait(5, ns);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_time delay;
    i.socket->nb_transport_fw(payload, phase, delay);
  });
  add(modules, "no_memory_manager", [](I& i) {
    std::vector<unsigned char> data(64);
    tlm::tlm_generic_payload payload;
    plain_tlm::prepare(payload, read_command, hbm(), data);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_time delay;
    i.socket->nb_transport_fw(payload, phase, delay);
    sc_core::wait(i.other);
  });
  add(modules, "late", [](I& i) {
    tlm::tlm_generic_payload& payload = i.pool.take();
    std::vector<unsigned char> data(64);
    plain_tlm::prepare(payload, read_command, hbm(), data);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::wait(1, ns);
    sc_time delay = sc_core::sc_max_time();
    i.socket->nb_transport_fw(payload, phase, delay);
  });
  add(modules, "throws_backward", [](I& i) {
    i.on_backward = [](tlm::tlm_generic_payload&, tlm::tlm_phase&) -> tlm::tlm_sync_enum {
      throw std::runtime_error("no room for the response");
    };
    i.begin(hbm());
  });
  add(modules, "wrong_answer", [](I& i) {
    i.on_backward = [](tlm::tlm_generic_payload&, tlm::tlm_phase& phase) {
      if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
      phase = tlm::BEGIN_REQ;
      return tlm::TLM_UPDATED;
    };
    i.begin(hbm());
  });
  add(modules, "no_end_resp", [](I& i) { i.begin(hbm()), sc_core::wait(i.other); });
  add(modules, "end_resp_and_completed", [](I& i) {
    i.on_backward = [&i](tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase) {
      if (phase == tlm::BEGIN_RESP) i.end(payload);
      return phase == tlm::BEGIN_RESP ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
    };
    i.begin(hbm());
  });
  add(modules, "end_resp_twice", [](I& i) {
    i.on_backward = [&i](tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase) {
      if (phase == tlm::BEGIN_RESP) i.end(payload), i.end(payload);
      return tlm::TLM_ACCEPTED;
    };
    i.begin(hbm());
  });

  modules.add_initiator(
      "test.constructor",
      [](const char*, ExternalModules::TargetSocket&) -> std::unique_ptr<sc_core::sc_module> {
        throw std::runtime_error("no licence");
      });
  modules.add_initiator(
      "test.constructor_fatal",
      [](const char*, ExternalModules::TargetSocket&) -> std::unique_ptr<sc_core::sc_module> {
        SC_REPORT_FATAL("acme/dma", "no licence");
        return nullptr;
      });
  modules.add_initiator("test.unbound", [](const char* leaf, ExternalModules::TargetSocket&) {
    return std::make_unique<I>(
        leaf, [](I& i) { i.read(hbm()); }, I::On::thread);
  });
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
