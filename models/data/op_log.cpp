#include "models/data/op_log.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <ostream>
#include <string_view>
#include <systemc>
#include <tuple>

namespace kernbench {
namespace {

std::string joined(const std::vector<ValueId>& ids) {
  std::string list;
  for (const ValueId id : ids) list += (list.empty() ? "" : ";") + std::to_string(id);
  return list;
}

}  // namespace

bool OpOrder::operator()(const ExecutedOp& a, const ExecutedOp& b) const {
  const auto rest_of = [](const ExecutedOp& op) {
    return std::make_tuple(op.command_id, op.tile_id, op.t_start, std::string_view(op.name));
  };
  if (a.node == b.node) return rest_of(a) < rest_of(b);
  if (a.node == nullptr || b.node == nullptr) return a.node == nullptr;
  return std::strcmp(a.node->name(), b.node->name()) < 0;
}

const char* name_of(OpKind kind) {
  constexpr std::array<const char*, 4> names{"memory", "gemm", "math", "copy"};
  return names.at(static_cast<std::size_t>(kind));
}

OpRow row_of(const OpRecord& record, const NodeName& node_name) {
  const ExecutedOp& op = record.op;
  OpRow row{record.id,
            op.t_start,
            op.t_end,
            op.node == nullptr ? std::string() : node_name(op.node),
            name_of(op.kind),
            op.name,
            op.command_id,
            op.tile_id,
            op.bytes,
            "",
            {},
            {}};
  if (op.runs > 1) row.params = "runs=" + std::to_string(op.runs);
  if (op.data) {
    row.params += (row.params.empty() ? "" : " ") + describe(*op.data);
    row.inputs = record.inputs;
    row.outputs = record.outputs;
  }
  return row;
}

void write_csv_header(std::ostream& out) {
  out << "id,t_start_fs,t_end_fs,node,kind,name,command,tile,bytes,params,inputs,outputs\n";
}

void write_csv(std::ostream& out, const OpRow& row) {
  out << row.id << ',' << row.t_start << ',' << row.t_end << ',' << row.node << ',' << row.kind
      << ',' << row.name << ',' << row.command << ',';
  if (row.tile >= 0) out << row.tile;
  out << ',' << row.bytes << ',' << row.params << ',' << joined(row.inputs) << ','
      << joined(row.outputs) << '\n';
}

void OpLog::write(const ExecutedOp& op) {
  instant_.add(op.t_end, op, [this](ExecutedOp&& ended) { add(std::move(ended)); });
}

void OpLog::add(ExecutedOp op) const {
  if (!records_.empty() && op.t_start < records_.back().op.t_start) sorted_ = false;
  OpRecord record{next_id_++, std::move(op)};
  if (record.op.data) {
    for (const OutputValue& output : record.op.data->outputs)
      if (output.id != no_value) record.outputs.push_back(number_of(output.id));
  }
  records_.push_back(std::move(record));
}

// Of a complete record.
void OpLog::name_inputs(OpRecord& record) const {
  if (!record.op.data) return;
  record.inputs.clear();
  for (const ValueId value : input_ids(*record.op.data)) record.inputs.push_back(number_of(value));
  std::sort(record.inputs.begin(), record.inputs.end());
}

void OpLog::sort() const {
  if (sorted_) return;
  std::sort(records_.begin(), records_.end(), [](const OpRecord& a, const OpRecord& b) {
    return std::tie(a.op.t_start, a.id) < std::tie(b.op.t_start, b.id);
  });
  sorted_ = true;
}

const std::vector<OpRecord>& OpLog::records() const {
  instant_.end([this](ExecutedOp&& op) { add(std::move(op)); });
  sort();
  return records_;
}

std::vector<OpRecord> OpLog::take_before(Fs end) {
  instant_.end_before(end, [this](ExecutedOp&& op) { add(std::move(op)); });
  sort();
  const auto rest =
      std::stable_partition(records_.begin(), records_.end(),
                            [end](const OpRecord& record) { return record.op.t_end < end; });
  std::vector<OpRecord> taken(std::make_move_iterator(records_.begin()),
                              std::make_move_iterator(rest));
  records_.erase(records_.begin(), rest);
  for (OpRecord& record : taken) name_inputs(record);
  return taken;
}

void OpLog::write_csv(std::ostream& out, const NodeName& node_name) const {
  write_csv_header(out);
  records();
  for (OpRecord& record : records_) {
    name_inputs(record);
    kernbench::write_csv(out, row_of(record, node_name));
  }
}

}  // namespace kernbench
