// Operations by name and engine, and durations of their stages.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/events/op_log_player.h"
#include "platform/report/operation_statistics.h"
#include "platform/report/report.h"

namespace kernbench {
namespace {

class OperationsReport : public Report {
 public:
  OperationsReport(const ReportContext& context, const char* option)
      : option_(option), log_(context.log->path()), rows_(context.rows.value_or(20)),
        statistics_(context.events.observation()) {}

  void close(Fs /*end*/) override {
    if (statistics_.operations() == 0)
      throw UsageError(fmt::format("{} has no operations, which {} needs", quote(log_), option_));
  }

 protected:
  std::size_t rows() const { return rows_; }
  const OperationStatistics& statistics() const { return statistics_; }

 private:
  const char* option_;
  std::string log_;
  std::size_t rows_;
  OperationStatistics statistics_;
};

class TopReport final : public OperationsReport {
 public:
  explicit TopReport(const ReportContext& context) : OperationsReport(context, "--top") {}
  std::string text() override { return statistics().top_text(rows()); }
  Json json() override {
    return {{"operations", statistics().operations_table().json()},
            {"spans", statistics().spans_table().json()}};
  }
  std::optional<Table> table() override { return statistics().operations_table(); }
};

class StagesReport final : public OperationsReport {
 public:
  explicit StagesReport(const ReportContext& context) : OperationsReport(context, "--stages") {}
  std::string text() override { return statistics().stages_text(rows()); }
  Json json() override { return statistics().stages_table().json(); }
  void add_to(Json& json, const char* name) override {
    json[name] = this->json();
    json["histogram"] = statistics().histogram_table().json();
  }
  std::optional<Table> table() override { return statistics().histogram_table(); }
};

const ReportRegistration top_registration(
    {60, "top", ReportSource::log},
    report_on_flag<TopReport>("--top",
                              "Operations by name and engine, those with the largest total time "
                              "first"));
const ReportRegistration stages_registration(
    {90, "stages", ReportSource::log},
    report_on_flag<StagesReport>("--stages",
                                 "Durations of each stage and operation: percentiles and a "
                                 "histogram"));

}  // namespace
}  // namespace kernbench
