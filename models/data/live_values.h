// LiveValues: reachable values that phase 2 computes, with the ops that define them (spec 9).
//
// A value is reachable while a keeper of it exists: every image that refers to the value has one,
// in memory, in a handle, in a message, in an expectation, and among the inputs of an op that has
// not been computed. When its last keeper is destroyed the value is released, with its op if that
// has not been computed.
//
// Memory is counted: pending ops by their records and the known bytes of their inputs, computed
// values by their bytes. Beyond a limit the listener makes room.
//
// Keepers belong to the simulation's thread; they may outlive this object.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "models/data/data_op.h"

namespace kernbench {

class LiveValueListener {
 public:
  // Returns true if its op is not being computed, and may lose its inputs.
  virtual bool unreachable(ValueId id) = 0;
  // Called when the held bytes exceed the limit: compute, and call LiveValues::computed().
  virtual void make_room() = 0;

 protected:
  ~LiveValueListener() = default;
};

class LiveValues {
 public:
  enum class Keep : std::uint8_t {
    everything,  // until let_go(): for callers that inspect each op
    reachable
  };
  struct Held {
    std::uint64_t pending_bytes = 0;   // ops not computed, with their known inputs
    std::uint64_t computed_bytes = 0;  // values, and ops that are kept
    std::uint64_t kept_bytes = 0;      // bytes of these with their ops, until let_go()
    std::size_t values = 0;            // pending and computed
    std::uint64_t bytes() const { return pending_bytes + computed_bytes; }
  };
  struct Totals {
    std::uint64_t peak_bytes = 0;
    std::size_t peak_values = 0;
    std::uint64_t dropped = 0;  // ops that were never computed
  };

  LiveValues();
  ~LiveValues();
  LiveValues(const LiveValues&) = delete;
  LiveValues& operator=(const LiveValues&) = delete;

  void keep(Keep what);
  void set_listener(LiveValueListener* listener, std::uint64_t limit_bytes);  // null: none

  // The value that `op` defines: its only output, with the next id.
  ValueRef add(const std::shared_ptr<DataOp>& op);
  // Reports that the inputs of the op are bound, so that it can be computed. Returns false if its
  // value is already unreachable.
  bool recorded(const std::shared_ptr<DataOp>& op);
  // Makes room for new values if the limit requires it.
  void make_room();
  bool over_limit() const;
  // Reports that its value exists. The op is released, unless everything is kept.
  void computed(const DataOpPtr& op);
  // Releases ops that have been computed and were kept so far.
  void let_go();

  ValueId issued() const { return last_; }  // ids are 1..issued()
  bool reachable(ValueId id) const { return entries().count(id) > 0; }
  // Null: unreachable, or computed and released.
  DataOpPtr op(ValueId id) const;
  // Ops that have not been released, by id; ops among them whose inputs are bound.
  std::vector<DataOpPtr> ops() const;
  std::vector<DataOpPtr> recorded_ops() const;
  std::vector<DataOpPtr> computed_ops() const;
  // Values that others than the inputs of recorded_ops() refer to.
  std::vector<ValueId> referred_to_elsewhere() const;

  const Held& held() const;
  const Totals& totals() const;
  std::uint64_t limit() const;

 private:
  friend class LiveValue;
  class Book;
  using Entries = std::map<ValueId, LiveValue*>;
  const Entries& entries() const;

  std::shared_ptr<Book> book_;  // shared with the keepers
  ValueId last_ = no_value;
};

}  // namespace kernbench
