// Latencies of memory transfers, their parts, and the places at which they spent time (spec 11.3).
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/events/op_log_player.h"
#include "platform/report/report.h"
#include "platform/report/transfer_sums.h"

namespace kernbench {
namespace {

class TransfersReport final : public Report {
 public:
  explicit TransfersReport(const ReportContext& context) : sums_(context.events) {
    if (context.machine != nullptr) context.machine->observe_transfers();
    if (context.log != nullptr) log_ = quote(context.log->path());
  }

  void close(Fs /*end*/) override {
    if (!log_.empty() && sums_.empty())
      throw UsageError(fmt::format("{} has no transfers, which --breakdown needs", log_));
  }
  std::string text() override {
    if (sums_.empty()) return "";
    return sums_.by_distance().text() + '\n' + sums_.by_place().text();
  }
  Json json() override { return sums_.json(); }
  void add_to(Json& json, const char* name) override {
    json[name] = this->json();
    json["hops"] = sums_.by_place().json();
  }
  std::optional<Table> table() override {
    return Table::joined({sums_.by_distance(), sums_.by_place()});
  }

 private:
  TransferSums sums_;
  std::string log_;  // empty: a machine
};

const ReportRegistration transfers_registration(
    {50, "transfers", ReportSource::run | ReportSource::log},
    report_on_flag<TransfersReport>(
        "--breakdown",
        "Latencies of memory transfers, split into PE setup, NoC, UCIe, fabric, link transfer, HBM "
        "and contention (see below), and by the nodes and links at which they arise"));

}  // namespace
}  // namespace kernbench
