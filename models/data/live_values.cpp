#include "models/data/live_values.h"

#include <algorithm>

namespace kernbench {
namespace {

// Bytes of an op, its inputs and its entries in tables, without the bytes of the inputs.
constexpr std::uint64_t record_bytes = 1024;

// Whether the engine reads the inputs, with or without a reader of the value.
bool at_engine(const DataOp& op) {
  const auto* gemm = std::get_if<GemmParams>(&op.params);
  return gemm != nullptr && gemm->engine != no_node;
}

}  // namespace

class LiveValue : public std::enable_shared_from_this<LiveValue> {
 public:
  LiveValue(ValueId id, std::shared_ptr<DataOp> op, std::shared_ptr<LiveValues::Book> book)
      : id_(id), op_(std::move(op)), book_(std::move(book)) {}
  ~LiveValue();
  LiveValue(const LiveValue&) = delete;
  LiveValue& operator=(const LiveValue&) = delete;

 private:
  friend class LiveValues;
  ValueId id_;
  std::shared_ptr<DataOp> op_;  // null: released
  std::shared_ptr<LiveValues::Book> book_;
  LiveValues::Entries::iterator place_{};
  std::shared_ptr<LiveValue> kept_;  // itself, where everything is kept
  std::uint64_t bytes_ = 0;          // counted as pending or computed
  std::uint64_t kept_bytes_ = 0;
  bool is_recorded_ = false, is_computed_ = false;
  long inner_references_ = 0;  // references by inputs, while they are counted
};

// State that keepers need when they are destroyed, possibly after LiveValues.
class LiveValues::Book {
 public:
  Entries entries;
  Held held;
  Totals totals;
  Keep keep = Keep::everything;
  LiveValueListener* listener = nullptr;
  std::uint64_t limit = 0;

  void add(std::uint64_t& count, std::uint64_t bytes) {
    count += bytes;
    totals.peak_bytes = std::max(totals.peak_bytes, held.bytes());
  }
  void remove(LiveValue& value);
  void give_up(std::shared_ptr<DataOp> op);  // the op will be neither computed nor checked

 private:
  std::vector<std::shared_ptr<DataOp>> given_up_;
  bool giving_up_ = false;
};

LiveValue::~LiveValue() { book_->remove(*this); }

void LiveValues::Book::remove(LiveValue& value) {
  entries.erase(value.place_);
  --held.values;
  (value.is_computed_ ? held.computed_bytes : held.pending_bytes) -= value.bytes_;
  held.kept_bytes -= value.kept_bytes_;
  if (!value.is_computed_) ++totals.dropped;
  const bool is_idle = listener == nullptr || listener->unreachable(value.id_);
  if (!value.op_) return;
  if (is_idle && !at_engine(*value.op_) && inputs_bound(*value.op_)) give_up(std::move(value.op_));
}

// Releases a chain of ops link by link: the inputs of one may hold the last keeper of the next.
void LiveValues::Book::give_up(std::shared_ptr<DataOp> op) {
  given_up_.push_back(std::move(op));
  if (giving_up_) return;
  giving_up_ = true;
  while (!given_up_.empty()) {
    const std::shared_ptr<DataOp> next = std::move(given_up_.back());
    given_up_.pop_back();
    if (next.use_count() > 1) release_inputs(*next);
  }
  giving_up_ = false;
}

LiveValues::LiveValues() : book_(std::make_shared<Book>()) {}

LiveValues::~LiveValues() {
  book_->listener = nullptr;
  keep(Keep::reachable);
}

void LiveValues::keep(Keep what) {
  book_->keep = what;
  if (what == Keep::everything) return;
  std::vector<std::shared_ptr<LiveValue>> kept;
  for (const auto& [id, value] : book_->entries) kept.push_back(std::move(value->kept_));
}

void LiveValues::set_listener(LiveValueListener* listener, std::uint64_t limit_bytes) {
  book_->listener = listener;
  book_->limit = limit_bytes;
}

ValueRef LiveValues::add(const std::shared_ptr<DataOp>& op) {
  const auto value = std::make_shared<LiveValue>(++last_, op, book_);
  value->place_ = book_->entries.emplace_hint(book_->entries.end(), last_, value.get());
  if (book_->keep == Keep::everything) value->kept_ = value;
  book_->totals.peak_values = std::max(book_->totals.peak_values, ++book_->held.values);
  return {last_, 0, op->outputs.at(0).nbytes(), value};
}

bool LiveValues::recorded(const std::shared_ptr<DataOp>& op) {
  const auto found = book_->entries.find(op->outputs.at(0).id);
  if (found == book_->entries.end()) {
    if (!at_engine(*op)) book_->give_up(op);
    return false;
  }
  LiveValue& value = *found->second;
  value.is_recorded_ = true;
  value.bytes_ = record_bytes + input_bytes(*op);
  book_->add(book_->held.pending_bytes, value.bytes_);
  return true;
}

// At least a quarter of the limit is for ops, so that kept values do not make every op a reason to
// compute.
bool LiveValues::over_limit() const {
  const Held& held = book_->held;
  return book_->listener != nullptr && held.bytes() > book_->limit &&
         held.pending_bytes + held.kept_bytes > book_->limit / 4;
}

void LiveValues::make_room() {
  if (over_limit()) book_->listener->make_room();
}

void LiveValues::computed(const DataOpPtr& op) {
  const OutputValue& output = op->outputs.at(0);
  const auto found = book_->entries.find(output.id);
  if (found == book_->entries.end()) return book_->give_up(std::const_pointer_cast<DataOp>(op));
  LiveValue& value = *found->second;
  if (value.is_computed_) return;
  value.is_computed_ = true;
  book_->held.pending_bytes -= value.bytes_;
  if (book_->keep == Keep::everything) {
    value.kept_bytes_ = value.bytes_ + output.nbytes();
    book_->held.kept_bytes += value.kept_bytes_;
  }
  value.bytes_ = std::max(output.nbytes(), value.kept_bytes_);
  book_->add(book_->held.computed_bytes, value.bytes_);
  if (book_->keep == Keep::reachable) book_->give_up(std::move(value.op_));
}

void LiveValues::let_go() {
  std::vector<std::shared_ptr<LiveValue>> kept;
  std::vector<std::shared_ptr<DataOp>> ops;
  for (const auto& [id, value] : book_->entries) {
    if (!value->is_computed_ || !value->op_) continue;
    book_->held.kept_bytes -= value->kept_bytes_;
    book_->held.computed_bytes -= value->bytes_ - value->op_->outputs.at(0).nbytes();
    value->bytes_ = value->op_->outputs.at(0).nbytes();
    value->kept_bytes_ = 0;
    ops.push_back(std::move(value->op_));
    kept.push_back(std::move(value->kept_));
  }
  for (std::shared_ptr<DataOp>& op : ops) book_->give_up(std::move(op));
}

const LiveValues::Entries& LiveValues::entries() const { return book_->entries; }
const LiveValues::Held& LiveValues::held() const { return book_->held; }
const LiveValues::Totals& LiveValues::totals() const { return book_->totals; }
std::uint64_t LiveValues::limit() const { return book_->limit; }

DataOpPtr LiveValues::op(ValueId id) const {
  const auto found = entries().find(id);
  return found == entries().end() ? nullptr : found->second->op_;
}

std::vector<DataOpPtr> LiveValues::ops() const {
  std::vector<DataOpPtr> list;
  for (const auto& [id, value] : entries()) {
    if (value->op_) list.push_back(value->op_);
  }
  return list;
}

std::vector<DataOpPtr> LiveValues::recorded_ops() const {
  std::vector<DataOpPtr> list;
  for (const auto& [id, value] : entries()) {
    if (value->is_recorded_ && value->op_) list.push_back(value->op_);
  }
  return list;
}

std::vector<DataOpPtr> LiveValues::computed_ops() const {
  std::vector<DataOpPtr> list;
  for (const auto& [id, value] : entries()) {
    if (value->is_computed_ && value->op_) list.push_back(value->op_);
  }
  return list;
}

std::vector<ValueId> LiveValues::referred_to_elsewhere() const {
  for (const auto& [id, value] : entries()) value->inner_references_ = 0;
  for (const auto& [id, value] : entries()) {
    if (!value->is_recorded_ || !value->op_) continue;
    for (const TensorValue& input : value->op_->inputs) {
      for (const Segment& segment : input.image.segments()) {
        if (const ValueKeeper keeper = segment.keeper())
          ++const_cast<LiveValue&>(*keeper).inner_references_;
      }
    }
  }
  std::vector<ValueId> ids;
  for (const auto& [id, value] : entries()) {
    if (value->weak_from_this().use_count() > value->inner_references_) ids.push_back(id);
  }
  return ids;
}

}  // namespace kernbench
