// PE_CPU: runs kernels (spec 4.3, 4.4, 5, 6).
//
// Timing: a launch pays overhead_ns once, then waits until its target_start; one that arrives later
// starts on receipt and reports the skew. Every call that is not metadata pays dispatch_cycles of
// the clock before it does anything. When the kernel has ended the engines drain, which pe_exec
// covers; then the answer leaves at once. Kernels of one stream run back to back, those of
// different streams concurrently, each in a context of its own (kernel_contexts.h), with a stack of
// kernel_stack_bytes; when all kernel_contexts are taken a launch waits. Contexts share the
// engines, the scratch and the queue pairs, and do not slow down each other otherwise. An install
// message of rings pays overhead_ns, is then passed to PE_IPCQ, and is answered at once. A kernel
// that throws, a command that ends in a fault, and an abort make the answer ok = false; the text
// names node and time. An abort ends the kernel at its next call, or in the one in which it is
// blocked; a kernel that fails leaves no command pending. Not modelled: instructions other than
// those that reach an engine; that contexts of one processor share its issue.
//
// Base class: a PE_CPU with other costs derives from it, its Parameters from these, and overrides
// call_cycles().
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "models/base/parameter_set.h"
#include "models/pe/kernel_contexts.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/program_host.h"

namespace kernbench {

class PeCpu : public FabricNode, public ProgramHost {
 public:
  static constexpr const char* description = "runs kernels: turns their calls into commands";
  static constexpr std::array roles{Role::pe_cpu};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    Param<Fs> overhead{
        *this, Parameter::duration_ns("overhead_ns", "time per launch", "spec 1.2").default_val(2)};
    Param<Rational> clock_ghz{
        *this, Parameter::frequency_ghz("clock_ghz", "clock", "spec 5").default_val(1)};
    Param<int> kernel_stack_bytes{
        *this,
        Parameter::integer("kernel_stack_bytes", "stack of a kernel's thread", "B", "spec 4.4")
            .default_val(262144)
            .range("65536", "1073741824")};
    Param<std::size_t> kernel_contexts{
        *this,
        Parameter::integer("kernel_contexts", "kernels of different streams that run concurrently",
                           "", "spec 4.4")
            .default_val(8)
            .range("1", "64")};
    Param<std::uint64_t> dispatch_cycles{
        *this, Parameter::integer("dispatch_cycles", "dispatch cycles per command", "", "spec 6")
                   .default_val(0)
                   .range("0", "1000000")};
    Param<std::uint64_t> scratch_bytes{
        *this, Parameter::integer("scratch_bytes", "TCM for the handles of kernels", "B", "spec 6")
                   .default_val(1048576)
                   .range("1", "1073741824")};
  };
  explicit PeCpu(const ComponentInit& init);

  std::optional<RunningProgram> running_program() const override {
    return kernels_.running_program();
  }
  std::vector<RunningProgram> running_programs() const override {
    return kernels_.running_programs();
  }
  std::vector<SignalDeclaration> signals_when_used() const override {
    return kernels_.signals_when_used();
  }

 protected:
  // Override point: cycles that a call of the kernel pays before any action; called once per call
  // that is not metadata. `call`: its number in the launch, from 0.
  virtual std::uint64_t call_cycles(std::uint64_t /*call*/) { return *parameters_.dispatch_cycles; }
  void declare_signals() override;

 private:
  Fs next_due() const override;
  void serve() override;
  void take(Transaction& request);

  const Parameters parameters_;
  KernelContexts kernels_;
};

}  // namespace kernbench
