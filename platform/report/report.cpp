#include "platform/report/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench {
namespace {

struct Registered {
  ReportKind kind;
  DeclareReport declare;
};

std::vector<Registered>& registered() {
  static std::vector<Registered> kinds;  // filled before main() begins, and by plug-ins
  return kinds;
}

// Names of the options of a command, in the order of declaration.
std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) names.push_back(option->get_name());
  return names;
}

}  // namespace

ReportRegistration::ReportRegistration(const ReportKind& kind, DeclareReport declare) {
  registered().push_back({kind, std::move(declare)});
}

void Report::add_to(Json& json, const char* name) {
  Json own = this->json();
  if (!own.is_null()) json[name] = std::move(own);
}

std::string text_of(const Table& table) { return table.empty() ? "" : table.text(); }

CLI::Option* add_report_flag(CLI::App& command, const char* option, const char* help, bool& value) {
  return command.add_flag(option, value, help)->group(report_group);
}

void ReportSet::declare(CLI::App& command, unsigned sources) {
  std::vector<const Registered*> sorted;
  for (const Registered& each : registered()) {
    if ((each.kind.sources & sources) != 0) sorted.push_back(&each);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const Registered* a, const Registered* b) {
    return a->kind.position < b->kind.position;
  });
  for (const Registered* each : sorted) {
    const char* const name = each->kind.name;
    for (const Declared& other : declared_) {
      if (std::string(other.kind.name) == name)
        throw Error(fmt::format("two reports have the name {}", quote(name)));
    }
    const std::size_t before = options_of(command).size();
    Declared declared{each->kind, nullptr, {}};
    try {
      declared.options = each->declare(command, sources);
    } catch (const CLI::OptionAlreadyAdded& error) {
      refuse_option(name, error.what());
    }
    const std::vector<std::string> options = options_of(command);
    declared.names.assign(options.begin() + static_cast<std::ptrdiff_t>(before), options.end());
    declared_.push_back(std::move(declared));
  }
}

void ReportSet::refuse_option(const char* name, const std::string& fault) const {
  for (const Declared& other : declared_) {
    for (const std::string& option : other.names) {
      if (fault.find(option.substr(option.find_first_not_of('-'))) != std::string::npos)
        throw Error(fmt::format("the reports {} and {} both declare {}", quote(other.kind.name),
                                quote(name), option));
    }
  }
  throw Error(
      fmt::format("the report {} declares an option of the command: {}", quote(name), fault));
}

void ReportSet::leave_out(const std::string& name) {
  declared_.erase(std::remove_if(declared_.begin(), declared_.end(),
                                 [&](const Declared& each) { return each.kind.name == name; }),
                  declared_.end());
}

std::vector<std::string> ReportSet::options() const { return options_without(0); }

std::vector<std::string> ReportSet::options_without(unsigned source) const {
  std::vector<std::string> names;
  for (const Declared& each : declared_) {
    if ((each.kind.sources & source) == 0)
      names.insert(names.end(), each.names.begin(), each.names.end());
  }
  return names;
}

std::vector<std::string> ReportSet::options_of_whole_machine() const {
  std::vector<std::string> names;
  for (const Declared& each : declared_) {
    if (each.kind.scope == ReportScope::whole_machine)
      names.insert(names.end(), each.names.begin(), each.names.end());
  }
  return names;
}

void ReportSet::check() const {
  for (const Declared& each : declared_) each.options->check();
}

std::vector<std::string> ReportSet::files() const {
  std::vector<std::string> files;
  for (const Declared& each : declared_) {
    for (std::string& file : each.options->files()) files.push_back(std::move(file));
  }
  return files;
}

Reports::Reports(const ReportSet& declared, ReportContext context) : declared_(declared) {
  context.reports = this;
  for (const ReportSet::Declared& each : declared.declared_)
    context.lists_all = context.lists_all || each.options->lists_all();
  make(context);
  if (reports_.empty() && context.log != nullptr) {
    context.summary = true;
    make(context);
  }
  for (const Named& each : reports_) each.report->open();
}

void Reports::make(const ReportContext& context) {
  for (const ReportSet::Declared& each : declared_.declared_) {
    if ((each.kind.sources & context.source) == 0) continue;
    if (auto report = each.options->make(context))
      reports_.push_back({each.kind, std::move(report)});
  }
}

void Reports::rest() {
  for (const Named& each : reports_) each.report->rest();
}

void Reports::close(Fs end) {
  for (const Named& each : reports_) each.report->close(end);
}

std::string Reports::text(bool first) const {
  std::string all;
  for (const Named& each : reports_) {
    const std::string text = each.report->text();
    if (text.empty()) continue;
    if (!std::exchange(first, false)) all += '\n';
    all += text;
  }
  return all;
}

void Reports::add_to(Report::Json& json) const {
  for (const Named& each : reports_) {
    each.report->add_to(json, each.kind.name);
  }
}

std::map<std::string, std::vector<std::string>> Reports::row_names() const {
  std::map<std::string, std::vector<std::string>> names;
  for (const Named& each : reports_) {
    if (!each.kind.row_names.empty()) names[each.kind.name] = each.kind.row_names;
  }
  return names;
}

Report::Json Reports::json_of(const std::string& name) const {
  for (const Named& each : reports_) {
    if (name == each.kind.name) return each.report->json();
  }
  return nullptr;
}

Table Reports::only_table() const {
  std::vector<Table> tables;
  for (const Named& each : reports_) {
    if (std::optional<Table> table = each.report->table()) tables.push_back(std::move(*table));
  }
  if (tables.size() == 1) return tables.front();
  std::vector<std::string> options;  // first option of each report
  for (const ReportSet::Declared& each : declared_.declared_) {
    if (!each.names.empty()) options.push_back(each.names.front());
  }
  throw UsageError(fmt::format("--csv prints one table: name one of {}", fmt::join(options, ", ")));
}

}  // namespace kernbench
