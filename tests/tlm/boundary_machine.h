// topology.tiny.yaml with plain TLM-2.0 modules that a YAML file binds in, each behind a checker of
// the base protocol. In a forked child:
//
//   BoundaryMachine m;
//   m.add_lt_initiator([](plain_tlm::LtInitiator& i) { i.write(...); });
//   m.build({"ext0", "sip0.cube0.r0c0"});
//   m.run();                                    // fails the test if anything is left over
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/address/phys_addr.h"
#include "models/tlm/external_modules.h"
#include "tests/support/plain_tlm/at_initiator.h"
#include "tests/support/plain_tlm/at_memory.h"
#include "tests/support/plain_tlm/lt_initiator.h"
#include "tests/support/plain_tlm/lt_memory.h"
#include "tests/support/plain_tlm/protocol_checker.h"
#include "tests/support/whole_machine.h"

namespace kernbench::test {

class BoundaryMachine {
 public:
  // The module "test.initiator": one of the two. SystemC's times can be made only once the machine
  // is there: requests are filled in then.
  void add_lt_initiator(std::vector<plain_tlm::LtInitiator::Program> programs);
  void add_at_initiator(plain_tlm::AtScript& script);
  // The module "test.memory", which replaces the SRAM: `make` creates a module with a member
  // `socket`.
  void add_lt_memory(std::size_t size = 1 << 16, Fs latency = 30 * fs_per_ns);
  void add_at_memory(plain_tlm::AtAnswer answer, Fs accept, Fs latency);

  struct Setting {
    std::string attach = "sip0.cube0.r0c0";
    std::string bridge_attrs;  // of the initiator bridge, e.g. "posted: true"
    std::string target_attrs =
        "overhead_ns: 0";  // of the target bridge; what is not named stays as in the SRAM's entry
    std::string link = "bw_gbs: 256";
    bool data = true;
  };
  // Writes the YAML file that binds the modules in, and builds the machine from it.
  void build(const Setting& setting);
  void build() { build(Setting()); }

  // Until nothing is pending; checks that it ended well, that the pool is empty and that no
  // transaction is outstanding.
  void run();
  // A plain initiator that plays one program; builds the machine and runs it.
  void play(const Setting& setting, plain_tlm::LtInitiator::Program program);
  void play(plain_tlm::LtInitiator::Program program) { play(Setting(), std::move(program)); }
  // A DMA of a kernel on PE 0; completion of its launch.
  Completion dma(const DmaCommand& command) {
    return run_kernel(*machine_, [&](KernelContext& context) { issue_dma(context, command); });
  }
  RunResult run_program(const std::function<void(HostPort&)>& body) { return machine_->run(body); }

  Platform& platform() { return *machine_->platform; }
  FunctionalModel& data() { return machine_->data; }
  std::uint64_t address(MemoryArea area, int pe, std::uint64_t offset) const {
    return machine_->address(area, {0, 0, pe}, offset);
  }
  std::uint64_t hbm(int pe, std::uint64_t offset = 0) const {
    return address(MemoryArea::hbm, pe, offset);
  }
  std::uint64_t sram(std::uint64_t offset = 0) const {
    return address(MemoryArea::cube_sram, 0, offset);
  }
  std::vector<unsigned char> stored(std::uint64_t physical, std::uint64_t nbytes);
  std::uint64_t statistic(const std::string& node, const std::string& name) const {
    return machine_->statistic(node, name);
  }

  plain_tlm::LtMemory* lt_memory = nullptr;
  plain_tlm::AtMemory* at_memory = nullptr;
  std::vector<plain_tlm::ProtocolChecker*> checkers;

 private:
  ExternalModules modules_;
  std::unique_ptr<WholeMachine> machine_;
  std::string yaml_;
  bool has_initiator_ = false, has_memory_ = false;
};

// With a plain initiator at the approximately-timed level that plays requests.
struct AtMachine : BoundaryMachine {
  explicit AtMachine(const Setting& setting = {}) {
    add_at_initiator(script);
    build(setting);
  }
  std::vector<plain_tlm::AtRequest>& play(std::vector<plain_tlm::AtRequest> requests) {
    script.requests = std::move(requests);
    run();
    return script.requests;
  }
  plain_tlm::AtScript script;
};

// Of a WholeMachine with modules of its own.
inline MachineOptions without_data(const ExternalModules& modules) {
  MachineOptions options(MachineOptions::Engines::builtin);
  options.modules = modules;
  options.data = false;
  return options;
}

constexpr Fs ns = fs_per_ns;
inline sc_core::sc_time fs(Fs t) { return sc_core::sc_time::from_value(t); }
std::vector<unsigned char> pattern(std::size_t nbytes, unsigned char first = 1);

inline std::vector<unsigned char> part(const std::vector<unsigned char>& bytes, std::size_t from,
                                       std::size_t count) {
  return {bytes.begin() + static_cast<std::ptrdiff_t>(from),
          bytes.begin() + static_cast<std::ptrdiff_t>(from + count)};
}

inline plain_tlm::AtRequest write_request(std::uint64_t address, std::vector<unsigned char> data,
                                          Fs start = 0, Fs delay = 0) {
  return {tlm::TLM_WRITE_COMMAND, address, std::move(data), fs(start), fs(delay)};
}
inline plain_tlm::AtRequest read_request(std::uint64_t address, std::size_t nbytes, Fs start = 0,
                                         Fs delay = 0) {
  return {tlm::TLM_READ_COMMAND, address, std::vector<unsigned char>(nbytes, 0xee), fs(start),
          fs(delay)};
}

// The tiny machine's addresses, before there is a machine.
inline std::uint64_t hbm_address(unsigned pe, std::uint64_t offset) {
  return PhysAddr::pe_hbm_addr(0, 0, pe, offset, std::uint64_t{6} << 30).encode();
}
inline std::uint64_t sram_address(std::uint64_t offset) {
  return PhysAddr::cube_sram_addr(0, 0, offset).encode();
}

}  // namespace kernbench::test
