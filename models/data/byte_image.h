// ByteImage: an immutable run of simulated bytes, known or not: a list of segments that are zeros,
// shared bytes, a range of a value that phase 2 will compute (spec 9: pending data are values, not
// places), or of the capture of a read of the present instant.
//
// Copying, slicing and concatenating images copies references, never bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "models/base/small_vector.h"

namespace kernbench {

using ValueId = std::uint64_t;  // numbered from 1 in order of issue
inline constexpr ValueId no_value = 0;

class LiveValue;  // models/data/live_values.h
using ValueKeeper = std::shared_ptr<const LiveValue>;

struct ValueRef {
  ValueId id = no_value;
  std::uint64_t offset = 0;  // bytes within the value
  std::uint64_t nbytes = 0;
  ValueKeeper keeper = nullptr;  // keeps the value reachable; null: used in tests
};

// Bytes with shared ownership. Read-only while more than one owner holds them.
using SharedBytes = std::shared_ptr<std::byte>;
SharedBytes make_shared_bytes(std::uint64_t nbytes, bool zeroed);

class ByteImage;

// Binding of a read: known once the accesses of its instant are in order (AccessJournal).
class Capture {
 public:
  virtual ~Capture() = default;
  virtual bool bound() const = 0;
  virtual const ByteImage& image()
      const = 0;  // binds if that has not been done; without captures itself
};

struct Segment {
  enum class Kind : std::uint8_t { zeros, bytes, value, capture };
  Kind kind = Kind::zeros;
  std::uint64_t nbytes = 0;
  ValueId value = no_value;  // used by kind value
  std::uint64_t offset = 0;  // kinds value, capture: first byte within it
  // By kind: the first of nbytes bytes, the value's keeper, the capture.
  std::shared_ptr<const void> source = nullptr;

  // Accessors for one kind each; a value without a keeper returns null.
  SharedBytes bytes() const {
    return std::static_pointer_cast<std::byte>(std::const_pointer_cast<void>(source));
  }
  const std::byte* data() const { return static_cast<const std::byte*>(source.get()); }
  const Capture& capture() const { return *static_cast<const Capture*>(source.get()); }
  ValueKeeper keeper() const {
    return kind == Kind::value ? std::static_pointer_cast<const LiveValue>(source) : nullptr;
  }

  static Segment of_zeros(std::uint64_t nbytes);
  static Segment of_bytes(SharedBytes bytes, std::uint64_t nbytes);
  static Segment of_value(const ValueRef& ref);
  static Segment of_capture(std::shared_ptr<const Capture> capture, std::uint64_t nbytes);
  Segment slice(std::uint64_t offset, std::uint64_t nbytes) const;
};

using Segments = SmallVector<Segment, 1>;

// Bytes of a computed value: at least the whole value.
using ValueLookup = std::function<SharedBytes(ValueId)>;

class ByteImage {
 public:
  ByteImage() = default;
  ByteImage(const ByteImage&) = default;
  ByteImage(ByteImage&&) noexcept = default;  // Segments do not say so
  ByteImage& operator=(const ByteImage&) = default;
  ByteImage& operator=(ByteImage&&) noexcept = default;
  ~ByteImage() = default;
  static ByteImage zeros(std::uint64_t nbytes);
  static ByteImage copy_of(const void* data, std::uint64_t nbytes);
  static ByteImage of(SharedBytes bytes, std::uint64_t nbytes);  // shares them
  static ByteImage of(const ValueRef& ref);
  static ByteImage of(std::shared_ptr<const Capture> capture, std::uint64_t nbytes);

  std::uint64_t nbytes() const { return nbytes_; }
  const Segments& segments() const { return segments_; }
  bool bound() const;                  // no capture, or all are bound
  ByteImage without_captures() const;  // their bindings instead of captures
  void replace_captures() {
    if (captures_ > 0) *this = without_captures();
  }
  bool known() const {
    return captures_ == 0 ? pending_ == 0 : without_captures().known();
  }                                        // no segment is a value
  std::vector<ValueId> value_ids() const;  // each once, ascending

  void append(Segment segment);  // merges with the last one if contiguous
  void append(const ByteImage& image);
  ByteImage slice(std::uint64_t offset,
                  std::uint64_t nbytes) const;  // ModelError outside the image

  // Copies all bytes to `out`. `lookup` resolves values; without one a value is a PendingDataError.
  void copy_to(std::byte* out, const ValueLookup& lookup = {}) const;
  // Like copy_to; without a copy if the image is one run of bytes already. Do not write to the
  // result.
  SharedBytes flatten(const ValueLookup& lookup = {}) const;

 private:
  Segments segments_;
  std::uint64_t nbytes_ = 0;
  std::size_t pending_ = 0;   // segments that are values
  std::size_t captures_ = 0;  // segments that are captures
};

// Slices of one image in ascending order: as many as there are segments cost no more than one pass.
class ImageCursor {
 public:
  explicit ImageCursor(const ByteImage& image) : image_(&image) {}  // which must outlive it

  // Appends [offset, offset + nbytes) of the image to `out`. ModelError outside the image.
  void append_to(ByteImage& out, std::uint64_t offset, std::uint64_t nbytes);

 private:
  const ByteImage* image_;
  std::size_t segment_ = 0;
  std::uint64_t begin_ = 0;  // begin of the segment
};

}  // namespace kernbench
