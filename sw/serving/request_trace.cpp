#include "sw/serving/request_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>

#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench::serving {
namespace {

enum Role : std::uint8_t { arrival, prompt, output };
constexpr std::size_t roles = 3;

struct ColumnName {
  std::string_view name;
  Role role;
  std::int64_t unit_ns = 0;  // unit of an arrival
};

constexpr std::array<ColumnName, 12> column_names{{
    {"arrival_ns", arrival, 1},
    {"arrival_us", arrival, 1000},
    {"arrival_ms", arrival, 1'000'000},
    {"arrival_s", arrival, 1'000'000'000},
    {"arrival_time_ns", arrival, 1},
    {"arrived_at", arrival, 1'000'000'000},
    {"prompt_tokens", prompt},
    {"input_toks", prompt},
    {"num_prefill_tokens", prompt},
    {"output_tokens", output},
    {"output_toks", output},
    {"num_decode_tokens", output},
}};

// Fault of a row, thrown; becomes one line of the UsageError.
struct RowFault {
  std::string what;
};

std::vector<std::string_view> split(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t end = line.find(separator);
    fields.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return fields;
    line.remove_prefix(end + 1);
  }
}

std::string names_of(Role role) {
  std::string names;
  for (const ColumnName& column : column_names) {
    if (column.role == role) names += (names.empty() ? "" : ", ") + std::string(column.name);
  }
  return names;
}

// Header of a trace: the columns of a request.
struct Columns {
  struct Column {
    const ColumnName* name = nullptr;  // null: absent
    std::size_t index = 0;
  };
  std::array<Column, roles> column;
  std::size_t count = 0;  // columns of the header
  char separator = ',';

  explicit Columns(std::string_view header);
  Request parse(std::string_view line) const;

 private:
  Fs parse_arrival(std::string_view text) const;
  std::uint32_t parse_tokens(Role role, std::string_view text) const;
};

Columns::Columns(std::string_view header) {
  if (header.find('\t') != std::string_view::npos) separator = '\t';
  const auto names = split(header, separator);
  count = names.size();
  for (std::size_t i = 0; i < count; ++i) {
    for (const ColumnName& known : column_names) {
      if (known.name != names[i]) continue;
      Column& place = column[known.role];
      if (place.name != nullptr) {
        throw RowFault{fmt::format("columns {} and {} have the same meaning; allowed is one of {}",
                                   place.name->name, known.name, names_of(known.role))};
      }
      place = {&known, i};
    }
  }
  for (const Role role : {arrival, prompt, output}) {
    if (column[role].name == nullptr) {
      throw RowFault{
          fmt::format("the header {} has none of the columns {}", quote(header), names_of(role))};
    }
  }
}

Request Columns::parse(std::string_view line) const {
  const auto fields = split(line, separator);
  if (fields.size() != count)
    throw RowFault{fmt::format("found {} columns, the header has {}", fields.size(), count)};
  return {parse_arrival(fields[column[arrival].index]),
          parse_tokens(prompt, fields[column[prompt].index]),
          parse_tokens(output, fields[column[output].index])};
}

Fs Columns::parse_arrival(std::string_view text) const {
  const ColumnName& name = *column[arrival].name;
  try {
    const Rational ns = Rational::parse(text) * Rational(name.unit_ns);
    if (!(ns < Rational(0))) return ns_to_fs(ns);
  } catch (const std::invalid_argument&) {
  } catch (const std::overflow_error&) {
  }
  throw RowFault{fmt::format("{} is {}, allowed is a decimal number from 0, at most 18446 s",
                             name.name, quote(text))};
}

std::uint32_t Columns::parse_tokens(Role role, std::string_view text) const {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 ||
      value > most_tokens) {
    throw RowFault{fmt::format("{} is {}, allowed is an integer, 1 to {}", column[role].name->name,
                               quote(text), most_tokens)};
  }
  return value;
}

}  // namespace

std::vector<Request> read_request_trace(const std::string& path) {
  constexpr std::size_t most_faults = 20;
  std::ifstream file(path);
  if (!file) throw UsageError(fmt::format("request trace: cannot read {}", printable(path)));
  std::vector<Request> requests;
  std::optional<Columns> columns;
  std::string line, faults;
  std::size_t number = 0, fault_count = 0;
  while (fault_count < most_faults && std::getline(file, line)) {
    ++number;
    if (number == 1 && line.compare(0, 3, "\xef\xbb\xbf") == 0) line.erase(0, 3);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    try {
      if (!columns) {
        columns.emplace(line);
        continue;
      }
      const Request request = columns->parse(line);
      if (!requests.empty() && request.arrival < requests.back().arrival) {
        throw RowFault{fmt::format("arrival at {}, before that of the preceding row, {}",
                                   format_ns(request.arrival), format_ns(requests.back().arrival))};
      }
      requests.push_back(request);
    } catch (const RowFault& fault) {
      faults += fmt::format("{}{}:{}: {}", faults.empty() ? "" : "\n", printable(path), number,
                            fault.what);
      ++fault_count;
      if (!columns) break;
    }
  }
  if (fault_count == 0 && requests.empty()) {
    faults = fmt::format("{}:{}: the trace has no requests", printable(path),
                         std::max<std::size_t>(number, 1));
  }
  if (!faults.empty()) throw UsageError(faults);
  return requests;
}

}  // namespace kernbench::serving
