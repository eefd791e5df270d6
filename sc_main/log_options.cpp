#include "sc_main/log_options.h"

#include <CLI/CLI.hpp>
#include <iostream>

namespace kernbench {
namespace {

// Ranks are SIPs, or PEs counted through all cubes of all SIPs.
std::string name_of_rank(const MachineDescription& machine, RankUnit unit, const PeId& pe) {
  const int rank =
      unit == RankUnit::sip ? pe.sip : (pe.sip * machine.cubes() + pe.cube) * machine.pes + pe.pe;
  return "rank " + std::to_string(rank);
}

}  // namespace

CLI::Option* LogOptions::add_to(CLI::App& command) {
  return command
      .add_option("--log", texts,
                  "What is told on standard error with its simulated time: of components by glob "
                  "(host: calls of the torch API and messages), or ccl: sends, receives and calls "
                  "of collectives. LEVEL: error, warning (failures), info (launches, kernels, "
                  "calls), debug (commands, DMA, messages), trace (tile stages, flits); default: "
                  "info. Repeatable, later ones go first")
      ->type_name("COMPONENT[=LEVEL]")
      ->allow_extra_args(false);
}

std::vector<LogRequest> LogOptions::requests() const {
  std::vector<LogRequest> requests;
  for (const std::string& text : texts) requests.push_back(parse_log_request(text));
  return requests;
}

void print_report_line(const ReportLine& line) {
  std::cerr << "kernbench: " << name_of(line.level) << ": " << line.text << std::endl;
}

RunLog::RunLog(const LogOptions& options, Platform& platform, std::optional<RankUnit> ranks) {
  if (options.texts.empty()) return;
  LogSelection::NameOfRank name;
  if (ranks) {
    name = [&machine = platform.machine(), unit = *ranks](const PeId& pe) {
      return name_of_rank(machine, unit, pe);
    };
  }
  selection_.emplace(options.requests(), platform, name);
  reports_.emplace([this](const ReportLine& line) {
    if (selection_->shows(line)) print_report_line(line);
  });
}

}  // namespace kernbench
