// Transfers: moves values between the host and the shards of a tensor (spec 7): one MemoryWrite or
// MemoryRead per shard, copies and partial sums too, all at once; a call ends with the last of
// them. Of partial sums the first is written with the value, the others with zeros.
//
// Values go as references, so that what is pending stays pending. With data off the same messages
// travel without values.
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

  // Untimed: straight into and out of the memory store.
  void set_untimed(bool untimed) { untimed_ = untimed; }
  bool untimed() const { return untimed_; }

  void fill(const TensorSlice& target, double value);
  void write(const TensorSlice& target,
             const HostArray& source);  // UsageError unless shape and dtype agree
  // To each shard its own. UsageError unless there is one for each and shapes and dtype agree.
  void write_each(const TensorSlice& target, const std::vector<HostArray>& sources);
  // Through the host: a read, then a write. Partial sums go one by one to a target that has them on
  // the same PEs, else as their sum (PendingDataError).
  void copy(const TensorSlice& target, const TensorSlice& source);
  // A read into the host: what is in memory, per shard of source.blocks(). With data off its time
  // only, and no image.
  using Images = std::vector<ByteImage>;
  Images fetch(const TensorSlice& source);
  void discard(const TensorSlice& source);  // the same read, its data discarded
  // What has been fetched. PendingDataError for values of phase 2; UsageError with data off.
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
