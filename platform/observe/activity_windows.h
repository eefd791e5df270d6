// Activity windows, gathered while operations are reported, in constant memory per engine
// (spec 10):
//   composite window  first start to last end of records with a tile stage
//   PE window         first start to last end of all records
//   MAC window        the PE window if the PE has executed a tl.dot, whose operands arrive by
//       separate commands; else the composite window
//   MAC utilisation   time of PE_GEMM, in tile stages and dots / MAC window
//   useful efficiency time that the multiply-accumulates would take at the peak rate / MAC window
// An operation in flight when a run is cut short counts as if it ended then, without its
// multiply-accumulates. For several PEs, utilisation and efficiency divide the sums of the times by
// the sums of the PEs' own windows.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/base/analysis_port.h"
#include "models/base/executed_op.h"
#include "models/base/units.h"

namespace kernbench {

struct Window {
  Fs begin = never_fs, end = 0;

  bool empty() const { return begin == never_fs; }
  Fs length() const { return empty() ? 0 : end - begin; }
  void add(Fs first, Fs last) {
    if (first < begin) begin = first;
    if (last > end) end = last;
  }
};

std::string text_of(const Window& window);  // "20.000 ns  (1.000 us to 1.020 us)"; "none"

struct PeActivity {
  std::string pe;  // "sip0.cube0.pe0"
  Window all, composite;
  bool has_dots = false;
  Fs gemm_busy = 0;        // busy time of PE_GEMM in tile stages and dots
  std::uint64_t macs = 0;  // multiply-accumulates in `gemm_busy`

  const Window& mac_window() const { return has_dots ? all : composite; }
  void add(const ExecutedOp& op);
};

// True for a record that spans the tiles of a composite.
bool is_composite(const ExecutedOp& op);

struct MacRate {
  std::uint64_t macs_per_cycle = 0;  // 0: unknown
  Rational clock_ghz;
};

struct ActivitySummary {
  Window all, composite;                    // windows over all PEs
  std::optional<double> mac_utilisation;    // absent without a product
  std::optional<double> useful_efficiency;  // absent also if a rate is unknown
  std::vector<PeActivity> pes;              // PEs with records, by name
};

class ActivityWindows final : public tlm::tlm_analysis_if<ExecutedOp> {
 public:
  void write(const ExecutedOp& op) override;

  std::uint64_t operations() const { return operations_; }
  // `rate_of`: the MAC array of a PE, for the ideal time. `in_progress`: operations that have
  // started and not been reported.
  ActivitySummary summary(const std::function<MacRate(const std::string& pe)>& rate_of,
                          const std::vector<ExecutedOp>& in_progress = {}) const;

 private:
  std::map<std::string, PeActivity> by_pe_;
  std::unordered_map<const sc_core::sc_object*, PeActivity*> by_node_;  // for look-up only
  std::uint64_t operations_ = 0;
};

}  // namespace kernbench
