// Comparison of two operation logs of one bench: changed settings and resulting times.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "platform/events/event_source.h"
#include "platform/events/op_log_player.h"
#include "platform/output/table.h"
#include "platform/report/operation_statistics.h"
#include "platform/report/pe_log.h"
#include "platform/report/server_windows.h"
#include "platform/report/transfer_sums.h"

namespace kernbench {

class LogComparison {
 public:
  // Throws UsageError for logs of different benches.
  LogComparison(LogPlayer& a, LogPlayer& b);
  void close();  // called after the last events of both

  // Reason why the times are not compared: a run was stopped or failed; empty: times are compared.
  std::string refusal() const;
  // Facts, parameters of the bench and keys of the configuration that differ.
  Table settings() const;
  // Launches by kernel, resources of the critical path of the longest launch, engines, operations,
  // links while kernels ran (their count is that of bytes): times and counts in both logs, each by
  // descending difference. Empty if refusal() is not.
  Table times() const;

  std::string text(std::size_t most) const;  // `most`: rows of each table
  nlohmann::ordered_json json() const;

 private:
  struct Quantity {
    Fs time = 0;
    std::uint64_t count = 0;
  };
  using Quantities = std::map<std::string, Quantity>;  // by name
  struct Side {
    explicit Side(LogPlayer& player)
        : log(player), statistics(player.observation()), pes(player.observation()),
          transfers(player), windows(player, [](const std::string& name) { return name == "pe"; }) {
    }
    LogPlayer& log;
    OperationStatistics statistics;
    PeLogs pes;
    CollectedTransfers transfers;
    ServerWindows windows;
  };
  struct Section {
    std::string what, title;
    std::vector<Table::Row> rows;  // by difference, the largest first, ties by name
  };

  void add_section(const char* what, const char* title, Quantities (*of)(Side& side));

  Side a_, b_;
  std::vector<Section> sections_;
};

}  // namespace kernbench
