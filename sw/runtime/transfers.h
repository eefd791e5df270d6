// Transfers: moves values between the host and the shards of a tensor (spec 7): one MemoryWrite or
// MemoryRead per shard, copies and partial sums included, concurrently; a call ends with the last
// message. The first partial sum is written with the value, the others with zeros.
//
// Values are passed as references, so that pending values stay pending. With data off the same
// messages are sent without values.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/data/functional_model.h"
#include "sw/runtime/host_link.h"
#include "sw/runtime/tensor_slice.h"

namespace kernbench {

class Transfers {
 public:
  explicit Transfers(HostLink& link) : link_(link) {}

  // Untimed: direct access to the memory store.
  void set_untimed(bool untimed) { untimed_ = untimed; }
  bool untimed() const { return untimed_; }

  void fill(const TensorSlice& target, double value);
  void write(const TensorSlice& target,
             const HostArray& source);  // UsageError unless shape and dtype agree
  // Writes one array to each shard. UsageError unless there is one per shard with matching shape
  // and dtype.
  void write_each(const TensorSlice& target, const std::vector<HostArray>& sources);
  // Copies through the host: a read, then a write. Partial sums are copied one by one to a target
  // that has them on the same PEs, else as their sum (PendingDataError).
  void copy(const TensorSlice& target, const TensorSlice& source);
  // Reads the memory of each shard of source.blocks() into the host. With data off only the time,
  // without images.
  using Images = std::vector<ByteImage>;
  Images fetch(const TensorSlice& source);
  void discard(const TensorSlice& source);  // reads and discards the data
  // Values that have been fetched. PendingDataError for values of phase 2; UsageError with data
  // off.
  HostArray values(const TensorSlice& source, const Images& fetched) const;

 private:
  using Source = decltype(MemoryWrite::source);
  void send(const TensorSlice& target, const std::function<Source(const tl::Block&)>& source_of,
            const std::string& label);
  HostRequests read(const TensorSlice& source, ReadSink sink);
  static TensorValue value_of(const TensorSlice& source, const Images& fetched,
                              std::size_t summand = 0);
  std::vector<std::byte> bytes(const TensorSlice& source, const Images& fetched) const;

  HostLink& link_;
  bool untimed_ = false;
};

}  // namespace kernbench
