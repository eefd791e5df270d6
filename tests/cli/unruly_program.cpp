// What makes `kernbench_unruly` of the program's own objects: one more bench, `unruly`, which
// misbehaves in the kernel or in the host program. The linker sends calls of register_benches()
// here (--wrap).
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "sw/benches/bench_registry.h"
#include "sw/collectives/shipped_graphs.h"
#include "tests/cli/memory_faults.h"

#define WRAPPED(prefix) prefix##_ZN9kernbench16register_benchesERNS_13BenchRegistryE

namespace kernbench {
namespace {

volatile int zero = 0;
int* volatile nothing = nullptr;
std::unique_ptr<std::vector<int>> kept;

void throws() {
  if (zero == 0) throw std::runtime_error("thrown out of noexcept");
}
void throw_through_noexcept() noexcept { throws(); }

struct OwnClass {
  int value = 1;
};
volatile std::size_t most = std::size_t{1} << 60;

// Touched by the system, so that nothing stops it half-way, however little a busy machine lets this
// process compute.
void grow_for_ever() {
  constexpr std::size_t bytes = std::size_t{1} << 30;
  while (zero == 0) {
    if (::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
               -1, 0) == MAP_FAILED)
      throw std::bad_alloc();
  }
}

struct Fault {
  const char* name;
  void (*commit)();
};

constexpr std::array faults{
    Fault{"none", [] {}},
    Fault{"endless_loop",
          [] {
            while (zero == 0) {
            }
          }},
    Fault{"endless_allocation",
          [] {
            while (zero == 0) kept = std::make_unique<std::vector<int>>(1000, 1);
          }},
    Fault{"endless_growth", &grow_for_ever},
    Fault{"delta_loop",
          [] {
            while (zero == 0) sc_core::wait(sc_core::SC_ZERO_TIME);
          }},
    Fault{"pauses",
          [] {
            for (int i = 0; i < 3; ++i) sc_core::sc_pause(), sc_core::wait(sc_core::SC_ZERO_TIME);
          }},
    Fault{"sleep",
          [] {
            while (zero == 0) std::this_thread::sleep_for(std::chrono::seconds(100));
          }},
    Fault{"null_dereference", [] { *nothing = 1; }},
    Fault{"recursion", [] { zero = test::deeper(0); }},
    Fault{"divide_by_zero", [] { zero = 1000 / zero; }},
    Fault{"illegal_instruction", [] { ::raise(SIGILL); }},
    Fault{"bus_error", [] { ::raise(SIGBUS); }},
    Fault{"exit", [] { std::exit(0); }},
    Fault{"_exit", [] { ::_exit(0); }},
    Fault{"_Exit", [] { std::_Exit(0); }},
    Fault{"quick_exit", [] { std::quick_exit(0); }},
    Fault{"abort", [] { std::abort(); }},
    Fault{"free_twice", [] { test::free_twice(100'000); }},
    Fault{"terminate", [] { std::terminate(); }},
    Fault{"rethrow_of_nothing", [] { throw; }},
    Fault{"throw_through_noexcept", &throw_through_noexcept},
    Fault{"throw_of_a_number", [] { throw 42; }},
    Fault{"throw_of_a_text", [] { throw std::string("text"); }},
    Fault{"throw_of_a_class", [] { throw OwnClass{}; }},
    Fault{"bad_alloc", [] { kept = std::make_unique<std::vector<int>>(most, 1); }},
    // As by operator new, once.
    Fault{"refused", [] { std::get_new_handler()(); }},
    Fault{"pthread_exit", [] { ::pthread_exit(nullptr); }},
    Fault{"sc_stop", [] { sc_core::sc_stop(); }},
    Fault{"wait", [] { sc_core::wait(); }},
};

void commit(const std::string& name) {
  for (const Fault& fault : faults) {
    if (name == fault.name) fault.commit();
  }
}

// Faults that are calls of a kernel.
void call(tl::Program& tl, const std::string& name) {
  if (name == "cycles_0")
    for (;;) tl.cycles(0);
  if (name == "identity")
    for (;;) tl.program_id();
  if (name == "data_now") tl.full({1}, 1).item(), tl.exp(tl.full({1}, 1)).item();
  if (name == "cycles_max") tl.cycles(~std::uint64_t{0});
  if (name == "cycles_1")
    for (;;) tl.cycles(1);
  if (name == "recv_never") tl.recv("E", {1}, i32);
  if (name == "sends") {
    for (int i = 0; i < 3; ++i) tl.send("E", tl.full({1}, i, i32));
  }
  if (name == "swallow") {
    for (;;) {
      try {
        tl.cycles(1);
      } catch (...) {  // also what is to end the kernel
      }
    }
  }
}

// Faults that are accesses to memory.
void touch(tl::Program& tl, tl::Tensor x, const std::string& name) {
  const Shape part{1, 8};
  const tl::Handle block = tl.zeros(part);
  const tl::MathSpec doubled = tl::math(MathOp::add, {block, block});
  if (name == "races") tl.store(x, block);  // of PE 0
  if (name == "reads_early") {
    tl.composite(tl::MathSpec(doubled).to(x.local()));
    tl.load(x.local(), part, f16);
  }
  if (name == "never_waits") tl.composite(tl::MathSpec(doubled).to(x.local()));
}

// At once, on standard error: tests send signals from then on.
void tell(const std::string& text) {
  if (::write(2, text.data(), text.size()) < 0) std::abort();
}

// Names with bytes that are no UTF-8.
void run_with_latin_1(Torch& torch) {
  torch.set_timestamp_tag("\xe9tape");
  const Tensor t =
      torch.zeros({4, 8}, f16, {Placement::replicate, Placement::row_wise, 1, 4}, "t\xe9nsor");
  torch.launch(
      LaunchSpec("k\xe9rnel").on_pes({0, 1, 2, 3}).meta({{"cl\xe9", "v\xe9rit\xe9"}}),
      [](tl::Program& tl, tl::Tensor x) {
        tl.device_print("pr\xe9sent:", tl.load(x.local(), x.local_shape(), x.dtype()));
      },
      t);
  torch.results("tabl\xe9", {"mot"}).add({std::string("\xe9")});
  torch.verify(t, [] { return std::vector<double>(32); });
}

void run(Torch& torch) {
  const std::string kernel = torch.parameters().text("kernel");
  if (kernel == "latin_1") return run_with_latin_1(torch);
  if (kernel == "recv_never" || kernel == "recv_by_all" || kernel == "sends")
    torch.ipcq.install(graphs::intra_pe_ring(0, 0, 4));
  // "refused": the other PEs load for a long time.
  const Shape shape{4, kernel == "refused" ? 65536 : 8};
  const Tensor t = torch.zeros(shape, f16, {Placement::replicate, Placement::row_wise, 1, 4}, "t");
  torch.launch(
      LaunchSpec("calm").on_pes({0, 1, 2, 3}),
      [](tl::Program& tl, tl::Tensor x) { tl.load(x.local(), x.local_shape(), x.dtype()); }, t);
  const std::string host = torch.parameters().text("host");
  if (host != "none") tell("host begins\n");
  commit(host);
  torch.launch(
      LaunchSpec("wild").on_pes({0, 1, 2, 3}),
      [kernel](tl::Program& tl, tl::Tensor x) {
        if (kernel == "refused" && tl.program_id() == 2) tl.cycles(300), commit(kernel);
        tl.load(x.local(), x.local_shape(), x.dtype());
        tl.cycles(10);
        if (kernel == "recv_by_all") tl.recv("E", {1}, i32);
        if (tl.program_id() != 2) return tl.cycles(100);
        tl.ref(x.local(), x.local_shape(), x.dtype());
        if (kernel != "none") tell("wild begins\n");
        commit(kernel);
        call(tl, kernel);
        touch(tl, x, kernel);
      },
      t);
  torch.verify(t, [] { return std::vector<double>(32); });
}

}  // namespace
}  // namespace kernbench

extern "C" void WRAPPED(__real_)(kernbench::BenchRegistry& registry);

extern "C" void WRAPPED(__wrap_)(kernbench::BenchRegistry& registry) {
  using namespace kernbench;
  WRAPPED(__real_)(registry);
  std::vector<std::string> names{
      "cycles_0", "identity", "cycles_max",  "cycles_1",    "swallow",     "data_now", "recv_never",
      "sends",    "races",    "reads_early", "never_waits", "recv_by_all", "latin_1"};
  for (const Fault& fault : faults) names.push_back(fault.name);
  registry.add(
      {"unruly",
       "Misbehaves",
       {Parameter::choice("kernel", "what a kernel does", names, "tests").default_val("none"),
        Parameter::choice("host", "what the bench itself does", names, "tests")
            .default_val("none")},
       &run});
}
