#include "platform/inspect/pe_log.h"

#include <algorithm>
#include <tuple>

namespace kernbench {
namespace {

constexpr const char* message_columns =
    "SELECT id, ring, number, slot, bytes, sender, receiver, t_sent_fs, t_arrive_fs, t_write_fs, "
    "t_visible_fs, t_take_fs, t_consume_fs, t_credit_fs FROM messages WHERE t_consume_fs NOT NULL "
    "AND ";

std::uint32_t stream_in(SQLite::Statement& row, int column) {
  return static_cast<std::uint32_t>(number_in(row, column));
}

LoggedMessage message_in(SQLite::Statement& row) {
  return {number_in(row, 0),  number_in(row, 1), number_in(row, 2),  number_in(row, 3),
          number_in(row, 4),  text_in(row, 5),   text_in(row, 6),    number_in(row, 7),
          number_in(row, 8),  number_in(row, 9), number_in(row, 10), number_in(row, 11),
          number_in(row, 12), number_in(row, 13)};
}

LoggedOp op_in(SQLite::Statement& row) {
  const std::string engine = engine_of_node(text_in(row, 3)), name = text_in(row, 4);
  return {number_in(row, 0),     number_in(row, 1),
          number_in(row, 2),     engine,
          part_of(engine, name), name,
          number_in(row, 5),     row.isColumnNull(6) ? -1 : row.getColumn(6).getInt64(),
          stream_in(row, 7)};
}

}  // namespace

PeLog::PeLog(const OpLogReader& log, const std::string& pe) : pe_(pe) {
  read_ops(log);
  read_progress(log);
  read_messages(log);
}

// --- Reading

void PeLog::read_ops(const OpLogReader& log) {
  // The names of the PE's engines lie between "pe." and "pe/", the next character.
  log.for_each("SELECT id, t_start_fs, t_end_fs, node, name, command, tile, " +
                   log.stream_column() +
                   " FROM ops WHERE node >= ? AND node < ? ORDER BY t_end_fs, id",
               {pe_ + ".", pe_ + "/"}, [&](SQLite::Statement& row) {
                 const LoggedOp op = op_in(row);
                 streams_of_commands_.emplace(op.command, op.stream);
                 if (is_span(op.engine))
                   streams_of_calls_.emplace(std::pair(op.name, op.end), op.stream);
                 else
                   ops_.push_back(op);
               });
  for (std::size_t place = 0; place < ops_.size(); ++place) {
    const LoggedOp& op = ops_[place];
    all_.push_back(place);
    if (op.engine == "pe_gemm" || op.engine == "pe_math") compute_.push_back(place);
    by_part_[{op.engine, op.part}].push_back(place);
    by_command_[op.command].push_back(place);
    if (op.tile >= 0) by_tile_[{op.command, op.tile}].push_back(place);
  }
}

void PeLog::read_progress(const OpLogReader& log) {
  log.for_each("SELECT reason, command, t_start_fs, t_end_fs, " + log.stream_column() +
                   " FROM waits WHERE pe = ? ORDER BY t_end_fs, t_start_fs",
               {pe_}, [&](SQLite::Statement& row) {
                 const LoggedWait wait{text_in(row, 0), number_in(row, 1), number_in(row, 2),
                                       number_in(row, 3), stream_in(row, 4)};
                 if (wait.reason == "command")
                   streams_of_commands_.emplace(wait.command, wait.stream);
                 waits_[wait.stream].push_back(wait);
               });
  log.for_each("SELECT launch, pe, kernel, t_start_fs, t_return_fs, t_end_fs, " +
                   log.stream_column() + " FROM runs WHERE pe = ? ORDER BY t_start_fs, t_end_fs",
               {pe_}, [&](SQLite::Statement& row) {
                 const LoggedRun run{number_in(row, 0), text_in(row, 1),   text_in(row, 2),
                                     number_in(row, 3), number_in(row, 4), number_in(row, 5),
                                     stream_in(row, 6)};
                 runs_[run.stream].push_back(run);
               });
  log.for_each(
      "SELECT command, t_submit_fs, t_dispatch_fs, t_complete_fs FROM commands WHERE pe = ? AND "
      "t_complete_fs NOT NULL ORDER BY command",
      {pe_}, [&](SQLite::Statement& row) {
        LoggedCommand command{number_in(row, 0), number_in(row, 1), number_in(row, 2),
                              number_in(row, 3)};
        const auto stream = streams_of_commands_.find(command.id);
        command.stream =
            stream == streams_of_commands_.end() ? stream_at(command.submitted) : stream->second;
        commands_.emplace(command.id, command);
      });
  for (const auto& [id, command] : commands_) by_dispatch_.push_back(&command);
  by_completion_ = by_dispatch_;
  std::stable_sort(
      by_dispatch_.begin(), by_dispatch_.end(),
      [](const LoggedCommand* a, const LoggedCommand* b) { return a->dispatched < b->dispatched; });
  std::stable_sort(
      by_completion_.begin(), by_completion_.end(),
      [](const LoggedCommand* a, const LoggedCommand* b) { return a->completed < b->completed; });
}

void PeLog::read_messages(const OpLogReader& log) {
  log.for_each(std::string(message_columns) + "receiver = ? ORDER BY t_take_fs, id", {pe_},
               [&](SQLite::Statement& row) { received_.push_back(message_in(row)); });
  for (const LoggedMessage& message : received_) by_visibility_.push_back(&message);
  std::stable_sort(
      by_visibility_.begin(), by_visibility_.end(),
      [](const LoggedMessage* a, const LoggedMessage* b) { return a->visible < b->visible; });
  by_consumption_ = by_visibility_;
  std::stable_sort(
      by_consumption_.begin(), by_consumption_.end(),
      [](const LoggedMessage* a, const LoggedMessage* b) { return a->consumed < b->consumed; });
  log.for_each(std::string(message_columns) + "sender = ? ORDER BY ring, id", {pe_},
               [&](SQLite::Statement& row) { sent_.push_back(message_in(row)); });
  for (const LoggedMessage& message : sent_) by_sending_.push_back(&message);
  std::sort(by_sending_.begin(), by_sending_.end(),
            [](const LoggedMessage* a, const LoggedMessage* b) {
              return std::tie(a->sent, a->id) < std::tie(b->sent, b->id);
            });
  find_credits();
}

// Of each ring: `latest` has the credit that came last so far, `in_slot` what that was when the
// slot's message before had been sent.
void PeLog::find_credits() {
  const LoggedMessage *before = nullptr, *latest = nullptr;
  std::map<std::uint64_t, const LoggedMessage*> in_slot;
  for (const LoggedMessage& message : sent_) {
    const bool installed_again = before != nullptr && message.number <= before->number;
    if (before == nullptr || before->ring != message.ring || installed_again) {
      latest = nullptr;
      in_slot.clear();
    }
    before = &message;
    freed_for_[message.id] = in_slot[message.slot];
    if (latest == nullptr || message.credit >= latest->credit) latest = &message;
    in_slot[message.slot] = latest;
  }
}

// --- Operations

const LoggedOp* PeLog::last_of(const Places& places, Fs by) const {
  const auto after =
      std::upper_bound(places.begin(), places.end(), by,
                       [&](Fs time, std::size_t place) { return time < ops_[place].end; });
  return after == places.begin() ? nullptr : &ops_[*(after - 1)];
}

const LoggedOp* PeLog::last_of_part(const LoggedOp& like, Fs by) const {
  const auto found = by_part_.find({like.engine, like.part});
  return found == by_part_.end() ? nullptr : last_of(found->second, by);
}

const LoggedOp* PeLog::last_of_tile(const LoggedOp& like, Fs by) const {
  const auto found = by_tile_.find({like.command, like.tile});
  return found == by_tile_.end() ? nullptr : last_of(found->second, by);
}

const LoggedOp* PeLog::last_of_command(std::uint64_t command, Fs by) const {
  const auto found = by_command_.find(command);
  return found == by_command_.end() ? nullptr : last_of(found->second, by);
}

std::vector<const LoggedOp*> PeLog::ops_ending_at(Fs time) const {
  std::vector<const LoggedOp*> found;
  const auto first = std::lower_bound(ops_.begin(), ops_.end(), time,
                                      [](const LoggedOp& op, Fs t) { return op.end < t; });
  for (auto op = first; op != ops_.end() && op->end == time; ++op) found.push_back(&*op);
  return found;
}

// --- The kernel

const LoggedWait* PeLog::last_wait(const LoggedRun& run, Fs by) const {
  const auto of_stream = waits_.find(run.stream);
  if (of_stream == waits_.end()) return nullptr;
  const std::vector<LoggedWait>& waits = of_stream->second;
  const auto after =
      std::upper_bound(waits.begin(), waits.end(), by,
                       [](Fs time, const LoggedWait& wait) { return time < wait.end; });
  if (after == waits.begin() || (after - 1)->start < run.start) return nullptr;
  return &*(after - 1);
}

const LoggedWait* PeLog::wait_ending_at(const std::string& reason, Fs time) const {
  for (const auto& [stream, waits] : waits_) {
    const auto wait = std::lower_bound(waits.begin(), waits.end(), time,
                                       [](const LoggedWait& each, Fs t) { return each.end < t; });
    if (wait != waits.end() && wait->end == time && wait->reason == reason) return &*wait;
  }
  return nullptr;
}

const LoggedRun* PeLog::run_at(std::uint32_t stream, Fs time) const {
  const auto of_stream = runs_.find(stream);
  if (of_stream == runs_.end()) return nullptr;
  const std::vector<LoggedRun>& runs = of_stream->second;
  const auto after = std::upper_bound(runs.begin(), runs.end(), time,
                                      [](Fs t, const LoggedRun& run) { return t < run.start; });
  return after == runs.begin() ? nullptr : &*(after - 1);
}

std::uint32_t PeLog::stream_at(Fs time) const {
  const LoggedRun* last = nullptr;
  for (const auto& of_stream : runs_) {
    const LoggedRun* run = run_at(of_stream.first, time);
    if (run != nullptr && (last == nullptr || run->start > last->start)) last = run;
  }
  return last == nullptr ? 0 : last->stream;
}

const LoggedRun* PeLog::run_before(const LoggedRun& run) const {
  const LoggedRun* last = nullptr;
  for (const auto& [stream, runs] : runs_) {
    for (const LoggedRun& each : runs) {
      if (each.start >= run.start || each.end > run.start) continue;
      if (stream != run.stream && each.launch > run.launch) continue;
      if (last == nullptr || each.end > last->end) last = &each;
    }
  }
  return last;
}

const LoggedCommand* PeLog::command(std::uint64_t id) const {
  const auto found = commands_.find(id);
  return found == commands_.end() ? nullptr : &found->second;
}

const LoggedCommand* PeLog::dispatched_before(const LoggedCommand& command) const {
  const auto at = std::find(
      std::lower_bound(by_dispatch_.begin(), by_dispatch_.end(), command.dispatched,
                       [](const LoggedCommand* each, Fs t) { return each->dispatched < t; }),
      by_dispatch_.end(), &command);
  return at == by_dispatch_.begin() || at == by_dispatch_.end() ? nullptr : *(at - 1);
}

const LoggedCommand* PeLog::completed(const LoggedRun& run, Fs by) const {
  auto after =
      std::upper_bound(by_completion_.begin(), by_completion_.end(), by,
                       [](Fs t, const LoggedCommand* each) { return t < each->completed; });
  while (after != by_completion_.begin() && (*(after - 1))->stream != run.stream) --after;
  if (after == by_completion_.begin() || (*(after - 1))->completed <= run.returned) return nullptr;
  return *(after - 1);
}

// --- Messages

const LoggedMessage* PeLog::received_by(const LoggedWait& receive) const {
  const auto first =
      std::lower_bound(received_.begin(), received_.end(), receive.start,
                       [](const LoggedMessage& message, Fs t) { return message.taken < t; });
  for (auto each = first; each != received_.end() && each->taken <= receive.end; ++each)
    if (receive_of(*each) == &receive) return &*each;
  return consumed_at(receive.end);  // a receive under way, taken before it was waited for
}

const LoggedWait* PeLog::receive_of(const LoggedMessage& message) const {
  for (const Fs end : {message.credit, message.consumed}) {
    const LoggedWait* wait = wait_ending_at("receive", end);
    if (wait != nullptr && wait->start <= message.taken) return wait;
  }
  return nullptr;
}

const LoggedMessage* PeLog::consumed_at(Fs time) const {
  const auto found =
      std::lower_bound(by_consumption_.begin(), by_consumption_.end(), time,
                       [](const LoggedMessage* message, Fs t) { return message->consumed < t; });
  return found == by_consumption_.end() || (*found)->consumed != time ? nullptr : *found;
}

const LoggedMessage* PeLog::read_before(const LoggedMessage& message) const {
  const LoggedMessage* before = consumed_at(message.taken);
  return before != nullptr && before->ring == message.ring ? before : nullptr;
}

const LoggedMessage* PeLog::sent_at(Fs time) const {
  const auto found =
      std::lower_bound(by_sending_.begin(), by_sending_.end(), time,
                       [](const LoggedMessage* message, Fs t) { return message->sent < t; });
  return found == by_sending_.end() || (*found)->sent != time ? nullptr : *found;
}

const LoggedMessage* PeLog::written_at(Fs time, std::uint64_t not_id) const {
  auto found =
      std::lower_bound(by_visibility_.begin(), by_visibility_.end(), time,
                       [](const LoggedMessage* message, Fs t) { return message->visible < t; });
  if (found != by_visibility_.end() && (*found)->id == not_id) ++found;
  return found == by_visibility_.end() || (*found)->visible != time ? nullptr : *found;
}

const LoggedMessage* PeLog::freed_for(const LoggedMessage& sent) const {
  const auto found = freed_for_.find(sent.id);
  return found == freed_for_.end() ? nullptr : found->second;
}

std::uint32_t PeLog::stream_of_send(const LoggedMessage& message) const {
  const auto call = streams_of_calls_.find({"ipcq_send", message.sent});
  if (call != streams_of_calls_.end()) return call->second;
  const LoggedWait* wait = wait_ending_at("send", message.sent);
  return wait == nullptr ? stream_at(message.sent) : wait->stream;
}

std::uint32_t PeLog::stream_of_receive(const LoggedMessage& message) const {
  if (const LoggedWait* receive = receive_of(message)) return receive->stream;
  for (const Fs end : {message.consumed, message.credit}) {
    const auto call = streams_of_calls_.find({"ipcq_recv", end});
    if (call != streams_of_calls_.end()) return call->second;
  }
  return stream_at(message.taken);
}

// --- Several

const PeLog& PeLogs::operator[](const std::string& pe) {
  std::unique_ptr<PeLog>& log = pes_[pe];
  if (!log) log = std::make_unique<PeLog>(log_, pe);
  return *log;
}

}  // namespace kernbench
