// Summary of an operation log: launches, operations, waits, messages with stalled receivers, and
// the critical path of the longest launch.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "platform/events/op_log_player.h"
#include "platform/output/json_text.h"
#include "platform/report/critical_path.h"
#include "platform/report/operation_statistics.h"
#include "platform/report/report.h"

namespace kernbench {
namespace {

constexpr const char* facts[] = {"bench", "topology", "device", "seed", "data", "command_line"};

std::string section(const std::string& title, const std::string& body) {
  return fmt::format("\n{}\n{}", title, body);
}

// Times by name, with the longest of each: the first of equal ones by `order`.
template <class Row>
struct Sum {
  std::uint64_t count = 0;
  Fs total = 0, longest = 0;
  const Row* row = nullptr;

  template <class Order>
  void add(Fs time, const Row& of, Order order) {
    ++count;
    total += time;
    if (row != nullptr && (time < longest || (time == longest && !order(of, *row)))) return;
    longest = time;
    row = &of;
  }
};

// Sorted by total time, ties by name.
template <class Row>
std::vector<std::pair<std::string, Sum<Row>>> sorted(
    const std::map<std::string, Sum<Row>>& by_name) {
  std::vector<std::pair<std::string, Sum<Row>>> sums(by_name.begin(), by_name.end());
  std::stable_sort(sums.begin(), sums.end(),
                   [](const auto& a, const auto& b) { return a.second.total > b.second.total; });
  return sums;
}

class SummaryReport final : public Report {
 public:
  explicit SummaryReport(const ReportContext& context)
      : log_(*context.log), most_launches_(context.rows.value_or(20)),
        most_rows_(context.rows.value_or(5)), statistics_(context.events.observation()),
        logs_(context.events.observation()), transfers_(context.events), activity_(context.events) {
  }

  void close(Fs /*end*/) override { logs_.close(log_.launches()); }
  std::string text() override;
  Json json() override;

 private:
  // Launches in the order of issue: PEs, first start and last return of a kernel.
  Table launches() const;
  // Stall times of the threads of kernels, by reason.
  Table waits() const;
  // Senders whose messages stalled receivers, the longest first.
  Table senders();
  CriticalPath longest_path() {
    return critical_path(logs_, longest_of(log_.launches(), log_.path()), &transfers_.by_end());
  }

  // Activity of the PEs, in the format of `run`.
  Window window() const {
    Window window;
    for (const ActivityRow& row : activity_.all())
      if (row.pe_begin) window.add(*row.pe_begin, row.pe_end.value_or(*row.pe_begin));
    return window;
  }

  const LogPlayer& log_;
  std::size_t most_launches_, most_rows_;  // maximum numbers of text rows
  OperationStatistics statistics_;
  PeLogs logs_;
  CollectedTransfers transfers_;
  CollectedRows<ActivityRow> activity_;
};

Table SummaryReport::launches() const {
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
  for (const auto& [name, pe] : logs_.pes()) {
    for (const RunRow* run : pe.runs()) {
      Kernels& kernels = by_launch[run->launch.value_or(0)];
      ++kernels.pes;
      kernels.first = std::min(kernels.first, run->start);
      if (run->returned <= kernels.last) continue;
      kernels.last = run->returned;
      kernels.last_pe = name;
    }
  }
  for (const LaunchRow& launch : logs_.launches()) {
    const Kernels& kernels = by_launch[launch.id];
    Table::Row row{launch.id,
                   launch.kernel,
                   launch.device,
                   kernels.pes,
                   TimeCell{launch.issued},
                   TimeCell{launch.ended},
                   TimeCell{launch.length()},
                   {},
                   {},
                   {}};
    if (kernels.pes > 0) {
      row[7] = TimeCell{kernels.first};
      row[8] = TimeCell{kernels.last};
      row[9] = kernels.last_pe;
    }
    table.add(std::move(row));
  }
  return table;
}

Table SummaryReport::waits() const {
  Table table("waits", {{"for", "for"},
                        {"count", "count"},
                        {"total_ns", "total"},
                        {"longest_ns", "longest"},
                        {"longest_pe", "on"},
                        {"longest_start_ns", "at"}});
  std::map<std::string, Sum<WaitRow>> by_reason;
  for (const WaitRow& wait : logs_.rows().waits) {
    by_reason[name_of(wait.reason)].add(wait.end - wait.start, wait,
                                        [](const WaitRow& a, const WaitRow& b) {
                                          return std::tie(a.start, a.pe) < std::tie(b.start, b.pe);
                                        });
  }
  for (const auto& [reason, sum] : sorted(by_reason)) {
    table.add({reason, sum.count, TimeCell{sum.total}, TimeCell{sum.longest}, sum.row->pe,
               TimeCell{sum.row->start}});
  }
  return table;
}

Table SummaryReport::senders() {
  Table table("senders", {{"sender", "sender"},
                          {"messages", "messages"},
                          {"waited_ns", "waited for"},
                          {"longest_ns", "longest"},
                          {"longest_receiver", "by"},
                          {"longest_sent_ns", "sent at"}});
  std::map<std::string, Sum<MessageRow>> by_sender;
  for (const auto& [name, unsorted] : logs_.pes()) {
    const PeLog& pe = logs_[name];
    for (const MessageRow* message : pe.received()) {
      const WaitRow* receive = pe.receive_of(*message);
      if (receive == nullptr || *message->visible <= receive->start) continue;
      by_sender[message->sender].add(
          *message->visible - receive->start, *message,
          [](const MessageRow& a, const MessageRow& b) { return a.id < b.id; });
    }
  }
  for (const auto& [sender, sum] : sorted(by_sender)) {
    table.add({sender, sum.count, TimeCell{sum.total}, TimeCell{sum.longest}, *sum.row->receiver,
               TimeCell{sum.row->sent}});
  }
  return table;
}

// --- Complete summary

std::string SummaryReport::text() {
  std::string text;
  for (const char* fact : facts)
    if (!log_.fact(fact).empty()) text += fmt::format("{:<13} {}\n", fact, log_.fact(fact));
  text += fmt::format("{:<13} {}\n", "status", log_.status());
  text += fmt::format("{:<13} {}\n", "operations", statistics_.operations());
  text += fmt::format("{:<13} {}\n", "PE window", text_of(window()));
  if (!log_.launches().empty())
    text += section("launches", launches().text("", most_launches_, Table::Cut::middle));
  if (statistics_.operations() > 0)
    text +=
        section("operations by total time", statistics_.operations_table().text("", most_rows_));
  if (const Table table = waits(); !table.empty()) text += section("kernels waited", table.text());
  if (const Table table = senders(); !table.empty())
    text += section("stall time of receives, by sender", table.text("", most_rows_));
  if (log_.launches().empty()) return text;
  const CriticalPath path = longest_path();
  text += section(fmt::format("critical path of the longest launch ({} of '{}' on {})",
                              path.launch.id, path.launch.kernel, path.launch.device),
                  path.resources_table().text());
  if (path.has_several_devices())
    text += section("the same by device", path.devices_table().text());
  return text;
}

Report::Json SummaryReport::json() {
  Json json;
  for (const char* fact : facts) json[fact] = log_.fact(fact);
  json["status"] = log_.fact("status");
  json["error"] = log_.fact("error").empty() ? Json() : Json(log_.fact("error"));
  json["count"] = statistics_.operations();
  json["window_start_ns"] = window().empty() ? Json() : ns_json(window().begin);
  json["window_end_ns"] = window().empty() ? Json() : ns_json(window().end);
  json["operations"] = statistics_.operations_table().json();
  json["launches"] = launches().json();
  json["waits"] = waits().json();
  json["senders"] = senders().json();
  json["critical_path"] = nullptr;
  if (!log_.launches().empty()) {
    const CriticalPath path = longest_path();
    json["critical_path"] = {{"launch", path.launch.id},
                             {"length_ns", ns_json(path.launch.length())},
                             {"resources", path.resources_table().json()}};
  }
  return json;
}

const ReportRegistration summary_registration({0, "summary", ReportSource::log},
                                              report_in_summary<SummaryReport>());

}  // namespace
}  // namespace kernbench
