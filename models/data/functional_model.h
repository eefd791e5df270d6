// FunctionalModel: the values of a run. Owns the MemoryStore, numbers values and ops in order of
// issue, and keeps the ops that define values for phase 2 (LiveValues). With `--data off` there is
// none.
//
// A load binds to the bytes visible at its issue and a store is visible from its issue (ADR-0020
// D3): memory ops copy references at the call, whatever their timing. Accesses of PEs in one
// instant take effect in the order of the PEs' names (AccessJournal), so the binding of a load, and
// the input of a composite, is resolved on demand or when time has advanced. Calls without an
// Accessor act at once, after all of these. Shapes and dtypes are checked here: UsageError.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/data/access_journal.h"
#include "models/data/data_op.h"
#include "models/data/device_message.h"
#include "models/data/live_values.h"
#include "models/data/memory_store.h"

namespace kernbench {

class GemmProducts;  // gemm_products.h
class RaceDetector;  // race_detector.h

// Interface of eager mode: the functional_model reports every new op and every product that engines
// have computed, and requests values.
class ValueResolver {
 public:
  virtual ~ValueResolver() = default;
  virtual void recorded(const DataOpPtr& op) = 0;  // a new gemm or math op
  // The engine of the gemm op that defines `id` has computed its products
  // (FunctionalModel::take_products).
  virtual void products_computed(ValueId /*id*/) {}
  virtual SharedBytes resolve(
      ValueId id) = 0;  // waits (host time only) until the value exists; throws the error of its op
};

enum class DataMode : std::uint8_t { off, deferred, eager };
const char* name_of(DataMode mode);

struct IssuedOp {
  DataOpPtr op;       // stored with the command, for its record; null: a move without a record
  TensorValue value;  // loaded or computed value
};

class FunctionalModel {
 public:
  FunctionalModel() = default;
  FunctionalModel(const FunctionalModel&) = delete;
  FunctionalModel& operator=(const FunctionalModel&) = delete;

  // Whether loads, stores, atomic accesses and messages have ops, which exist for their records
  // only. Default: true.
  void record_moves(bool wanted) { moves_recorded_ = wanted; }

  // --- accesses of PEs; `block`: of the kernel, for the record, where the bytes have another shape
  // A view without an op: operands of composites, captures of IPCQ messages.
  TensorValue view(const Accessor& by, const PhysRanges& from, const Shape& shape, DType dtype);
  IssuedOp load(const Accessor& by, const PhysRanges& from, const Shape& shape, DType dtype,
                const PhysRanges& to = {}, const Shape* block = nullptr);
  DataOpPtr store(const Accessor& by, const TensorValue& value, const PhysRanges& to,
                  const PhysRanges& from = {}, const Shape* block = nullptr);
  // A store without an op: the result of a composite.
  void write(const Accessor& by, const TensorValue& value, const PhysRanges& to);
  // Op for the record of an atomic access. Its effect is an AtomicUpdate.
  DataOpPtr atomic(const ByteImage& operands, const Shape& block, DType dtype,
                   const PhysRanges& from, const PhysRanges& to) {
    return memory_op(MemoryParams::Kind::atomic, operands, block, dtype, from, to);
  }
  // Carries out the accesses that PEs have issued so far, or before this time. Afterwards the
  // records of these ops are complete.
  void resolve();
  void resolve_before(Fs time);
  std::uint64_t data_races() const { return journal_.data_races(); }

  // --- accesses that nothing orders (`--check-races`); before the run
  void detect_races();
  RaceDetector* races() const { return races_.get(); }  // null: not requested

  // --- calls without an Accessor, effective at once ---
  MemoryStore& memory();
  // Memory before the accesses that PEs issue at the instant `now`.
  MemoryStore& memory_before(Fs now) {
    resolve_before(now);
    return memory_;
  }
  TensorValue view(const PhysRanges& from, const Shape& shape, DType dtype);
  IssuedOp load(const PhysRanges& from, const Shape& shape, DType dtype, const PhysRanges& to = {});
  DataOpPtr store(const TensorValue& value, const PhysRanges& to, const PhysRanges& from = {});

  // --- values ---
  // Payload of a message. Nothing moves here: the op is for the record of the message.
  DataOpPtr taken(const TensorValue& value, const PhysRanges& from);
  // inputs: a, b, then the accumulator or the operands that the epilogue names. Fills m, k, n and
  // batch.
  IssuedOp gemm(GemmParams params, std::vector<TensorValue> inputs, OpAddresses places = {});
  IssuedOp math(MathParams params, std::vector<TensorValue> inputs, OpAddresses places = {});
  // Returns the elements in row-major order: the value itself if dense, a known one rearranged,
  // else a convert op.
  TensorValue made_dense(const TensorValue& value);
  TensorValue converted(const TensorValue& value, DType dtype);

  // Constants: known from the start, no op.
  static TensorValue constant(const void* data, const Shape& shape,
                              DType dtype);  // dense elements, copied
  static TensorValue full(const Shape& shape, DType dtype,
                          double value);  // rounded to the dtype once
  static TensorValue zeros(const Shape& shape, DType dtype);

  // --- engines that compute ---
  // Registers a component that computes the products of its gemm ops.
  void add_engine(NodeId engine, const std::string& name) { engines_.emplace(engine, name); }
  bool has_engines() const { return !engines_.empty(); }
  bool has_engine(NodeId engine) const { return engines_.count(engine) > 0; }
  const std::string& engine_name(NodeId engine) const { return engines_.at(engine); }
  // Called when the engine of a gemm op has computed its products.
  void computed(const DataOp& op, std::shared_ptr<const GemmProducts> products);
  // Returns null if the engine has not finished, or the products have been taken.
  std::shared_ptr<const GemmProducts> take_products(ValueId id);

  // --- messages of kernels about values that are not known yet ---
  void add_message(DeviceMessage message) { messages_.push_back(std::move(message)); }
  std::vector<DeviceMessage> messages() const;  // by time, then PE

  bool eager() const { return resolver_ != nullptr; }
  // Whether bytes() has an answer. Eager mode has one for every value, computed or not: the result
  // that a reader gets must not depend on the speed of the workers.
  bool known(const ByteImage& image) const { return image.known() || eager(); }
  // Dense row-major bytes. Deferred: PendingDataError if a value in it is pending. Eager: waits for
  // it.
  std::vector<std::byte> bytes(const TensorValue& value);
  // Contents of memory at the start of the instant `now`, before the accesses that PEs issue in it.
  // Empty if some of it is not known. Eager: waits for it.
  std::vector<std::byte> bytes_before(Fs now, std::uint64_t physical, std::uint64_t nbytes);

  // Ops that define values, as long as they are kept.
  LiveValues& live_values() { return live_values_; }
  const LiveValues& live_values() const { return live_values_; }
  // gemm, math and convert, in order of issue
  std::vector<DataOpPtr> ops() const { return live_values_.ops(); }
  ValueId values() const { return live_values_.issued(); }  // ids are 1..values()
  DataOpPtr defining_op(ValueId id) const;                  // ModelError if unknown or released

  // Eager mode: the resolver must outlive the functional_model's use. None = deferred.
  void set_resolver(ValueResolver* resolver) { resolver_ = resolver; }

 private:
  // Op that reads or moves bytes that its instant has not resolved yet.
  struct Unresolved {
    std::shared_ptr<DataOp> op;
    ByteImage moved;  // bytes moved by a memory op
  };
  // `op` and its output have no ids yet.
  IssuedOp define(std::shared_ptr<DataOp> op);
  TensorValue convert(const TensorValue& value, DType dtype);
  // Returns the value itself if it is dense; else made_dense() of it, in `made`.
  const TensorValue& dense_of(const TensorValue& value, TensorValue& made) {
    return value.dense() ? value : (made = made_dense(value));
  }
  void write_dense(const Accessor& by, const TensorValue& dense, const PhysRanges& to);
  DataOpPtr memory_op(MemoryParams::Kind kind, const ByteImage& moved, const Shape& block,
                      DType dtype, const PhysRanges& from, const PhysRanges& to);
  bool is_unresolved(ValueId id) const;
  void recorded(const std::shared_ptr<DataOp>& op);
  ValueLookup lookup();

  LiveValues live_values_;
  MemoryStore memory_;
  AccessJournal journal_{memory_};
  std::vector<Unresolved> unresolved_;
  std::vector<DeviceMessage> messages_;
  std::uint64_t next_op_ = 1;
  bool moves_recorded_ = true;
  ValueResolver* resolver_ = nullptr;
  std::shared_ptr<RaceDetector> races_;
  std::map<NodeId, std::string> engines_;
  std::map<ValueId, std::shared_ptr<const GemmProducts>> products_;
};

}  // namespace kernbench
