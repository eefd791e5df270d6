#include "models/data/byte_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "models/base/errors.h"

namespace kernbench {
namespace {

bool same_owner(const Segment& a, const Segment& b) {
  return !a.source.owner_before(b.source) && !b.source.owner_before(a.source);
}

bool continues(const Segment& last, const Segment& next) {
  if (last.kind != next.kind) return false;
  switch (last.kind) {
    case Segment::Kind::zeros:
      return true;
    case Segment::Kind::bytes:
      return last.data() + last.nbytes == next.data() && same_owner(last, next);
    case Segment::Kind::value:
      return last.value == next.value && last.offset + last.nbytes == next.offset;
    case Segment::Kind::capture:
      return last.source == next.source && last.offset + last.nbytes == next.offset;
  }
  return false;
}

SharedBytes resolved(const Segment& segment, const ValueLookup& lookup) {
  if (!lookup) {
    throw PendingDataError(
        fmt::format("value {} is pending: it is computed after the timing run (phase 2), or run "
                    "with --data eager",
                    segment.value));
  }
  return lookup(segment.value);
}

}  // namespace

SharedBytes make_shared_bytes(std::uint64_t nbytes, bool zeroed) {
  return {zeroed ? new std::byte[nbytes]() : new std::byte[nbytes],
          std::default_delete<std::byte[]>()};
}

Segment Segment::of_zeros(std::uint64_t nbytes) { return {Kind::zeros, nbytes}; }
Segment Segment::of_bytes(SharedBytes bytes, std::uint64_t nbytes) {
  return {Kind::bytes, nbytes, no_value, 0, std::move(bytes)};
}
Segment Segment::of_value(const ValueRef& ref) {
  return {Kind::value, ref.nbytes, ref.id, ref.offset, ref.keeper};
}
Segment Segment::of_capture(std::shared_ptr<const Capture> capture, std::uint64_t nbytes) {
  return {Kind::capture, nbytes, no_value, 0, std::move(capture)};
}

Segment Segment::slice(std::uint64_t at, std::uint64_t count) const {
  Segment part = *this;
  part.nbytes = count;
  if (kind == Kind::bytes) part.source = std::shared_ptr<const void>(source, data() + at);
  if (kind == Kind::value || kind == Kind::capture) part.offset = offset + at;
  return part;
}

ByteImage ByteImage::zeros(std::uint64_t nbytes) {
  ByteImage image;
  image.append(Segment::of_zeros(nbytes));
  return image;
}

ByteImage ByteImage::copy_of(const void* data, std::uint64_t nbytes) {
  SharedBytes bytes = make_shared_bytes(nbytes, false);
  if (nbytes > 0) std::memcpy(bytes.get(), data, nbytes);
  return of(std::move(bytes), nbytes);
}

ByteImage ByteImage::of(SharedBytes bytes, std::uint64_t nbytes) {
  ByteImage image;
  image.append(Segment::of_bytes(std::move(bytes), nbytes));
  return image;
}

ByteImage ByteImage::of(const ValueRef& ref) {
  ByteImage image;
  image.append(Segment::of_value(ref));
  return image;
}

ByteImage ByteImage::of(std::shared_ptr<const Capture> capture, std::uint64_t nbytes) {
  ByteImage image;
  image.append(Segment::of_capture(std::move(capture), nbytes));
  return image;
}

bool ByteImage::bound() const {
  return captures_ == 0 ||
         std::all_of(segments_.begin(), segments_.end(), [](const Segment& segment) {
           return segment.kind != Segment::Kind::capture || segment.capture().bound();
         });
}

ByteImage ByteImage::without_captures() const {
  if (captures_ == 0) return *this;
  if (segments_.size() == 1) {  // nearly always: all of one read
    const Segment& only = segments_.front();
    const ByteImage& read = only.capture().image();
    if (only.nbytes == read.nbytes()) return read;
  }
  ByteImage image;
  const Capture* capture = nullptr;  // capture of the cursor
  std::optional<ImageCursor> cursor;
  for (const Segment& segment : segments_) {
    if (segment.kind != Segment::Kind::capture) {
      image.append(segment);
      continue;
    }
    if (&segment.capture() != capture) {
      capture = &segment.capture();
      cursor.emplace(capture->image());
    }
    cursor->append_to(image, segment.offset, segment.nbytes);
  }
  return image;
}

std::vector<ValueId> ByteImage::value_ids() const {
  if (captures_ > 0) return without_captures().value_ids();
  std::vector<ValueId> ids;
  if (known()) return ids;
  for (const Segment& segment : segments_) {
    if (segment.kind == Segment::Kind::value) ids.push_back(segment.value);
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

void ByteImage::append(Segment segment) {
  if (segment.nbytes == 0) return;
  nbytes_ += segment.nbytes;
  if (!segments_.empty() && continues(segments_.back(), segment)) {
    segments_.back().nbytes += segment.nbytes;
    return;
  }
  if (segment.kind == Segment::Kind::value) ++pending_;
  if (segment.kind == Segment::Kind::capture) ++captures_;
  segments_.push_back(std::move(segment));
}

void ByteImage::append(const ByteImage& image) {
  if (&image == this) return append(ByteImage(image));
  for (const Segment& segment : image.segments_) append(segment);
}

ByteImage ByteImage::slice(std::uint64_t offset, std::uint64_t nbytes) const {
  if (offset > nbytes_ || nbytes > nbytes_ - offset) {
    throw ModelError(
        fmt::format("slice [{}, +{}) of an image of {} bytes", offset, nbytes, nbytes_));
  }
  ByteImage part;
  std::uint64_t begin = 0;  // begin of the segment within the image
  for (const Segment& segment : segments_) {
    const std::uint64_t from = std::max(begin, offset),
                        to = std::min(begin + segment.nbytes, offset + nbytes);
    if (from < to) part.append(segment.slice(from - begin, to - from));
    begin += segment.nbytes;
    if (begin >= offset + nbytes) break;
  }
  return part;
}

void ImageCursor::append_to(ByteImage& out, std::uint64_t offset, std::uint64_t nbytes) {
  if (offset > image_->nbytes() || nbytes > image_->nbytes() - offset) {
    throw ModelError(
        fmt::format("slice [{}, +{}) of an image of {} bytes", offset, nbytes, image_->nbytes()));
  }
  if (offset < begin_) segment_ = begin_ = 0;
  const Segments& segments = image_->segments();
  while (nbytes > 0) {
    const Segment& segment = segments[segment_];
    const std::uint64_t end = begin_ + segment.nbytes;
    if (offset < end) {
      const std::uint64_t part = std::min(nbytes, end - offset);
      out.append(segment.slice(offset - begin_, part));
      offset += part;
      nbytes -= part;
    }
    if (offset < end) return;
    begin_ = end;
    ++segment_;
  }
}

void ByteImage::copy_to(std::byte* out, const ValueLookup& lookup) const {
  if (captures_ > 0) return without_captures().copy_to(out, lookup);
  for (const Segment& segment : segments_) {
    switch (segment.kind) {
      case Segment::Kind::zeros:
        std::memset(out, 0, segment.nbytes);
        break;
      case Segment::Kind::bytes:
        std::memcpy(out, segment.data(), segment.nbytes);
        break;
      case Segment::Kind::value:
        std::memcpy(out, resolved(segment, lookup).get() + segment.offset, segment.nbytes);
        break;
      case Segment::Kind::capture:
        break;  // there are none
    }
    out += segment.nbytes;
  }
}

SharedBytes ByteImage::flatten(const ValueLookup& lookup) const {
  if (captures_ > 0) return without_captures().flatten(lookup);
  if (segments_.size() == 1) {
    const Segment& only = segments_.front();
    if (only.kind == Segment::Kind::bytes) return only.bytes();
    if (only.kind == Segment::Kind::value) {
      const SharedBytes value = resolved(only, lookup);
      return {value, value.get() + only.offset};
    }
  }
  SharedBytes bytes = make_shared_bytes(nbytes_, false);
  copy_to(bytes.get(), lookup);
  return bytes;
}

}  // namespace kernbench
