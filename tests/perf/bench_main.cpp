#include "tests/perf/bench_main.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>

namespace kernbench::perf {
namespace {

// Takes `--name` or `--name=value` out of the arguments; "" for the first.
std::optional<std::string> take(int& argc, char* argv[], std::string_view name) {
  std::optional<std::string> value;
  char** const end = std::remove_if(argv + 1, argv + argc, [&](std::string_view argument) {
    if (argument.substr(0, name.size()) != name) return false;
    const std::string_view rest = argument.substr(name.size());
    if (!rest.empty() && rest.front() != '=') return false;
    value = rest.empty() ? "" : rest.substr(1);
    return true;
  });
  argc = static_cast<int>(end - argv);
  return value;
}

// Prints as Google Benchmark does, and keeps the counters.
class KeepingReporter final : public benchmark::BenchmarkReporter {
 public:
  using Counters = std::map<std::string, double>;

  bool ReportContext(const Context& context) override { return printer_->ReportContext(context); }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      failed_ = failed_ || run.error_occurred;
      Counters counters;
      for (const auto& [name, counter] : run.counters) counters[name] = counter.value;
      rows_.emplace_back(run.run_name.function_name, std::move(counters));
    }
    printer_->ReportRuns(runs);
  }
  void Finalize() override { printer_->Finalize(); }

  const std::vector<std::pair<std::string, Counters>>& rows() const { return rows_; }
  bool failed() const { return failed_; }

 private:
  std::unique_ptr<BenchmarkReporter> printer_{benchmark::CreateDefaultDisplayReporter()};
  std::vector<std::pair<std::string, Counters>> rows_;
  bool failed_ = false;
};

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(": ") + 2);
  }
  return "unknown processor";
}

std::string circumstances(int rounds) {
  double load = 0;
  if (::getloadavg(&load, 1) < 1) load = -1;
  const std::time_t now = std::time(nullptr);
  return fmt::format(
      "{:%Y-%m-%d}, {}, {} cores, load {:.1f} before the run, g++ {}, least of {} {}.\n",
      fmt::localtime(now), processor(), std::thread::hardware_concurrency(), load, __VERSION__,
      rounds, rounds == 1 ? "round" : "rounds");
}

std::string text_of(const FiguresTable& table, const KeepingReporter& report) {
  std::string text = "\n### " + table.title + "\n\n|", rule = "|---|";
  for (const FiguresColumn& column : table.columns) {
    text += " | " + column.heading;
    rule += "---|";
  }
  text += " |\n" + rule + "\n";
  for (const auto& [name, counters] : report.rows()) {
    const auto has = [&counters = counters](const FiguresColumn& column) {
      return counters.count(column.counter) > 0;
    };
    if (!std::all_of(table.columns.begin(), table.columns.end(), has)) continue;
    text += "| " + name;
    for (const FiguresColumn& column : table.columns)
      text += fmt::format(" | {:.{}f}", counters.at(column.counter), column.digits);
    text += " |\n";
  }
  return text;
}

// `text` with the part between the marks of `name` replaced, or appended where there is none.
std::string with_part(const std::string& text, const std::string& name, const std::string& part) {
  const std::string begin = "<!-- begin " + name + " -->\n", end = "<!-- end " + name + " -->\n";
  const std::size_t from = text.find(begin);
  const std::size_t to = from == text.npos ? text.npos : text.find(end, from);
  if (to == text.npos) return text + begin + part + end;
  return text.substr(0, from) + begin + part + text.substr(to);
}

int write_figures(const std::string& path, const BenchProgram& program,
                  const std::string& circumstances, const KeepingReporter& report) {
  std::string part = "## Measured by `" + program.name + "`\n\n" + circumstances;
  for (const FiguresTable& table : program.tables) part += text_of(table, report);
  std::ifstream in(path, std::ios::binary);
  const std::string before{std::istreambuf_iterator<char>(in), {}};
  std::ofstream out(path, std::ios::binary);
  out << with_part(before, program.name, part);
  if (out.flush()) return 0;
  std::cerr << "cannot write " << path << '\n';
  return 1;
}

}  // namespace

int run_benchmarks(int argc, char* argv[], const BenchProgram& program) {
  const bool filtered = std::any_of(argv + 1, argv + argc, [](std::string_view argument) {
    return argument.find("--benchmark_filter") == 0;
  });
  benchmark::Initialize(&argc, argv);
  const int rounds = std::max(1, std::atoi(take(argc, argv, "--rounds").value_or("5").c_str()));
  std::optional<std::string> figures = take(argc, argv, "--write-figures");
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  if (figures && filtered) {
    std::cerr << "--write-figures: found with --benchmark_filter, allowed is a run of all\n";
    return 2;
  }
  if (figures && figures->empty())
    figures = std::string(KERNBENCH_SOURCE_DIR) + "/tests/perf/figures.md";
  program.add_benchmarks([rounds](benchmark::internal::Benchmark* b) {
    b->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(rounds);
  });
  const std::string before = circumstances(rounds);
  KeepingReporter report;
  benchmark::RunSpecifiedBenchmarks(&report);
  if (report.failed()) return 1;
  return figures ? write_figures(*figures, program, before, report) : 0;
}

}  // namespace kernbench::perf
