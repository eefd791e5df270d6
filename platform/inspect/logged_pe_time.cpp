#include "platform/inspect/logged_pe_time.h"

#include <algorithm>

#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench {
namespace {

class Kernels {
 public:
  explicit Kernels(const OpLogReader& log) : log_(log) {}

  void add_runs() {
    log_.for_each(
        "SELECT kernel, t_target_fs, t_start_fs, t_return_fs, t_end_fs FROM runs ORDER BY rowid",
        [this](SQLite::Statement& row) {
          time_of(text_in(row, 0))
              .add_run(number_in(row, 1), number_in(row, 2), number_in(row, 3), number_in(row, 4));
        });
  }
  // `table`: rows with t_start_fs and t_end_fs, those of a PE by the condition `pe`; `what`: by
  // which they are grouped. `add` gets the sums of their times. CROSS JOIN keeps the order: run by
  // run, with the index of `table`.
  template <class Add>
  void add_sums(const std::string& table, const std::string& pe, const std::string& what,
                const Add& add) {
    log_.for_each("SELECT r.kernel, " + what +
                      " AS what, sum(w.t_end_fs - w.t_start_fs) FROM runs r CROSS JOIN " + table +
                      " w WHERE " + pe + (log_.has_streams() ? " AND w.stream = r.stream" : "") +
                      " AND w.t_start_fs BETWEEN r.t_start_fs AND r.t_end_fs AND w.t_end_fs <= "
                      "r.t_end_fs GROUP BY r.kernel, what",
                  [&](SQLite::Statement& row) {
                    add(time_of(text_in(row, 0)), text_in(row, 1), number_in(row, 2));
                  });
  }

  PeTimePart part(const std::string& name) const {
    if (const std::optional<PeTimePart> part = pe_time_part_of(name)) return *part;
    throw UsageError(quote(log_.path()) + " has a wait for " + quote(name) +
                     ", which no operation log has");
  }
  std::vector<KernelPeTime> take() { return std::move(kernels_); }

 private:
  PeTime& time_of(const std::string& kernel) {
    const auto found =
        std::find_if(kernels_.begin(), kernels_.end(),
                     [&kernel](const KernelPeTime& each) { return each.kernel == kernel; });
    if (found != kernels_.end()) return found->time;
    return kernels_.emplace_back(KernelPeTime{kernel, {}}).time;
  }

  const OpLogReader& log_;
  std::vector<KernelPeTime> kernels_;
};

}  // namespace

std::vector<KernelPeTime> pe_time_of(const OpLogReader& log) {
  Kernels kernels(log);
  kernels.add_runs();
  kernels.add_sums("waits", "w.pe = r.pe", "coalesce(w.command_kind, w.reason)",
                   [&](PeTime& time, const std::string& what, Fs sum) {
                     time.add_wait(kernels.part(what), sum);
                   });
  kernels.add_sums("slot_waits", "w.pe = r.pe", "w.waiting",
                   [&](PeTime& time, const std::string& what, Fs sum) {
                     time.add_slot_wait(
                         kernels.part(what) == PeTimePart::gemm ? OpKind::gemm : OpKind::math, sum);
                   });
  kernels.add_sums("ops", "w.node = r.pe || '.pe_gemm'", "w.kind",
                   [](PeTime& time, const std::string& /*kind*/, Fs sum) { time.add_gemm(sum); });
  return kernels.take();
}

}  // namespace kernbench
