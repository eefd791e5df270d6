// A block with a Verilated model: class V..., of a top with the pins clk and rst_n (synchronous,
// active low).
//
//   VerilatedBlock<Vmy_top> block_(*this, services(), parameters.block, *this, pins_of<Vmy_top>);
//   block_.pins().task_valid = 1;   // in drive()
//
// The models differ in unknown values: Verilator sets signals without a driver or reset to zeros in
// the one and to ones in the other (--x-initial unique, --x-assign unique).
#pragma once

#include "models/rtl/verilator_runtime.h"
// The runtime must be included first.
#include <functional>
#include <memory>
#include <string>

#include "models/base/errors.h"
#include "models/rtl/rtl_block.h"

namespace kernbench {

template <class Model>
class VerilatedBlock final : public RtlBlock {
 public:
  using PinsOf = std::function<Pins(Model& model)>;

  VerilatedBlock(Component& component, Services& services, const BlockParameters& parameters,
                 BlockUser& user, const PinsOf& pins_of)
      : RtlBlock(component, services, parameters, user), name_(component.name()),
        main_(0, calls()) {
    if (*parameters.check_unknown) shadow_ = std::make_unique<Simulated>(1, nullptr);
    if (*parameters.trace_inside) open_trace(*parameters.clock_period);
    if (*parameters.coverage && !with_coverage) {
      throw UsageError(built_without("coverage", "COVERAGE"));
    }
    writes_coverage_ = *parameters.coverage;
    reset(pins_of(*main_.model), shadow_ ? pins_of(*shadow_->model) : Pins(),
          *parameters.reset_cycles);
  }

  Model& pins() { return *main_.model; }

  void close() override {
    {
      const ::kernbench::BlockCalls::Scope no_block(
          nullptr);  // the run is over: nothing can end it
      main_.model->final();
    }
#if VM_TRACE
    if (trace_) {
      dump();
      trace_->close();
      trace_.reset();
    }
#endif
#if VM_COVERAGE
    if (writes_coverage_) main_.context.coveragep()->write(file_name(".coverage.dat").c_str());
#endif
  }

 private:
#if VM_COVERAGE
  static constexpr bool with_coverage = true;
#else
  static constexpr bool with_coverage = false;
#endif

  // A model with a context of its own.
  struct Simulated {
    Simulated(int unknown_bits, ::kernbench::BlockCalls* user) : calls(user) {
      context.randReset(unknown_bits);
      context.assertOn(user != nullptr);
      context.fatalOnError(false);
#if VM_TRACE
      context.traceEverOn(user != nullptr);
#endif
      const ::kernbench::BlockCalls::Scope scope(calls);
      Verilated::threadContextp(&context);
      model = std::make_unique<Model>(&context, "top");
    }
    // Scopes are found in the context of the thread.
    ~Simulated() {
      Verilated::threadContextp(&context);
      model.reset();
    }
    Simulated(const Simulated&) = delete;
    Simulated& operator=(const Simulated&) = delete;
    template <class Action>
    void call(Action action) {
      const ::kernbench::BlockCalls::Scope scope(calls);
      Verilated::threadContextp(&context);
      action(*model);
    }
    void eval(bool clock) {
      call([clock](Model& of) {
        of.clk = clock ? 1 : 0;
        of.eval();
      });
    }
    ::kernbench::BlockCalls* calls;
    VerilatedContext context;
    std::unique_ptr<Model> model;
  };

  void set_reset(bool active) override {
    main_.model->rst_n = active ? 0 : 1;
    if (shadow_) shadow_->model->rst_n = active ? 0 : 1;
  }
  void eval_rising(Fs now) override {
    main_.context.time(now);
    main_.eval(true);
    if (!shadow_) return;
    shadow_->context.time(now);
    shadow_->eval(true);
  }
  // The clock may go low at once, but for a trace, which shows it high up to the middle.
  void eval_inputs() override {
    main_.eval(traced_edge_ != never_fs);
    if (shadow_) shadow_->eval(false);
  }
  void trace_cycle(Fs next_edge) override {
    dump();
    traced_edge_ = next_edge;
  }

#if VM_TRACE
  using Trace = VerilatedFstC;
  void open_trace(Fs period) {
    traces_inside();
    half_period_ = period / 2;
    trace_ = std::make_unique<Trace>();
    trace_->set_time_unit("1fs");
    trace_->set_time_resolution("1fs");
    main_.model->trace(trace_.get(), 99);
    trace_->open(file_name(".fst").c_str());
    if (!trace_->isOpen())
      throw UsageError(name_ + ": trace_inside: " + file_name(".fst") + " cannot be written");
  }
  // The cycle since the latest edge, its high and its low half.
  void dump() {
    if (traced_edge_ == never_fs) return;
    trace_->dump(traced_edge_);
    main_.eval(false);
    if (half_period_ > 0) trace_->dump(traced_edge_ + half_period_);
  }
#else
  struct Trace {};
  void open_trace(Fs /*period*/) { throw UsageError(built_without("trace_inside", "TRACE")); }
  void dump() {}
#endif

  std::string file_name(const char* suffix) const { return name_ + suffix; }
  std::string built_without(const char* parameter, const char* option) const {
    return name_ + ": " + parameter + ": its model was verilated without it (CMake: " + option +
           " of the block, KERNBENCH_RTL_" + option + " for rtl.*)";
  }

  std::string name_;
  Simulated main_;
  std::unique_ptr<Simulated> shadow_;
  std::unique_ptr<Trace> trace_;
  Fs traced_edge_ = never_fs, half_period_ = 0;  // the latest edge; never_fs without a trace
  bool writes_coverage_ = false;
};

}  // namespace kernbench
