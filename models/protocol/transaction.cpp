#include "models/protocol/transaction.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "models/protocol/observation.h"

namespace kernbench {

void RouteExtension::cut_flits(std::uint64_t bytes, std::uint32_t flit_size) {
  if (list != nullptr) {
    if (flit_size != list->flit_bytes() || bytes != list->bytes())
      throw ModelError(fmt::format("{} bytes in flits of {}, where a list has {} in flits of {}",
                                   bytes, flit_size, list->bytes(), list->flit_bytes()));
    flits = list->size();
    flit_bytes = flit_size;
    return;
  }
  const std::uint64_t skew = offset % flit_size;
  const std::uint64_t count = (skew + bytes + flit_size - 1) / flit_size;
  if (count > UINT32_MAX)
    throw AccessFault(fmt::format("a transfer of {} bytes has too many flits", bytes));
  flits = static_cast<std::uint32_t>(count);
  flit_bytes = flit_size;
  first_flit_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, flit_size - skew));
  last_flit_bytes =
      count <= 1 ? first_flit_bytes
                 : static_cast<std::uint32_t>(bytes - first_flit_bytes -
                                              (count - 2) * static_cast<std::uint64_t>(flit_size));
}

void RouteExtension::clear() {
  path = nullptr;
  key = {};
  offset = 0;
  flits = first_flit_bytes = flit_bytes = last_flit_bytes = ended_flits = 0;
  list.reset();
  atomic.reset();
  leg = Leg::request;
  posted = host_control = false;
  channel = every_channel;
  stream = 0;
  listener = nullptr;
  listener_tag = 0;
  target_tag = 0;
  message.reset();
}

tlm::tlm_extension_base* RouteExtension::clone() const {
  auto* copy = new RouteExtension;  // NOLINT: the generic payload owns clones
  copy->copy_from(*this);
  return copy;
}

void RouteExtension::copy_from(const tlm::tlm_extension_base& other) {
  *this = static_cast<const RouteExtension&>(other);
}

void RouteExtension::answered_before() {
  throw ModelError("it answers a message that has been answered already");
}

std::string fault_text(const Transaction& transaction) {
  const auto* fault = dynamic_cast<const ResponseFault*>(transaction.route().message.get());
  return fault == nullptr ? "" : ": " + fault->text;
}

const char* access_name(const Transaction& transaction) {
  if (transaction.route().atomic != nullptr) return "atomic";
  return transaction.is_read() ? "read" : "write";
}

TransactionPool::~TransactionPool() = default;

TransactionHandle TransactionPool::make() {
  if (idle_.empty()) {
    all_.push_back(std::make_unique<Transaction>(this));
    idle_.push_back(all_.back().get());
  }
  Transaction& transaction = *idle_.back();
  idle_.pop_back();
  ++transaction.use_;
  return TransactionHandle(transaction);
}

std::vector<const Transaction*> TransactionPool::in_flight() const {
  std::vector<const Transaction*> list;
  for (const auto& transaction : all_) {
    if (transaction->get_ref_count() > 0 && transaction->route().path != nullptr)
      list.push_back(transaction.get());
  }
  std::stable_sort(list.begin(), list.end(), [](const Transaction* a, const Transaction* b) {
    return a->route().key < b->route().key;
  });
  return list;
}

void TransactionPool::free(tlm::tlm_generic_payload* payload) {
  auto* transaction = static_cast<Transaction*>(payload);
  if (ends_ != nullptr && ends_->observed()) ends_->write({*transaction});
  transaction->reset();  // extensions only
  transaction->set_command(tlm::TLM_IGNORE_COMMAND);
  transaction->set_address(0);
  transaction->set_data_ptr(nullptr);
  transaction->set_data_length(0);
  transaction->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  transaction->set_byte_enable_ptr(nullptr);
  transaction->set_byte_enable_length(0);
  transaction->set_streaming_width(0);
  transaction->set_dmi_allowed(false);
  transaction->route().clear();
  idle_.push_back(transaction);
}

}  // namespace kernbench
