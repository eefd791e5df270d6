// Initiators of kernbench_modules that misbehave: on their process, in the base protocol, while
// they are built.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "tests/cli/module_initiators.h"

namespace kernbench {
namespace {

using namespace test;

volatile int zero = 0;
int* volatile nothing = nullptr;

void throw_a_text() { throw std::runtime_error("no channel is left"); }
void throw_a_number() { throw 42; }
void throws_a_text() noexcept { throw_a_text(); }
void throws_a_number() noexcept { throw_a_number(); }

// Faults that end the process, on a thread and a method of a module, and on a thread of its own.
void add_fatal_faults(ExternalModules& modules) {
  using Fault = void (*)();
  const std::pair<const char*, Fault> faults[] = {{"exit", [] { std::exit(0); }},
                                                  {"_exit", [] { ::_exit(-1); }},
                                                  {"quick_exit", [] { std::quick_exit(0); }},
                                                  {"abort", [] { std::abort(); }},
                                                  {"terminate", [] { std::terminate(); }},
                                                  {"noexcept", &throws_a_text},
                                                  {"noexcept_42", &throws_a_number},
                                                  {"illegal", [] { ::raise(SIGILL); }},
                                                  {"null", [] { *nothing = 1; }},
                                                  {"divides", [] { zero = 1000 / zero; }}};
  for (const auto& [name, fault] : faults) {
    const std::string kind = name;
    const auto commits = [fault = fault](I&) { fault(); };
    add(modules, kind, commits);
    add(modules, "method_" + kind, commits, I::On::method);
    add(modules, "foreign_" + kind, [fault = fault](I&) { std::thread(fault).join(); });
  }
}

void add_faulty_processes(ExternalModules& modules) {
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
      modules, "method_b_transport", [](I& i) { i.read(hbm()); }, I::On::method);
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
  const auto never_yields = [](I&) {
    std::cerr << "never yields" << std::endl;  // the test's signal comes from then on
    while (zero == 0) {
    }
  };
  add(modules, "never_yields", never_yields);
  add(modules, "method_never_yields", never_yields, I::On::method);
  add(modules, "waits", [](I& i) { sc_core::wait(i.other); });  // as one that is done
}

void add_breakers_of_the_protocol(ExternalModules& modules) {
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
}

void add_faulty_constructors(ExternalModules& modules) {
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

void add_faulty(ExternalModules& modules) {
  add_fatal_faults(modules);
  add_faulty_processes(modules);
  add_breakers_of_the_protocol(modules);
  add_faulty_constructors(modules);
}

}  // namespace kernbench
