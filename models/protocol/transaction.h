// Transaction: one pooled TLM generic payload for the whole life of a transfer, with its route as a
// permanent extension.
//
// The request leg carries a write's flits or a read's command; the response leg (the same payload
// on the reverse path) carries a read's flits or a write's acknowledgement. A leg without flits is
// a control message (spec 2.1, 2.2).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <tlm>
#include <utility>
#include <vector>

#include "models/address/channel_interleave.h"
#include "models/base/analysis_port.h"
#include "models/base/component.h"
#include "models/protocol/flit_list.h"
#include "models/protocol/message.h"
#include "models/protocol/path.h"
#include "models/protocol/tie_key.h"

namespace kernbench {

class Transaction;
struct AtomicPart;  // models/protocol/atomic_part.h

// Completion callbacks of a transaction, at the simulated instant: its response has arrived, or a
// posted write has committed. It has failed if its response status is one of the errors of TLM-2.0;
// the memories of the machine leave the status as it was.
class TransactionListener {
 public:
  virtual void completed(Transaction& transaction) = 0;
  // A write that is not posted has committed at its target; its acknowledgement follows.
  virtual void committed(Transaction& /*transaction*/) {}
  // For a target with bytes of its own (a plain TLM-2.0 memory): copies the bytes of a write to
  // `out`. Returns false if the memory store has them already.
  virtual bool provide_bytes(const Transaction& /*transaction*/, unsigned char* /*out*/) {
    return false;
  }
  // The byte enables of a read or write for such a target, 0x00 or 0xff for each byte. False: all
  // of them are enabled.
  virtual bool provide_byte_enables(const Transaction& /*transaction*/, unsigned char* /*out*/) {
    return false;
  }
  // Bytes of such a target in answer to a read, before completed(); the response status is then
  // TLM_OK_RESPONSE.
  virtual void take_bytes(const Transaction& /*transaction*/, const unsigned char* /*bytes*/) {}

 protected:
  ~TransactionListener() = default;
};

enum class Leg : std::uint8_t { request, response };

// Written only by the initiator, and once by the target when it makes it a response.
class RouteExtension : public tlm::tlm_extension<RouteExtension> {
 public:
  const Path* path = nullptr;  // path of the current leg
  TieKey key;
  std::uint64_t offset = 0;  // offset in the target memory; flits and bursts are cut by it
  std::uint32_t flits = 0;   // flits on this leg; 0 = control message
  std::uint32_t first_flit_bytes = 0;
  std::uint32_t flit_bytes = 0;
  std::uint32_t last_flit_bytes = 0;
  std::uint32_t ended_flits = 0;  // arrived at the end of the leg; written there
  // Flits of an access to several runs of bytes, `offset` being that of the first; null:
  // contiguous.
  std::shared_ptr<const FlitList> list;
  // Part of an atomic access, a write for components that ignore it; null: none.
  std::shared_ptr<const AtomicPart> atomic;
  Leg leg = Leg::request;
  bool posted = false;        // ends at commit, without an acknowledgement (host writes)
  bool host_control = false;  // virtual channel of its own (spec 2.3)
  std::uint16_t channel = every_channel;  // channel of an HBM partition; with a single channel
                                          // `offset` counts its own bytes
  std::uint32_t stream = 0;  // stream of the kernel it belongs to; 0: compute, or no kernel
  TransactionListener* listener = nullptr;
  std::uint64_t listener_tag = 0;          // the listener's own
  std::uint32_t target_tag = 0;            // the target's own while it serves the transaction
  std::shared_ptr<const Message> message;  // control messages; on the response leg the answer

  std::uint32_t bytes_of(std::uint32_t flit) const {
    if (__builtin_expect(list != nullptr, 0)) return (*list)[flit].bytes;
    if (flit == 0) return first_flit_bytes;
    return flit + 1 == flits ? last_flit_bytes : flit_bytes;
  }
  bool is_control() const { return flits == 0; }
  // Path from the initiator to the target, on either leg.
  const Path& request_path() const { return leg == Leg::request ? *path : path->reverse(); }
  // Offset of the flit's first byte in the target memory.
  std::uint64_t offset_of(std::uint32_t flit) const {
    if (__builtin_expect(list != nullptr, 0)) return (*list)[flit].offset;
    return flit == 0
               ? offset
               : offset + first_flit_bytes + static_cast<std::uint64_t>(flit - 1) * flit_bytes;
  }

  // Cuts [offset, offset + bytes), or the runs of `list`, at multiples of `flit_size` and sets the
  // counts for a leg that carries the data.
  void cut_flits(std::uint64_t bytes, std::uint32_t flit_size);
  // The target's: the leg that follows is the answer, a control message until cut_flits() is
  // called. ModelError if the transaction has been answered before.
  void make_response() {
    if (leg == Leg::response || path == nullptr) answered_before();
    leg = Leg::response;
    path = &path->reverse();
    flits = ended_flits = 0;
  }

  void clear();
  tlm::tlm_extension_base* clone() const override;
  void copy_from(const tlm::tlm_extension_base& other) override;

 private:
  [[noreturn]] static void answered_before();
};

class Transaction final : public tlm::tlm_generic_payload {
 public:
  explicit Transaction(tlm::tlm_mm_interface* pool) : tlm::tlm_generic_payload(pool) {
    set_extension(&route_);
  }
  ~Transaction() override { clear_extension(&route_); }

  RouteExtension& route() { return route_; }
  const RouteExtension& route() const { return route_; }
  // Returns false for a control message.
  bool accesses_memory() const { return get_command() != tlm::TLM_IGNORE_COMMAND; }
  // How often the pool has handed it out.
  std::uint64_t use() const { return use_; }

 private:
  friend class TransactionPool;

  RouteExtension route_;
  std::uint64_t use_ = 0;
};

// Text on an error that a target returns, in addition to the response status: the message of the
// response leg.
struct ResponseFault : Message {
  explicit ResponseFault(std::string what) : text(std::move(what)) {}
  std::string text;
};
// ": ..." for texts of errors; empty: the target provides no text.
std::string fault_text(const Transaction& transaction);
// Kind of an access: "read", "write" or "atomic".
const char* access_name(const Transaction& transaction);

// Reference-counted handle of a transaction; required to keep it beyond a call.
class TransactionHandle {
 public:
  TransactionHandle() = default;
  explicit TransactionHandle(Transaction& transaction) : transaction_(&transaction) {
    transaction_->acquire();
  }
  TransactionHandle(const TransactionHandle& other) : transaction_(other.transaction_) {
    if (transaction_ != nullptr) transaction_->acquire();
  }
  TransactionHandle(TransactionHandle&& other) noexcept
      : transaction_(std::exchange(other.transaction_, nullptr)) {}
  TransactionHandle& operator=(TransactionHandle other) noexcept {
    std::swap(transaction_, other.transaction_);
    return *this;
  }
  ~TransactionHandle() {
    if (transaction_ != nullptr) transaction_->release();
  }

  Transaction& operator*() const { return *transaction_; }
  Transaction* operator->() const { return transaction_; }
  explicit operator bool() const { return transaction_ != nullptr; }

 private:
  Transaction* transaction_ = nullptr;
};

struct TransactionEnd;  // models/protocol/observation.h

// Owner of every transaction; released transactions are reused. No transaction may be outstanding
// at the end of a run.
class TransactionPool final : public tlm::tlm_mm_interface {
 public:
  // `ends`: port for released transactions; null: none.
  explicit TransactionPool(const AnalysisPort<TransactionEnd>* ends = nullptr) : ends_(ends) {}
  ~TransactionPool() override;
  TransactionHandle make();
  void free(tlm::tlm_generic_payload* payload) override;
  std::size_t outstanding() const { return all_.size() - idle_.size(); }
  // Transactions that have a route, by id.
  std::vector<const Transaction*> in_flight() const;
  std::size_t allocated() const { return all_.size(); }

 private:
  std::vector<std::unique_ptr<Transaction>> all_;
  std::vector<Transaction*> idle_;
  const AnalysisPort<TransactionEnd>* ends_;
};

}  // namespace kernbench
