#include "platform/traffic/traffic_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/topology/machine_message.h"
#include "platform/traffic/traffic_player.h"

namespace kernbench {
namespace {

constexpr std::array<std::string_view, 6> header{"at_ns",  "initiator", "op",
                                                 "target", "offset",    "bytes"};
constexpr std::string_view header_line = "at_ns,initiator,op,target,offset,bytes";

// Splits at commas; returns the number of fields, of which at most `fields.size()` are stored.
std::size_t split(std::string_view line, std::array<std::string_view, 6>& fields) {
  std::size_t count = 0;
  for (;;) {
    const std::size_t comma = line.find(',');
    if (count < fields.size()) fields[count] = line.substr(0, comma);
    ++count;
    if (comma == std::string_view::npos) return count;
    line.remove_prefix(comma + 1);
  }
}

// Fault of a row, thrown; becomes one line of the UsageError.
struct RowFault {
  std::string what;
};

std::uint64_t parse_count(std::string_view text, const char* column, std::uint64_t lowest,
                          std::uint64_t highest) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < lowest ||
      value > highest) {
    throw RowFault{fmt::format("{} is {}, allowed is an integer, {} to {}", column, quote(text),
                               lowest, highest)};
  }
  return value;
}

Fs parse_time(std::string_view text) {
  std::optional<Rational> ns;
  try {
    ns = Rational::parse(text);
  } catch (const std::invalid_argument&) {
  }
  if (!ns || *ns < Rational(0) || Rational(latest_issue_fs / fs_per_ns) < *ns) {
    throw RowFault{fmt::format("at_ns is {}, allowed is a decimal number, 0 to 1e12", quote(text))};
  }
  return ns_to_fs(*ns);
}

}  // namespace

TrafficFile::TrafficFile(std::string path, Platform& platform)
    : path_(std::move(path)), platform_(platform) {
  std::error_code error;
  const auto status = std::filesystem::status(path_, error);
  if (path_ == "-" ||
      (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))) {
    throw UsageError(
        fmt::format("traffic: {} is read twice (check, then play), so it must be a regular file, "
                    "not a pipe or folder",
                    printable(path_)));
  }
  start_over();
}

void TrafficFile::start_over() {
  file_.close();
  file_.clear();
  file_.open(path_);
  if (!file_) throw UsageError(fmt::format("traffic: cannot read {}", printable(path_)));
  line_number_ = 0;
  row_ = 0;
  previous_ = 0;
  if (!read_line())
    throw UsageError(fmt::format("{}:1: the file is empty; the first line must be {}",
                                 printable(path_), header_line));
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (std::string_view(line_).substr(0, byte_order_mark.size()) == byte_order_mark)
    line_.erase(0, byte_order_mark.size());
  if (line_ == header_line) return;
  std::array<std::string_view, columns> found;
  const std::size_t count = std::min(split(line_, found), columns);
  std::string missing;
  for (const std::string_view column : header) {
    bool present = false;
    for (std::size_t i = 0; i < count; ++i) present = present || found[i] == column;
    if (!present) missing += (missing.empty() ? "" : ", ") + std::string(column);
  }
  throw UsageError(
      fmt::format("{}:1: the header must be {}{}; found {}", printable(path_), header_line,
                  missing.empty() ? ", in this order and nothing else" : "; missing: " + missing,
                  quote(line_)));
}

bool TrafficFile::read_line() {
  while (std::getline(file_, line_)) {
    ++line_number_;
    if (!line_.empty() && line_.back() == '\r') line_.pop_back();
    if (!line_.empty()) return true;
  }
  return false;
}

NodeId TrafficFile::node_of(std::string_view name, const char* role) {
  const int slot = role[0] == 'i' ? 0 : 1;
  if (last_node_[slot] != no_node && last_name_[slot] == name) return last_node_[slot];
  const NodeId node = platform_.machine().find(std::string(name));
  const bool right_kind =
      node != no_node && (slot == 0 ? starts_transfers(platform_.graph().node(node))
                                    : is_memory(platform_.graph().node(node)));
  if (!right_kind) {
    throw RowFault{fmt::format("{} is {}, which {}; allowed is {} node name", role, quote(name),
                               node == no_node ? "is not a node of this machine" : "cannot be one",
                               slot == 0 ? "a pe_dma or pcie_ep"
                                         : "an hbm_ctrl.peN, sram, pe_tcm or "
                                           "tlm_target")};
  }
  last_name_[slot] = name;
  last_node_[slot] = node;
  return node;
}

void TrafficFile::parse(TrafficRequest& request) {
  std::array<std::string_view, columns> field;
  const std::size_t count = split(line_, field);
  if (count != columns)
    throw RowFault{fmt::format("found {} columns, expected {} ({})", count, columns, header_line)};
  request.issue = parse_time(field[0]);
  if (request.issue < previous_)
    throw RowFault{
        fmt::format("at_ns is {}, before the row above it; rows must ascend", printable(field[0]))};
  request.initiator = node_of(field[1], "initiator");
  if (field[2] != "read" && field[2] != "write")
    throw RowFault{fmt::format("op is {}, allowed is read or write", quote(field[2]))};
  request.write = field[2] == "write";
  request.target = node_of(field[3], "target");
  request.offset = parse_count(field[4], "offset", 0, UINT64_MAX);
  request.bytes = parse_count(field[5], "bytes", 1, longest_request_bytes);
  const std::uint64_t capacity = traffic_capacity(platform_, request.target);
  if (request.bytes > capacity || request.offset > capacity - request.bytes) {
    throw RowFault{fmt::format("offset {} + {} bytes is beyond the end of {}, which has {} bytes",
                               printable(field[4]), printable(field[5]), field[3], capacity)};
  }
  request.id = row_;
}

void TrafficFile::check_route(const TrafficRequest& request) {
  if (routed_[0] == request.initiator && routed_[1] == request.target) return;
  try {
    platform_.routes().memory_path(request.initiator, request.target);
  } catch (const RoutingError& error) {
    throw RowFault{error.what()};
  }
  routed_[0] = request.initiator;
  routed_[1] = request.target;
}

std::uint64_t TrafficFile::check() {
  constexpr std::size_t most = 20;
  std::string faults;
  std::size_t count = 0;
  TrafficRequest request;
  for (; count < most && read_line(); ++row_) {
    if (row_ == UINT32_MAX)
      throw UsageError(fmt::format("{}: more than {} rows", printable(path_), UINT32_MAX));
    try {
      parse(request);
      previous_ = request.issue;
      check_route(request);
    } catch (const RowFault& fault) {
      faults += fmt::format("{}{}:{}: {}", count++ == 0 ? "" : "\n", printable(path_), line_number_,
                            fault.what);
    }
  }
  if (count == most) faults += "\n(further faults are not listed)";
  if (count > 0) throw UsageError(faults);
  if (row_ == 0)
    throw UsageError(
        fmt::format("{}:{}: no requests after the header", printable(path_), line_number_));
  const std::uint64_t rows = row_;
  start_over();
  return rows;
}

bool TrafficFile::next(TrafficRequest& request) {
  if (!read_line()) return false;
  try {
    parse(request);
  } catch (const RowFault& fault) {  // only if the file changed after check()
    throw UsageError(fmt::format("{}:{}: {}", printable(path_), line_number_, fault.what));
  }
  previous_ = request.issue;
  ++row_;
  return true;
}

}  // namespace kernbench
