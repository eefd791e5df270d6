#include "platform/inspect/op_log_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>

#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench {
namespace {

constexpr int oldest_version = 1, newest_version = 4;
const std::array<const char*, 1> tables_of_operations{"ops"};
const std::array<const char*, 5> tables_of_progress{"launches", "runs", "waits", "commands",
                                                    "messages"};
const std::array<const char*, 1> tables_of_pe_time{"slot_waits"};

UsageError unreadable(const std::string& path, const std::string& why) {
  return UsageError(fmt::format("{} {}", quote(path), why));
}

// Bytes that the header of the database counts (file format of SQLite, section 1.3); 0: not told.
std::uint64_t bytes_by_header(const std::string& header) {
  const auto byte = [&](std::size_t at) {
    return static_cast<std::uint64_t>(static_cast<unsigned char>(header[at]));
  };
  const std::uint64_t page = byte(16) << 8 | byte(17);
  const std::uint64_t pages = byte(28) << 24 | byte(29) << 16 | byte(30) << 8 | byte(31);
  return pages * (page == 1 ? 65536 : page);
}

void check_database_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw unreadable(path, "does not exist");
  if (!std::filesystem::is_regular_file(status)) throw unreadable(path, "is not a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw unreadable(path, "cannot be read");
  std::string header(100, '\0');
  file.read(header.data(), static_cast<std::streamsize>(header.size()));
  const std::string magic("SQLite format 3", 16);
  if (file.gcount() < 100 || header.compare(0, magic.size(), magic) != 0) {
    throw unreadable(path,
                     "is not a SQLite database; an operation log to inspect is written by "
                     "kernbench run --op-log F.sqlite");
  }
  const std::uint64_t size = std::filesystem::file_size(path);
  if (size < bytes_by_header(header)) {
    throw unreadable(
        path, fmt::format("is cut short: it has {} of {} bytes", size, bytes_by_header(header)));
  }
}

SQLite::Database open(const std::string& path) {
  check_database_file(path);
  try {
    return SQLite::Database(path, SQLite::OPEN_READONLY);
  } catch (const SQLite::Exception& error) {
    throw unreadable(path, fmt::format("cannot be opened: {}", error.what()));
  }
}

}  // namespace

// --- Opening

OpLogReader::OpLogReader(const std::string& path) : path_(path), database_(open(path)) {
  read_meta();
  check_tables();
  if (has_progress()) read_launches();
}

void OpLogReader::read_meta() {
  bool found = false;
  for_each("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'meta'",
           [&](SQLite::Statement& row) { found = number_in(row, 0) == 1; });
  if (!found) throw unreadable(path_, "is not an operation log: it has no table 'meta'");
  for_each("SELECT key, value FROM meta",
           [&](SQLite::Statement& row) { facts_[text_in(row, 0)] = text_in(row, 1); });
  const std::string& version = fact("schema_version");
  if (version.empty())
    throw unreadable(path_, "is not complete: the run that wrote it has not come to its end");
  for (int known = oldest_version; known <= newest_version; ++known)
    if (version == std::to_string(known)) version_ = known;
  if (version_ == 0) {
    throw unreadable(path_, fmt::format("has schema version {}; this program reads {} to {}",
                                        quote(version), oldest_version, newest_version));
  }
}

void OpLogReader::check_tables() const {
  std::set<std::string> tables;
  for_each("SELECT name FROM sqlite_master WHERE type = 'table'",
           [&](SQLite::Statement& row) { tables.insert(text_in(row, 0)); });
  const auto check = [&](const auto& names) {
    for (const char* name : names) {
      if (tables.count(name) == 0) {
        throw unreadable(
            path_, fmt::format("has no table '{}', which an operation log of schema version {} has",
                               name, version_));
      }
    }
  };
  check(tables_of_operations);
  if (has_progress()) check(tables_of_progress);
  if (has_pe_time()) check(tables_of_pe_time);
}

void OpLogReader::read_launches() {
  for_each("SELECT id, kernel, device, t_issue_fs, t_end_fs FROM launches ORDER BY id",
           [&](SQLite::Statement& row) {
             launches_.push_back({number_in(row, 0), text_in(row, 1), text_in(row, 2),
                                  number_in(row, 3), number_in(row, 4)});
           });
}

// --- Reading

const std::string& OpLogReader::fact(const std::string& key) const {
  static const std::string none;
  const auto found = facts_.find(key);
  return found == facts_.end() ? none : found->second;
}

std::string OpLogReader::bench() const {
  const std::string& bench = fact("bench");
  return bench.substr(0, bench.find(' '));
}

void OpLogReader::require_progress(const std::string& what) const {
  if (has_progress()) return;
  throw UsageError(fmt::format(
      "{} has schema version 1, without launches and waits, which {} needs; record it again",
      quote(path_), what));
}

const LoggedLaunch& OpLogReader::longest_launch() const {
  if (launches_.empty())
    throw UsageError(fmt::format("{} has no launch that has ended", quote(path_)));
  return *std::max_element(
      launches_.begin(), launches_.end(),
      [](const LoggedLaunch& a, const LoggedLaunch& b) { return a.length() < b.length(); });
}

const LoggedLaunch& OpLogReader::launch(std::uint64_t id) const {
  const auto found = std::find_if(launches_.begin(), launches_.end(),
                                  [id](const LoggedLaunch& launch) { return launch.id == id; });
  if (found != launches_.end()) return *found;
  if (launches_.size() > 1)
    throw UsageError(
        fmt::format("{} has no launch {}, it has 1 to {}", quote(path_), id, launches_.size()));
  throw UsageError(fmt::format("{} has no launch {}, it has launch {} only", quote(path_), id,
                               longest_launch().id));
}

void OpLogReader::for_each(const std::string& sql, const Parameters& parameters,
                           const EachRow& each) const {
  try {
    SQLite::Statement statement(database_, sql);
    for (std::size_t i = 0; i < parameters.size(); ++i)
      statement.bind(static_cast<int>(i + 1), parameters[i]);
    while (statement.executeStep()) each(statement);
  } catch (const SQLite::Exception& error) {
    throw unreadable(path_, fmt::format("cannot be read: {}", error.what()));
  }
}

// --- Names

std::string pe_of_node(const std::string& node) {
  const std::size_t dot = node.rfind('.');
  return dot == std::string::npos ? "" : node.substr(0, dot);
}

std::string engine_of_node(const std::string& node) {
  const std::size_t dot = node.rfind('.');
  return dot == std::string::npos ? node : node.substr(dot + 1);
}

std::string part_of(const std::string& engine, const std::string& operation) {
  if (engine == "pe_gemm") return "gemm";
  if (engine == "pe_math") return "math";
  std::string part = operation.compare(0, 5, "tile/") == 0 ? operation.substr(5) : operation;
  for (char& c : part) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return part;
}

int order_of(const std::string& part) {
  constexpr std::array<const char*, 8> way{"kernel", "composite", "dma_read", "fetch",
                                           "gemm",   "math",      "store",    "dma_write"};
  return static_cast<int>(std::find(way.begin(), way.end(), part) - way.begin());
}

bool is_span(const std::string& engine) { return engine == "pe_scheduler" || engine == "pe_ipcq"; }

}  // namespace kernbench
