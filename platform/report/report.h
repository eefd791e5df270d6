// Report: observes the events of a run and returns tables, or writes a file, at its end.
//
// A report is a source file that registers itself, with the commands that offer it and its options:
//
//   class Sizes final : public Report { ... };
//   const ReportRegistration registration(
//       {55, "sizes", ReportSource::run | ReportSource::log},
//       report_on_flag<Sizes>("--sizes", "Bytes by size of transfer"));
//
// `run` and `traffic` feed it from the machine, `inspect` from the playback of an operation log:
// one class, the same numbers. It appears in the text, in JSON under its name and, in `inspect`, as
// CSV.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/events/event_source.h"
#include "platform/events/machine_events.h"
#include "platform/output/table.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace kernbench {

class EnergyTable;
class FunctionalModel;
class LogPlayer;
class Reports;

class Report {
 public:
  using Json = nlohmann::ordered_json;

  virtual ~Report() = default;
  // Creates the files, once all reports of the run exist: a wrong option leaves none.
  virtual void open() {}
  // Called between two slices of the simulation.
  virtual void rest() {}
  // Called after the last event. `end`: end of the program, or the time at which the run stopped; 0
  // for a log. Throws UsageError if the events lack data of the report.
  virtual void close(Fs /*end*/) {}
  virtual std::string text() { return ""; }  // empty: no output
  virtual Json json() { return nullptr; }    // null: no output
  // json() under the name of the report, unless null.
  virtual void add_to(Json& json, const char* name);
  virtual std::optional<Table> table() { return std::nullopt; }  // table for --csv
};

// Origin of a report's events, bits.
struct ReportSource {
  static constexpr unsigned run = 1;         // run --bench
  static constexpr unsigned initiators = 2;  // run without a bench
  static constexpr unsigned traffic = 4;
  static constexpr unsigned log = 8;
  static constexpr unsigned machine = run | initiators | traffic;
};

// Origin of a run, written next to its results.
struct RunMetadata {
  std::string version, command_line;
  std::string configuration;  // a topology.yaml with every default resolved
  std::vector<std::pair<std::string, std::string>> facts;  // "topology", "bench", "seed", ...
};

struct ReportContext {
  unsigned source = ReportSource::run;
  EventSource& events;
  MachineEvents* machine = nullptr;  // null: a log
  LogPlayer* log = nullptr;          // null: a machine
  Reports* reports = nullptr;        // all reports of the run
  RunMetadata metadata = {};
  FunctionalModel* data = nullptr;            // null: none
  const EnergyTable* energy_table = nullptr;  // table of --energy; null: a log, or without it
  // Name of the rank that works on a PE; empty: there are no collectives.
  std::function<std::string(const PeId& pe)> rank_name = {};
  bool lists_all = false;  // JSON or a file has a row per launch; set for files
  bool summary = false;    // for a log: no report was requested
  std::optional<std::size_t> rows =
      {};  // maximum number of text rows of a table; none: the report's default
};

// Options of one kind of report in a command.
class ReportOptions {
 public:
  virtual ~ReportOptions() = default;
  virtual void check() const {}                                  // UsageError
  virtual std::vector<std::string> files() const { return {}; }  // files that are written
  virtual bool lists_all() const { return false; }               // its file has a row per launch
  // Null: not requested.
  virtual std::unique_ptr<Report> make(const ReportContext& context) const = 0;
};

// Part of the machine that a report lists.
enum class ReportScope : std::uint8_t {
  used,          // what has been used, and totals over the machine
  whole_machine  // also what has not been used: only if all of it has been elaborated (spec 1.4)
};

struct ReportKind {
  int position;      // smaller ones come first in every output
  const char* name;  // key in JSON; unique among reports with the same sources
  unsigned sources;  // ReportSource
  // Members that name the rows of its lists in columns of a sweep (platform/sweep); empty: the
  // texts before the first number of a row.
  std::vector<std::string> row_names = {};
  ReportScope scope = ReportScope::used;
};

// Declares the options of a report in a command that has the source, and returns them.
using DeclareReport =
    std::function<std::unique_ptr<ReportOptions>(CLI::App& command, unsigned source)>;

// Object at namespace scope in the report's file.
class ReportRegistration {
 public:
  ReportRegistration(const ReportKind& kind, DeclareReport declare);
};

// Reports available in a command, with their options.
class ReportSet {
 public:
  // Declares the options of all registered reports of these sources. Throws Error, which names
  // both, if two reports have one name or declare one option.
  void declare(CLI::App& command, unsigned sources);
  // A report without options that is not wanted; no effect if there is none of that name.
  void leave_out(const std::string& name);

  // Names of the declared options, only of reports without `source`.
  std::vector<std::string> options() const;
  std::vector<std::string> options_without(unsigned source) const;
  // Names of the options of reports whose scope is the whole machine.
  std::vector<std::string> options_of_whole_machine() const;
  void check() const;
  std::vector<std::string> files() const;

 private:
  friend class Reports;
  [[noreturn]] void refuse_option(const char* name, const std::string& fault) const;

  struct Declared {
    ReportKind kind;
    std::unique_ptr<ReportOptions> options;
    std::vector<std::string> names;  // names of the options
  };
  std::vector<Declared> declared_;
};

// Requested reports of one run. They observe from the construction on.
class Reports {
 public:
  // `declared` and the events of `context`, whose `reports` is set, outlive this object.
  Reports(const ReportSet& declared, ReportContext context);
  Reports(const Reports&) = delete;
  Reports& operator=(const Reports&) = delete;

  void rest();
  void close(Fs end);

  // Text of each report after an empty line, except the first one if `first`.
  std::string text(bool first = false) const;
  void add_to(Report::Json& json) const;
  std::map<std::string, std::vector<std::string>> row_names() const;  // by name, if declared
  Report::Json json_of(const std::string& name) const;                // null: no such report
  // Throws UsageError unless exactly one report has a table; the message lists the options.
  Table only_table() const;

 private:
  struct Named {
    ReportKind kind;
    std::unique_ptr<Report> report;
  };
  void make(const ReportContext& context);

  const ReportSet& declared_;
  std::vector<Named> reports_;  // in the order of their positions
};

// Text of a table; empty without rows.
std::string text_of(const Table& table);

// --- Declarations

// Group of the options in the help.
inline constexpr const char* report_group = "Reports";
CLI::Option* add_report_flag(CLI::App& command, const char* option, const char* help, bool& value);

// Report without options: part of every run, and of the summary of a log.
template <class R>
DeclareReport report_in_summary() {
  struct InSummary final : ReportOptions {
    std::unique_ptr<Report> make(const ReportContext& context) const override {
      if (context.log != nullptr && !context.summary) return nullptr;
      return std::make_unique<R>(context);
    }
  };
  return [](CLI::App&, unsigned) { return std::make_unique<InSummary>(); };
}

// Report enabled by a flag.
template <class R>
DeclareReport report_on_flag(const char* option, const char* help) {
  struct OnFlag final : ReportOptions {
    bool asked = false;
    std::unique_ptr<Report> make(const ReportContext& context) const override {
      return asked ? std::make_unique<R>(context) : nullptr;
    }
  };
  return [option, help](CLI::App& command, unsigned) {
    auto options = std::make_unique<OnFlag>();
    add_report_flag(command, option, help, options->asked);
    return options;
  };
}

}  // namespace kernbench
