#include "platform/events/op_log_player.h"

#include <functional>

namespace kernbench {
namespace {

// --- Rows in the order of a column

class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual void next() = 0;
  virtual void write() const = 0;
  Fs time() const { return time_; }  // time of the next event; never_fs: no more events

 protected:
  Fs time_ = never_fs;
};

template <class Row, class Time>
class Rows final : public RowSource {
 public:
  using Write = std::function<void(const Row&)>;

  Rows(const SQLite::Database& database, Time Row::*time, const std::string& rest, Write write)
      : statement_(database, select_statement(Row::table, column_texts<Row>(), false, rest)),
        of_row_(time), write_(std::move(write)) {
    Rows::next();
  }
  void next() override {
    time_ = never_fs;
    if (!statement_.executeStep()) return;
    read_row(statement_, false, row_);
    if constexpr (OptionalValue<Time>::value) {
      time_ = *(row_.*of_row_);
    } else {
      time_ = row_.*of_row_;
    }
  }
  void write() const override { write_(row_); }

 private:
  SQLite::Statement statement_;
  Time Row::*of_row_;
  Write write_;
  Row row_;
};

MessageProgress step_of(const MessageRow& row, MessageProgress::Step step) {
  MessageProgress progress;
  progress.step = step;
  progress.installation = row.installation;
  progress.slot = row.slot;
  progress.number = row.number;
  progress.ring = step == MessageProgress::Step::written ? 0 : row.ring;
  progress.bytes = row.bytes;
  return progress;
}

}  // namespace

// Merge by time; sources of equal times keep their order.
class LogPlayer::Merge {
 public:
  explicit Merge(const SQLite::Database& database) : database_(database) {}

  template <class Row, class Time, class Write>
  void add(Time Row::*time, const std::string& rest, Write write) {
    sources_.push_back(std::make_unique<Rows<Row, Time>>(database_, time, rest, std::move(write)));
  }
  void write_all() {
    while (RowSource* source = first()) {
      source->write();
      source->next();
    }
  }

 private:
  RowSource* first() const {
    RowSource* first = nullptr;
    for (const auto& source : sources_) {
      if (source->time() < (first == nullptr ? never_fs : first->time())) first = source.get();
    }
    return first;
  }

  const SQLite::Database& database_;
  std::vector<std::unique_ptr<RowSource>> sources_;
};

// --- Nodes

struct LogPlayer::Scope : sc_core::sc_module {
  explicit Scope(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}
};

LogPlayer::LogPlayer(const std::string& path) : OpenedLog(path), EventSource(observation_) {}

LogPlayer::~LogPlayer() {
  root_.reset();
  while (!scopes_.empty()) scopes_.pop_back();
}

LogPlayer::Scope* LogPlayer::scope(const std::string& name) {
  if (name.empty()) return scopes_.front().get();
  const auto found = by_name_.find(name);
  if (found != by_name_.end()) return found->second;
  const std::size_t dot = name.rfind('.');
  Scope* parent = scope(dot == std::string::npos ? "" : name.substr(0, dot));
  sc_core::sc_simcontext* context = sc_core::sc_get_curr_simcontext();
  context->hierarchy_push(parent);
  scopes_.push_back(
      std::make_unique<Scope>(dot == std::string::npos ? name.c_str() : name.c_str() + dot + 1));
  context->hierarchy_pop();
  return by_name_[name] = scopes_.back().get();
}

const sc_core::sc_object* LogPlayer::node(const std::string& name) {
  return name.empty() ? nullptr : scope(name);
}

const sc_core::sc_object* LogPlayer::node_of(const std::string& pe, const char* engine) {
  return scope(pe + '.' + engine);
}

// --- Events

void LogPlayer::play() {
  if (scopes_.empty()) {
    scopes_.push_back(std::make_unique<Scope>(sc_core::sc_gen_unique_name("log")));
    sc_core::sc_simcontext* context = sc_core::sc_get_curr_simcontext();
    context->hierarchy_push(scopes_.front().get());
    root_.emplace();
    context->hierarchy_pop();
  }
  reading([this] {
    Merge events(database());
    add_messages(events);
    add_commands(events);
    add_operations(events);
    add_ends(events);
    events.write_all();
    play_rows();
  });
}

// Rows of the run, type by type; dependent rows follow the row that they belong to.
class LogPlayer::RowPlayer {
 public:
  RowPlayer(LogPlayer& log, const SQLite::Database& database) : log_(log), database_(database) {}

  template <class Row>
  void table() {
    if constexpr (std::is_same_v<Row, TransferRow>) {
      play_with<TransferRow, HopRow>(&HopRow::transfer);
    } else if constexpr (std::is_same_v<Row, WindowRow>) {
      play_with<WindowRow, ServerUseRow>(&ServerUseRow::window);
    } else if constexpr (!std::is_same_v<Row, HopRow> && !std::is_same_v<Row, ServerUseRow>) {
      if (!log_.rows<Row>().observed()) return;
      for (Cursor<Row> cursor(database_); cursor.next();) log_.rows<Row>().write(cursor.row);
    }
  }

 private:
  template <class Row>
  struct Cursor {
    explicit Cursor(const SQLite::Database& database)
        : statement(database,
                    select_statement(Row::table, column_texts<Row>(), false, "ORDER BY rowid")) {}
    bool next() {
      if (!statement.executeStep()) return false;
      read_row(statement, false, row);
      return true;
    }
    SQLite::Statement statement;
    Row row;
  };

  // `owner`: id of the row that each of `Parts` belongs to.
  template <class Row, class Parts>
  void play_with(std::uint64_t Parts::*owner) {
    if (!log_.rows<Row>().observed() && !log_.rows<Parts>().observed()) return;
    Cursor<Row> rows(database_);
    Cursor<Parts> parts(database_);
    bool has_part = parts.next();
    while (rows.next()) {
      log_.rows<Row>().write(rows.row);
      for (; has_part && parts.row.*owner == rows.row.id; has_part = parts.next())
        log_.rows<Parts>().write(parts.row);
    }
  }

  LogPlayer& log_;
  const SQLite::Database& database_;
};

void LogPlayer::play_rows() {
  RowPlayer player(*this, database());
  RunRowPorts::for_each_type(player);
}

void LogPlayer::add_messages(Merge& events) {
  using Step = MessageProgress::Step;
  events.add(&MessageRow::sent, "ORDER BY t_sent_fs, id", [this](const MessageRow& row) {
    MessageProgress sent = step_of(row, Step::sent);
    sent.node = node_of(row.sender, "pe_ipcq");
    sent.end = row.sent;
    sent.stream = row.send_stream;
    observation_.message_progress.write(sent);
  });
  events.add(&MessageRow::visible, "WHERE t_visible_fs NOT NULL ORDER BY t_visible_fs, id",
             [this](const MessageRow& row) {
               MessageProgress written = step_of(row, Step::written);
               written.node = node_of(row.receiver.value_or(""), "pe_dma");
               written.arrived = row.arrived.value_or(0);
               written.start = row.write.value_or(0);
               written.end = *row.visible;
               observation_.message_progress.write(written);
             });
  events.add(&MessageRow::consumed, "WHERE t_consume_fs NOT NULL ORDER BY t_consume_fs, id",
             [this](const MessageRow& row) {
               MessageProgress consumed = step_of(row, Step::consumed);
               consumed.node = node_of(row.receiver.value_or(""), "pe_ipcq");
               consumed.start = row.taken.value_or(0);
               consumed.end = *row.consumed;
               consumed.credit = row.credit.value_or(0);
               consumed.stream = row.receive_stream.value_or(0);
               observation_.message_progress.write(consumed);
             });
}

void LogPlayer::add_commands(Merge& events) {
  events.add(&CommandRow::submitted, "ORDER BY t_submit_fs, rowid", [this](const CommandRow& row) {
    write(row, TraceKind::command_submitted, row.submitted);
  });
  events.add(&CommandRow::dispatched, "WHERE t_dispatch_fs NOT NULL ORDER BY t_dispatch_fs, rowid",
             [this](const CommandRow& row) {
               write(row, TraceKind::sub_command_dispatched, *row.dispatched);
             });
}

void LogPlayer::write(const CommandRow& row, TraceKind kind, Fs time) {
  TraceEvent event;
  event.kind = kind;
  event.time = time;
  event.node = node_of(row.pe, "pe_scheduler");
  event.command_id = row.command;
  observation_.trace_events.write(event);
}

void LogPlayer::add_operations(Merge& events) {
  events.add(&ExecutedOpRow::end, "ORDER BY id", [this](const ExecutedOpRow& row) {
    ExecutedOp op;
    op.t_start = row.start;
    op.t_end = row.end;
    op.node = node(row.node);
    op.kind = row.kind;
    op.name = names_.insert(row.name).first->c_str();
    op.command_id = row.command;
    op.tile_id = row.tile.value_or(-1);
    op.stream = row.stream;
    op.bytes = row.bytes;
    op.runs = row.runs;
    op.macs = row.macs;
    observation_.executed_ops.write(op);
  });
  events.add(&SlotWaitRow::end, "ORDER BY rowid", [this](const SlotWaitRow& row) {
    observation_.slot_waits.write(
        {node_of(row.pe, "pe_scheduler"), row.waiting, row.start, row.end, row.stream});
  });
}

void LogPlayer::add_ends(Merge& events) {
  events.add(
      &CommandRow::completed, "WHERE t_complete_fs NOT NULL ORDER BY t_complete_fs, rowid",
      [this](const CommandRow& row) { write(row, TraceKind::command_complete, *row.completed); });
  events.add(&WaitRow::end, "ORDER BY rowid", [this](const WaitRow& row) {
    observation_.kernel_waits.write(
        {node_of(row.pe, "pe_cpu"), row.reason, row.command.value_or(0), row.start, row.end,
         row.command_kind.value_or(KernelWait::CommandKind::none), row.stream});
  });
  events.add(&KernelStartRow::start, "ORDER BY rowid", [this](const KernelStartRow& row) {
    observation_.kernel_starts.write(
        {node_of(row.pe, "pe_cpu"), row.request, row.kernel, row.start, row.target, row.stream});
  });
  events.add(&RunRow::end, "ORDER BY rowid", [this](const RunRow& row) {
    observation_.kernel_runs.write(
        {node_of(row.pe, "pe_cpu"), row.request, row.kernel, row.start, row.returned, row.end,
         row.unwaited ? row.unwaited->c_str() : "", row.target, row.stream});
  });
}

}  // namespace kernbench
