#include "models/rtl/rtl_sram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "models/data/debug_access.h"
#include "models/protocol/machine_services.h"

namespace kernbench {
namespace {

// Pieces of a range, one per page: action(page, first byte in it, bytes done, bytes).
template <class Action>
void by_page(std::uint64_t offset, std::uint64_t count, std::uint64_t page_bytes, Action action) {
  for (std::uint64_t done = 0; done < count;) {
    const std::uint64_t at = offset + done, first = at % page_bytes;
    const std::uint64_t piece = std::min(count - done, page_bytes - first);
    action(at / page_bytes, first, done, piece);
    done += piece;
  }
}

}  // namespace

void WrittenBytes::set(std::uint64_t offset, const unsigned char* bytes, std::uint64_t count) {
  by_page(offset, count, page_bytes, [&](auto number, auto first, auto done, auto piece) {
    std::unique_ptr<Page>& page = pages_[number];
    if (page == nullptr) page = std::make_unique<Page>();
    std::memcpy(&page->bytes[first], bytes + done, piece);
    std::fill_n(&page->known[first], piece, true);
  });
}

void WrittenBytes::forget(std::uint64_t offset, std::uint64_t count) {
  by_page(offset, count, page_bytes, [&](auto number, auto first, auto /*done*/, auto piece) {
    const auto page = pages_.find(number);
    if (page != pages_.end()) std::fill_n(&page->second->known[first], piece, false);
  });
}

std::optional<unsigned char> WrittenBytes::at(std::uint64_t offset) const {
  const auto page = pages_.find(offset / page_bytes);
  if (page == pages_.end() || !page->second->known[offset % page_bytes]) return std::nullopt;
  return page->second->bytes[offset % page_bytes];
}

WrittenBytes::Comparison WrittenBytes::compare(std::uint64_t offset, const unsigned char* bytes,
                                               std::uint64_t count) const {
  Comparison comparison;
  by_page(offset, count, page_bytes, [&](auto number, auto first, auto done, auto piece) {
    const auto page = pages_.find(number);
    if (page == pages_.end()) return;
    for (std::uint64_t i = 0; i < piece && !comparison.difference; ++i) {
      if (!page->second->known[first + i]) continue;
      if (page->second->bytes[first + i] == bytes[done + i]) {
        ++comparison.equal;
      } else {
        comparison.difference = offset + done + i;
      }
    }
  });
  return comparison;
}

namespace {

MakeSramModel model_of(const RtlSram::Parameters& parameters) {
  return find_sram_model(parameters.width(), static_cast<std::uint64_t>(*parameters.size_mb));
}

}  // namespace

std::optional<ParameterFault> RtlSram::check(const Parameters& parameters) {
  if (model_of(parameters) != nullptr) return std::nullopt;
  return ParameterFault{"size_mb",
                        fmt::format("found {} with data_bits {}, verilated are {} (CMake: "
                                    "KERNBENCH_RTL_SRAMS)",
                                    *parameters.size_mb, parameters.width(), sram_model_names())};
}

RtlSram::RtlSram(const ComponentInit& init, const Parameters& parameters, MakeSramModel make)
    : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward),
      data_(machine_services(init.services).data()), overhead_(*parameters.overhead),
      flit_bytes_(*parameters.flit_bytes),
      model_((make == built_model ? model_of(parameters) : make)(*this, init.services,
                                                                 parameters.block, *this)),
      axi_(model_->pins(), *this, {*parameters.response_gaps, *parameters.gap_seed}),
      accesses_(*parameters.max_in_flight) {
  add_statistic("reads", "reads answered", Quantity::count, reads_);
  add_statistic("writes", "writes completed", Quantity::count, writes_);
  add_statistic("bytes_read", "bytes read", Quantity::bytes, bytes_read_);
  add_statistic("bytes_written", "bytes written", Quantity::bytes, bytes_written_);
  add_statistic("read_bursts", "bursts of reads", Quantity::count, axi_.read_bursts());
  add_statistic("write_bursts", "bursts of writes", Quantity::count, axi_.write_bursts());
  add_statistic("bytes_checked", "bytes read that equal the bytes written", Quantity::bytes,
                bytes_checked_);
  add_statistic("bytes_stale", "bytes read that a later write has changed in the memory store",
                Quantity::bytes, bytes_stale_);
}

void RtlSram::declare_signals() {
  FabricNode::declare_signals();
  model_->block().declare_signals();
}

// --- The fabric

Fs RtlSram::next_due() const { return ended_.empty() ? arrivals_.control_due(overhead_) : now(); }

void RtlSram::serve() {
  std::vector<unsigned> ended;
  ended.swap(ended_);
  for (const unsigned id : ended) answer(id);
  arrivals_.take_control(now(), overhead_, [this](const Arrival& arrival) {
    check_unanswered(*this, *arrival.transaction);
    if (arrival.transaction->get_data_length() == 0)
      throw ModelError("an access without bytes has come");
    if (!is_plain(arrival.transaction->route())) return refuse(arrival);
    waiting_.push_back(arrival);
  });
  if (!waiting_.empty()) model_->block().work();
}

void RtlSram::answer(unsigned id) {
  Access& access = accesses_[id];
  Transaction& transaction = *access.arrival.transaction;
  ++(transaction.is_read() ? reads_ : writes_);
  (transaction.is_read() ? bytes_read_ : bytes_written_) += transaction.get_data_length();
  access.answered = true;
  report_traversal(access.arrival, access.start);
  const Fs at = now();
  answer_access(transaction, flit_bytes_,
                [this, at](Transaction& answer, std::uint32_t flit, std::uint32_t count) {
                  send(answer, flit, count, 0, at);
                });
}

// AXI4 bursts are contiguous, and accesses are passed to the block sequentially.
void RtlSram::refuse(const Arrival& arrival) {
  report_traversal(arrival, arrival.time);
  refuse_not_plain(*this, *arrival.transaction,
                   [this](Transaction& answer, std::uint32_t flit, std::uint32_t count) {
                     send(answer, flit, count, 0, now());
                   });
}

const Arrival* RtlSram::in_service(Fs now) const {
  for (const Access& access : accesses_) {
    if (access.in_flight) return &access.arrival;
  }
  return waiting_.empty() ? arrivals_.first_present(now) : &waiting_.front();
}

unsigned RtlSram::debug_access(tlm::tlm_generic_payload& payload, std::uint64_t offset) {
  const unsigned length = kernbench::debug_access(data_, payload);
  if (payload.is_write()) written_.forget(offset, length);
  return length;
}

// --- The block

bool RtlSram::Access::conflicts(const Transaction& other) const {
  if (!in_flight || (arrival.transaction->is_read() && other.is_read())) return false;
  const std::uint64_t first = other.route().offset;
  return first < end() && begin() < first + other.get_data_length();
}

std::optional<unsigned> RtlSram::place_for(const Transaction& next) const {
  std::optional<unsigned> place;
  for (unsigned id = 0; id < accesses_.size(); ++id) {
    if (accesses_[id].conflicts(next)) return std::nullopt;
    if (!place && accesses_[id].answered) place = id;
  }
  return place;
}

void RtlSram::drive() {
  while (!waiting_.empty()) {
    const std::optional<unsigned> id = place_for(*waiting_.front().transaction);
    if (!id) break;
    const Arrival arrival = waiting_.front();
    waiting_.pop_front();
    begin(*id, arrival);
  }
  axi_.drive();
  show();
}

void RtlSram::begin(unsigned id, const Arrival& arrival) {
  Access& access = accesses_[id];
  access.arrival = arrival;
  access.start = now();
  access.in_flight = true;
  access.answered = false;
  access.bytes.clear();
  const std::uint64_t length = arrival.transaction->get_data_length();
  if (arrival.transaction->is_read()) {
    access.bytes.reserve(length);
    axi_.read(id, access.begin(), length);
  } else {
    take_bytes_of_write(access);
    axi_.write(id, access.begin(), access.bytes.data(), length);
  }
}

void RtlSram::take_bytes_of_write(Access& access) {
  const Transaction& transaction = *access.arrival.transaction;
  const std::uint64_t length = transaction.get_data_length();
  std::vector<std::byte> known;
  if (data_ != nullptr) known = data_->bytes_before(now(), transaction.get_address(), length);
  access.bytes.assign(length, 0);
  if (known.empty()) return written_.forget(access.begin(), length);
  std::memcpy(access.bytes.data(), known.data(), length);
  written_.set(access.begin(), access.bytes.data(), length);
}

const char* RtlSram::awaited() const {
  if (const char* const pin = axi_.awaited()) return pin;
  return waiting_.empty() ? nullptr : "the end of an access";
}

// --- Its answers

void RtlSram::read_beat(unsigned id, std::uint64_t address, const unsigned char* bytes,
                        unsigned count) {
  Access& access = accesses_[id];
  access.bytes.insert(access.bytes.end(), bytes, bytes + count);
  const WrittenBytes::Comparison found = written_.compare(address, bytes, count);
  bytes_checked_ += found.equal;
  if (found.difference) wrong_byte(access, *found.difference, bytes[*found.difference - address]);
}

void RtlSram::wrong_byte(const Access& access, std::uint64_t offset, unsigned char found) const {
  const Transaction& transaction = *access.arrival.transaction;
  const std::uint64_t byte = offset - access.begin();
  model_->block().fail(fmt::format(
      "rdata differs from the bytes written: byte {} of a read of {} at {:#x}, offset {:#x} in the "
      "memory, is {:#04x}, the memory store has {:#04x}",
      byte, transaction.get_data_length(), transaction.get_address() + byte, offset, found,
      *written_.at(offset)));
}

void RtlSram::access_ended(unsigned id) {
  Access& access = accesses_[id];
  access.in_flight = false;
  if (access.arrival.transaction->is_read()) count_stale(access);
  ended_.push_back(id);
  rearm();
}

void RtlSram::count_stale(const Access& access) {
  if (data_ == nullptr) return;
  const std::vector<std::byte> store =
      data_->bytes_before(now(), access.arrival.transaction->get_address(), access.bytes.size());
  for (std::size_t i = 0; i < store.size(); ++i)
    bytes_stale_ += std::to_integer<unsigned char>(store[i]) == access.bytes[i] ? 0 : 1;
}

void RtlSram::refused(unsigned id, std::uint64_t address, const char* pin, unsigned value) {
  model_->block().fail(
      fmt::format("{} is {} for {} at offset {:#x}: an error", pin, value,
                  accesses_[id].arrival.transaction->is_read() ? "a read" : "a write", address));
}

Implementation rtl_sram() { return implementation_of<RtlSram>("rtl.sram"); }

}  // namespace kernbench
