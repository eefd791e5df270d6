// Schema of the operation log (docs/op-log.md): a row type per table, an entry per column. CREATE
// TABLE, INSERT, SELECT and the conversion of values follow from it.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "models/base/units.h"
#include "models/data/op_log.h"
#include "models/protocol/kernel_progress.h"
#include "platform/events/event_source.h"
#include "platform/events/run_rows.h"

namespace kernbench {

// The only readable version.
inline constexpr int op_log_schema_version = 9;

// --- Enumerations

// Values of enumerations are stored by name.
const char* name_of(KernelWait::Reason reason);
const char* name_of(KernelWait::CommandKind kind);
constexpr std::size_t count_of(OpKind /*type*/) { return 4; }
constexpr std::size_t count_of(KernelWait::Reason /*type*/) { return 4; }
constexpr std::size_t count_of(KernelWait::CommandKind /*type*/) { return 5; }

// --- Tables

using OptionalFs = std::optional<Fs>;  // null: the event had not occurred when the run ended
using OptionalText = std::optional<std::string>;

struct ExecutedOpRow {
  std::uint64_t id = 0;  // by end, node, command, tile, from 1
  Fs start = 0, end = 0;
  std::string node;
  OpKind kind = OpKind::memory;
  std::string name;
  std::uint64_t command = 0;
  std::optional<std::int64_t> tile;
  std::uint64_t bytes = 0, macs = 0;
  OptionalText text, params, inputs, outputs;
  std::uint32_t stream = 0;
  std::uint64_t runs = 1;

  static constexpr const char* table = "ops";
  static constexpr std::array indices{"t_start_fs, id", "node, t_start_fs"};
  static constexpr auto columns() {
    using R = ExecutedOpRow;
    constexpr ColumnUse time = ColumnUse::time;
    constexpr ColumnUse record = ColumnUse::record;
    return std::make_tuple(
        LogColumn{"id", &R::id, ColumnUse::key}, LogColumn{"t_start_fs", &R::start, time},
        LogColumn{"t_end_fs", &R::end, time}, LogColumn{"node", &R::node},
        LogColumn{"kind", &R::kind}, LogColumn{"name", &R::name}, LogColumn{"command", &R::command},
        LogColumn{"tile", &R::tile}, LogColumn{"bytes", &R::bytes}, LogColumn{"macs", &R::macs},
        LogColumn{"text", &R::text, record}, LogColumn{"params", &R::params, record},
        LogColumn{"inputs", &R::inputs, record}, LogColumn{"outputs", &R::outputs, record},
        LogColumn{"stream", &R::stream}, LogColumn{"runs", &R::runs});
  }
};

// Launch of the host program that has ended, with its messages, one per SIP.
struct LaunchRow {
  std::string kernel, device;
  Fs issued = 0, ended = 0;
  std::vector<std::string> requests;  // in `runs`
  std::uint64_t id = 0;               // in the order of issue, from 1
  Fs length() const { return ended - issued; }

  static constexpr const char* table = "launches";
  static constexpr std::array<const char*, 0> indices{};
  static constexpr auto columns() {
    using R = LaunchRow;
    constexpr ColumnUse time = ColumnUse::time;
    return std::make_tuple(LogColumn{"id", &R::id, ColumnUse::key}, LogColumn{"kernel", &R::kernel},
                           LogColumn{"device", &R::device},
                           LogColumn{"t_issue_fs", &R::issued, time},
                           LogColumn{"t_end_fs", &R::ended, time});
  }
};

struct RunRow {
  std::string request, pe, kernel;
  Fs start = 0, returned = 0, end = 0, target = 0;
  std::uint32_t stream = 0;
  OptionalText unwaited = std::nullopt;
  std::optional<std::uint64_t> launch = std::nullopt;  // null: has not ended

  static constexpr const char* table = "runs";
  static constexpr std::array indices{"pe, t_start_fs"};
  static constexpr auto columns() {
    using R = RunRow;
    constexpr ColumnUse time = ColumnUse::time;
    return std::make_tuple(
        LogColumn{"request", &R::request}, LogColumn{"launch", &R::launch}, LogColumn{"pe", &R::pe},
        LogColumn{"kernel", &R::kernel}, LogColumn{"t_target_fs", &R::target, time},
        LogColumn{"t_start_fs", &R::start, time}, LogColumn{"t_return_fs", &R::returned, time},
        LogColumn{"t_end_fs", &R::end, time}, LogColumn{"stream", &R::stream},
        LogColumn{"unwaited", &R::unwaited});
  }
};

// Kernel that has started on a PE; its row in `runs` follows when it has ended.
struct KernelStartRow {
  std::string request, pe, kernel;
  Fs start = 0, target = 0;
  std::uint32_t stream = 0;

  static constexpr const char* table = "kernel_starts";
  static constexpr std::array<const char*, 0> indices{};
  static constexpr auto columns() {
    using R = KernelStartRow;
    return std::make_tuple(LogColumn{"request", &R::request}, LogColumn{"pe", &R::pe},
                           LogColumn{"kernel", &R::kernel}, LogColumn{"t_start_fs", &R::start},
                           LogColumn{"t_target_fs", &R::target}, LogColumn{"stream", &R::stream});
  }
};

struct WaitRow {
  std::string pe;
  KernelWait::Reason reason = KernelWait::Reason::command;
  std::optional<std::uint64_t> command;
  Fs start = 0, end = 0;
  std::optional<KernelWait::CommandKind> command_kind = std::nullopt;
  std::uint32_t stream = 0;

  static constexpr const char* table = "waits";
  static constexpr std::array indices{"pe, t_start_fs"};
  static constexpr auto columns() {
    using R = WaitRow;
    constexpr ColumnUse time = ColumnUse::time;
    return std::make_tuple(
        LogColumn{"pe", &R::pe}, LogColumn{"reason", &R::reason}, LogColumn{"command", &R::command},
        LogColumn{"t_start_fs", &R::start, time}, LogColumn{"t_end_fs", &R::end, time},
        LogColumn{"command_kind", &R::command_kind}, LogColumn{"stream", &R::stream});
  }
};

struct SlotWaitRow {
  std::string pe;
  OpKind waiting = OpKind::gemm;
  Fs start = 0, end = 0;
  std::uint32_t stream = 0;

  static constexpr const char* table = "slot_waits";
  static constexpr std::array indices{"pe, t_start_fs"};
  static constexpr auto columns() {
    using R = SlotWaitRow;
    constexpr ColumnUse time = ColumnUse::time;
    return std::make_tuple(LogColumn{"pe", &R::pe}, LogColumn{"waiting", &R::waiting},
                           LogColumn{"t_start_fs", &R::start, time},
                           LogColumn{"t_end_fs", &R::end, time}, LogColumn{"stream", &R::stream});
  }
};

struct CommandRow {
  std::string pe;
  std::uint64_t command = 0;
  Fs submitted = 0;
  OptionalFs dispatched, completed;

  static constexpr const char* table = "commands";
  static constexpr std::array indices{"pe, command"};
  static constexpr auto columns() {
    using R = CommandRow;
    constexpr ColumnUse time = ColumnUse::time;
    return std::make_tuple(LogColumn{"pe", &R::pe}, LogColumn{"command", &R::command},
                           LogColumn{"t_submit_fs", &R::submitted, time},
                           LogColumn{"t_dispatch_fs", &R::dispatched, time},
                           LogColumn{"t_complete_fs", &R::completed, time});
  }
};

struct MessageRow {
  std::uint64_t id = 0;  // by time of sending, sender, ring, from 1
  std::uint64_t ring = 0, number = 0, slot = 0, bytes = 0;
  std::string sender;  // PE
  OptionalText receiver;
  Fs sent = 0;
  OptionalFs arrived, write, visible, taken, consumed, credit;
  std::uint64_t installation = 0;
  std::uint32_t send_stream = 0;
  std::optional<std::uint32_t> receive_stream = std::nullopt;

  static constexpr const char* table = "messages";
  static constexpr std::array indices{"sender, t_sent_fs", "receiver, t_take_fs"};
  static constexpr auto columns() {
    using R = MessageRow;
    constexpr ColumnUse time = ColumnUse::time;
    return std::make_tuple(
        LogColumn{"id", &R::id, ColumnUse::key}, LogColumn{"ring", &R::ring},
        LogColumn{"number", &R::number}, LogColumn{"slot", &R::slot}, LogColumn{"bytes", &R::bytes},
        LogColumn{"sender", &R::sender}, LogColumn{"receiver", &R::receiver},
        LogColumn{"t_sent_fs", &R::sent, time}, LogColumn{"t_arrive_fs", &R::arrived, time},
        LogColumn{"t_write_fs", &R::write, time}, LogColumn{"t_visible_fs", &R::visible, time},
        LogColumn{"t_take_fs", &R::taken, time}, LogColumn{"t_consume_fs", &R::consumed, time},
        LogColumn{"t_credit_fs", &R::credit, time}, LogColumn{"installation", &R::installation},
        LogColumn{"send_stream", &R::send_stream}, LogColumn{"receive_stream", &R::receive_stream});
  }
};

// Calls visit.template table<Row>() for each.
template <class Visit>
void for_each_table(Visit visit) {
  visit.template table<ExecutedOpRow>();
  visit.template table<LaunchRow>();
  visit.template table<KernelStartRow>();
  visit.template table<RunRow>();
  visit.template table<WaitRow>();
  visit.template table<SlotWaitRow>();
  visit.template table<CommandRow>();
  visit.template table<MessageRow>();
  RunRowPorts::for_each_type(visit);
}

// --- Values

template <class T>
struct OptionalValue : std::false_type {
  using Bare = T;
};
template <class T>
struct OptionalValue<std::optional<T>> : std::true_type {
  using Bare = T;
};

template <class T>
void bind_value(SQLite::Statement& statement, int place, const T& value) {
  if constexpr (OptionalValue<T>::value) {
    value ? bind_value(statement, place, *value) : statement.bind(place);
  } else if constexpr (std::is_enum_v<T>) {
    statement.bindNoCopy(place, name_of(value));
  } else if constexpr (std::is_same_v<T, std::string>) {
    statement.bindNoCopy(place, value);
  } else if constexpr (std::is_floating_point_v<T>) {
    statement.bind(place, value);
  } else {
    statement.bind(place, static_cast<std::int64_t>(value));
  }
}

// Throws UsageError: no such name; `names` are allowed.
[[noreturn]] void refuse_name(const std::string& text, const char* table, const char* column,
                              const std::vector<const char*>& names);
// Throws UsageError.
[[noreturn]] void refuse_negative(std::int64_t value, const char* table, const char* column);
[[noreturn]] void refuse_interval(Fs before, const char* column_before, Fs value, const char* table,
                                  const char* column);

template <class Row, class T>
T enumerator_of(const std::string& text, const char* column) {
  std::vector<const char*> names;
  for (std::size_t i = 0; i < count_of(T()); ++i) {
    if (text == name_of(static_cast<T>(i))) return static_cast<T>(i);
  }
  for (std::size_t i = 0; i < count_of(T()); ++i) names.push_back(name_of(static_cast<T>(i)));
  refuse_name(text, Row::table, column, names);
}

template <class Row, class T>
void read_value(const SQLite::Statement& statement, int place, const char* column, T& value) {
  if constexpr (OptionalValue<T>::value) {
    value.reset();
    if (!statement.isColumnNull(place)) read_value<Row>(statement, place, column, value.emplace());
  } else if constexpr (std::is_enum_v<T>) {
    value = enumerator_of<Row, T>(statement.getColumn(place).getString(), column);
  } else if constexpr (std::is_same_v<T, std::string>) {
    const SQLite::Column text = statement.getColumn(place);
    value.assign(text.getText(), static_cast<std::size_t>(text.getBytes()));
  } else if constexpr (std::is_floating_point_v<T>) {
    value = statement.getColumn(place).getDouble();
  } else {
    const std::int64_t number = statement.getColumn(place).getInt64();
    if (std::is_unsigned_v<T> && number < 0) refuse_negative(number, Row::table, column);
    value = static_cast<T>(number);
  }
}

// --- Statements

struct ColumnText {
  const char* name;
  const char* type;
  bool is_optional;
  ColumnUse use;
};

template <class Row, class Visit>
void for_each_column(Visit visit) {
  std::apply([&](const auto&... column) { (visit(column), ...); }, Row::columns());
}

template <class Row>
std::vector<ColumnText> column_texts() {
  std::vector<ColumnText> texts;
  for_each_column<Row>([&](const auto& column) {
    using Value = std::decay_t<decltype(std::declval<Row>().*column.member)>;
    using Bare = typename OptionalValue<Value>::Bare;
    texts.push_back({column.name,
                     std::is_integral_v<Bare>         ? "INTEGER"
                     : std::is_floating_point_v<Bare> ? "REAL"
                                                      : "TEXT",
                     OptionalValue<Value>::value, column.use});
  });
  return texts;
}

std::string create_statement(const char* table, const std::vector<ColumnText>& columns);
std::string insert_statement(const char* table, std::size_t columns);
// `records`: includes the columns that events lack. `rest`: WHERE, ORDER BY.
std::string select_statement(const char* table, const std::vector<ColumnText>& columns,
                             bool records, const std::string& rest);
// The index is named after the first column.
std::string index_statement(const char* table, const std::string& columns);

template <class Row>
void insert_row(SQLite::Statement& into, const Row& row) {
  int place = 0;
  for_each_column<Row>([&](const auto& column) { bind_value(into, ++place, row.*column.member); });
  into.exec();
  into.reset();
}

// Reads rows of a select_statement(). Throws UsageError for a value that no log contains.
template <class Row>
void read_row(const SQLite::Statement& from, bool records, Row& row) {
  int place = 0;
  Fs last = 0;  // latest time in the time columns
  const char* last_column = "";
  for_each_column<Row>([&](const auto& column) {
    if (!records && column.use == ColumnUse::record) return;
    auto& value = row.*column.member;
    read_value<Row>(from, place++, column.name, value);
    if constexpr (std::is_convertible_v<decltype(value), OptionalFs>) {
      if (column.use != ColumnUse::time) return;
      const Fs time = OptionalFs(value).value_or(last);
      if (time < last) refuse_interval(last, last_column, time, Row::table, column.name);
      if (time > last || *last_column == '\0') last_column = column.name;
      last = time;
    }
  });
}

}  // namespace kernbench
