// A program of its own around two machines: a bench on each, and a DMA of the program at a router
// of the first.
//
//   two_machines CONFIGS     the folder of the shipped configurations
#include <sysc/kernel/sc_spawn.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "models/data/functional_model.h"
#include "platform/assembly/machine_builder.h"
#include "platform/assembly/platform.h"
#include "platform/assembly/shared_run.h"
#include "sw/benches/bench_program.h"
#include "sw/benches/bench_registry.h"

namespace {

// Plain SystemC: a DMA that copies a block, and knows nothing of the platform.
class CopyDma final : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  SC_HAS_PROCESS(CopyDma);
  CopyDma(const sc_core::sc_module_name& name, std::uint64_t from, std::uint64_t to)
      : sc_module(name), socket("socket"), from_(from), to_(to) {
    socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    SC_THREAD(run);
  }

  tlm::tlm_initiator_socket<512> socket;
  bool copied = false;
  sc_core::sc_time copied_at;

 private:
  void run() {
    std::vector<unsigned char> block(4096, 0x5a), read(block.size());
    copied = access(tlm::TLM_WRITE_COMMAND, from_, block) &&
             access(tlm::TLM_READ_COMMAND, from_, read) && read == block &&
             access(tlm::TLM_WRITE_COMMAND, to_, read);
    copied_at = sc_core::sc_time_stamp();
  }
  bool access(tlm::tlm_command command, std::uint64_t address, std::vector<unsigned char>& data) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data.data());
    payload.set_data_length(static_cast<unsigned>(data.size()));
    payload.set_streaming_width(static_cast<unsigned>(data.size()));
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    return payload.is_response_ok();
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                     sc_core::sc_time&) override {
    return tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  std::uint64_t from_, to_;
};

// A machine in a module of the program's own.
class Accelerator final : public sc_core::sc_module {
 public:
  Accelerator(const sc_core::sc_module_name& name, const std::string& topology, bool with_dma)
      : sc_module(name), builder(topology) {
    if (with_dma) builder.add_initiator("dma0", "sip0.cube0.r0c0", "max_outstanding: 4");
    kernbench::PlatformOptions options;
    options.data = &data;
    platform = builder.build(options);
  }

  kernbench::FunctionalModel data;
  kernbench::MachineBuilder builder;
  std::unique_ptr<kernbench::Platform> platform;
};

class Board final : public sc_core::sc_module {
 public:
  Board(const sc_core::sc_module_name& name, const std::string& configs)
      : sc_module(name), left("left", configs + "/topology.tiny.yaml", true),
        right("right", configs + "/topology.yaml", false),
        dma("dma", left.platform->machine().memory_map.ranges().front().base,
            left.platform->machine().memory_map.ranges().back().base) {
    left.builder.bind_initiator("sip0.cube0.dma0", dma.socket);
  }

  Accelerator left, right;
  CopyDma dma;
};

// Counts what goes over the links of a machine.
struct Flits final : tlm::tlm_analysis_if<kernbench::LinkTraversal> {
  void write(const kernbench::LinkTraversal& traversal) override { count += traversal.run.count; }
  std::uint64_t count = 0;
};

kernbench::BenchOptions options_of(const kernbench::Bench& bench) {
  kernbench::BenchOptions options;
  options.parameters = kernbench::resolve_parameters(bench, {});
  return options;
}

int run(const std::string& configs) {
  // Before the first sc_time of the program: a machine needs 1 fs.
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  Board board("board", configs);
  Flits flits;
  board.left.platform->observation().link_traversals.bind(flits);

  kernbench::BenchRegistry benches;
  kernbench::register_benches(benches);
  const kernbench::Bench& gemm = benches.find("gemm-single-pe");
  const kernbench::Bench& softmax = benches.find("softmax-rows");
  kernbench::BenchProgram on_left(gemm, options_of(gemm)), on_right(softmax, options_of(softmax));
  board.left.platform->set_program(on_left);
  board.right.platform->set_program(on_right);

  const std::vector<kernbench::RunResult> results =
      kernbench::run_together({board.left.platform.get(), board.right.platform.get()});
  bool ok = board.dma.copied;
  for (const kernbench::RunResult& result : results) {
    std::printf("%s at %llu fs %s\n", name_of(result.status),
                static_cast<unsigned long long>(result.simulated), result.error.c_str());
    ok = ok && result.status == kernbench::RunStatus::completed;
  }
  std::printf("left: %s.sip0..., %llu flits on links; DMA %s\n",
              board.left.platform->name().c_str(), static_cast<unsigned long long>(flits.count),
              board.dma.copied ? "has copied" : "has failed");
  return ok ? 0 : 1;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  try {
    if (argc == 2) return run(argv[1]);
    std::fprintf(stderr, "two_machines CONFIGS\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "two_machines: %s\n", error.what());
  }
  return 2;
}
