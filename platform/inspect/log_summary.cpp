#include "platform/inspect/log_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "platform/inspect/logged_pe_time.h"
#include "platform/inspect/operation_statistics.h"
#include "platform/inspect/path_report.h"
#include "platform/observe/pe_time_report.h"
#include "platform/report/json_text.h"
#include "platform/report/table.h"

namespace kernbench {
namespace {

constexpr std::size_t most_launches = 20;
constexpr const char* facts[] = {"bench", "topology", "device", "seed", "data", "command_line"};

std::string section(const std::string& title, const std::string& body) {
  return fmt::format("\n{}\n{}", title, body);
}

}  // namespace

Table launches_table(const OpLogReader& log) {
  Table table("launches", {{"launch", "launch"},
                           {"kernel", "kernel"},
                           {"device", "device"},
                           {"pes", "PEs"},
                           {"issue_ns", "issue"},
                           {"end_ns", "end"},
                           {"length_ns", "length"},
                           {"first_start_ns", "kernels start"},
                           {"last_return_ns", "last returns"},
                           {"last_pe", "on"}});
  struct Kernels {
    std::uint64_t pes = 0;
    Fs first = never_fs, last = 0;
    std::string last_pe;
  };
  std::map<std::uint64_t, Kernels> by_launch;
  log.for_each(
      "SELECT launch, pe, t_start_fs, t_return_fs FROM runs WHERE launch NOT NULL ORDER BY pe",
      [&](SQLite::Statement& row) {
        Kernels& kernels = by_launch[number_in(row, 0)];
        ++kernels.pes;
        kernels.first = std::min(kernels.first, number_in(row, 2));
        if (number_in(row, 3) <= kernels.last) return;
        kernels.last = number_in(row, 3);
        kernels.last_pe = text_in(row, 1);
      });
  for (const LoggedLaunch& launch : log.launches()) {
    const auto found = by_launch.find(launch.id);
    if (found == by_launch.end()) {
      table.add({launch.id,
                 launch.kernel,
                 launch.device,
                 std::uint64_t{0},
                 TimeCell{launch.issued},
                 TimeCell{launch.ended},
                 TimeCell{launch.length()},
                 {},
                 {},
                 {}});
      continue;
    }
    const Kernels& kernels = found->second;
    table.add({launch.id, launch.kernel, launch.device, kernels.pes, TimeCell{launch.issued},
               TimeCell{launch.ended}, TimeCell{launch.length()}, TimeCell{kernels.first},
               TimeCell{kernels.last}, kernels.last_pe});
  }
  return table;
}

Table waits_table(const OpLogReader& log) {
  Table table("waits", {{"for", "for"},
                        {"count", "count"},
                        {"total_ns", "total"},
                        {"longest_ns", "longest"},
                        {"longest_pe", "on"},
                        {"longest_start_ns", "at"}});
  // SQLite takes the bare columns from the row of the maximum.
  log.for_each(
      "SELECT reason, count(*), sum(t_end_fs - t_start_fs), max(t_end_fs - t_start_fs), pe, "
      "t_start_fs FROM (SELECT * FROM waits ORDER BY t_start_fs, pe) GROUP BY reason ORDER BY 3 "
      "DESC, 1",
      [&](SQLite::Statement& row) {
        table.add({text_in(row, 0), number_in(row, 1), TimeCell{number_in(row, 2)},
                   TimeCell{number_in(row, 3)}, text_in(row, 4), TimeCell{number_in(row, 5)}});
      });
  return table;
}

Table senders_table(const OpLogReader& log, std::size_t most) {
  Table table("senders", {{"sender", "sender"},
                          {"messages", "messages"},
                          {"waited_ns", "waited for"},
                          {"longest_ns", "longest"},
                          {"longest_receiver", "by"},
                          {"longest_sent_ns", "sent at"}});
  log.for_each(
      "SELECT sender, count(*), sum(waited), max(waited), receiver, t_sent_fs FROM (SELECT "
      "m.sender, m.receiver, m.t_sent_fs, m.t_visible_fs - w.t_start_fs AS waited FROM waits w "
      "JOIN messages m ON m.receiver = w.pe AND m.t_take_fs BETWEEN w.t_start_fs AND w.t_end_fs "
      "AND w.t_end_fs IN (m.t_credit_fs, m.t_consume_fs) WHERE w.reason = 'receive' AND "
      "m.t_visible_fs > w.t_start_fs ORDER BY m.id) GROUP BY sender ORDER BY 3 DESC, 1 LIMIT " +
          std::to_string(most),
      [&](SQLite::Statement& row) {
        table.add({text_in(row, 0), number_in(row, 1), TimeCell{number_in(row, 2)},
                   TimeCell{number_in(row, 3)}, text_in(row, 4), TimeCell{number_in(row, 5)}});
      });
  return table;
}

std::string summary_text(const OpLogReader& log, std::size_t most) {
  const OperationStatistics statistics(log);
  std::string text;
  for (const char* fact : facts)
    if (!log.fact(fact).empty()) text += fmt::format("{:<13} {}\n", fact, log.fact(fact));
  text += fmt::format("{:<13} {}\n", "operations", statistics.operations);
  if (statistics.operations > 0)
    text += fmt::format(
        "{:<13} {}, from {} to {}\n", "window", readable_time(to_ns(statistics.window())),
        readable_time(to_ns(statistics.first)), readable_time(to_ns(statistics.last)));
  if (!log.launches().empty())
    text += section("launches", launches_table(log).text("", most_launches));
  if (!statistics.engines.empty())
    text +=
        section("engines, busy time and its share of the window", engines_table(statistics).text());
  if (statistics.operations > 0)
    text += section("operations by total time", operations_table(statistics, most).text());
  if (!log.has_progress()) return text;
  if (const Table waits = waits_table(log); !waits.empty())
    text += section("kernels waited", waits.text());
  if (log.has_pe_time()) text += pe_time_text(pe_time_of(log));
  if (const Table senders = senders_table(log, most); !senders.empty())
    text += section("messages that were waited for, by sender", senders.text());
  if (log.launches().empty()) return text;
  const CriticalPath path = critical_path(log, log.longest_launch());
  text += section(fmt::format("critical path of the longest launch ({} of '{}' on {})",
                              path.launch.id, path.launch.kernel, path.launch.device),
                  path_resources(path).text());
  if (has_several_devices(path)) text += section("the same by device", path_devices(path).text());
  return text + fmt::format("\nto speed up first: {}\n", what_to_speed_up(path));
}

nlohmann::ordered_json summary_json(const OpLogReader& log, std::size_t most) {
  const OperationStatistics statistics(log);
  nlohmann::ordered_json json;
  for (const char* fact : facts) json[fact] = log.fact(fact);
  json["count"] = statistics.operations;
  json["window_start_ns"] = ns_json(statistics.first);
  json["window_end_ns"] = ns_json(statistics.last);
  json["engines"] = engines_table(statistics).json();
  json["operations"] = operations_table(statistics, most).json();
  if (!log.has_progress()) return json;
  json["launches"] = launches_table(log).json();
  json["waits"] = waits_table(log).json();
  json["pe_time"] = log.has_pe_time() ? pe_time_json(pe_time_of(log)) : nlohmann::ordered_json();
  json["senders"] = senders_table(log, most).json();
  json["critical_path"] = nullptr;
  if (!log.launches().empty()) {
    const CriticalPath path = critical_path(log, log.longest_launch());
    json["critical_path"] = {{"launch", path.launch.id},
                             {"length_ns", ns_json(path.launch.length())},
                             {"resources", path_resources(path).json()}};
  }
  return json;
}

}  // namespace kernbench
