// Accesses of the plain TLM-2.0 initiators of a machine.
#include <fmt/format.h>

#include "platform/assembly/external_accesses.h"
#include "platform/output/json_text.h"
#include "platform/report/report.h"

namespace kernbench {
namespace {

class InitiatorsReport final : public Report {
 public:
  explicit InitiatorsReport(const ReportContext& context)
      : platform_(context.machine->platform()) {}

  std::string text() override { return text_of(initiators()); }
  Json json() override {
    const Table table = initiators();
    return table.empty() ? Json() : table.json();
  }

 private:
  Table initiators() const {
    Table table("initiators", {{"initiator", "initiator"},
                               {"module", "module"},
                               {"reads", "reads"},
                               {"writes", "writes"},
                               {"bytes_read", "bytes read"},
                               {"bytes_written", "bytes written"},
                               {"failed", "failed"},
                               Table::Column::data_only("first_failure"),
                               {"last_end_ns", "last end"}});
    for (const ExternalAccesses& initiator : initiator_accesses(platform_)) {
      const TlmBridge::Accesses& all = initiator.accesses;
      Cell failure;
      if (all.errors > 0) failure = all.first_error;
      table.add({initiator.node, initiator.module, all.reads, all.writes, all.bytes_read,
                 all.bytes_written, all.errors, failure, TimeCell{all.last_end}});
    }
    return table;
  }

  const Platform& platform_;
};

const ReportRegistration initiators_registration({12, "initiators",
                                                  ReportSource::run | ReportSource::initiators},
                                                 report_in_summary<InitiatorsReport>());

}  // namespace
}  // namespace kernbench
