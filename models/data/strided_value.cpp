#include "models/data/strided_value.h"

#include <algorithm>
#include <cstring>

namespace kernbench {

TensorValue strided_view(ByteImage image, const Shape& shape, DType dtype,
                         std::vector<std::int64_t> strides) {
  TensorValue value{std::move(image), shape, dtype, std::move(strides)};
  const std::vector<std::int64_t> dense = row_major_strides(shape);
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] != 1 && value.strides[axis] != dense[axis]) return value;
  }
  value.strides.clear();
  if (value.image.nbytes() > value.nbytes()) value.image = value.image.slice(0, value.nbytes());
  return value;
}

TensorValue sub_block(const TensorValue& value, const std::vector<std::int64_t>& begin,
                      const std::vector<std::int64_t>& extents) {
  const std::vector<std::int64_t> strides = strides_of(value);
  std::int64_t skipped = 0;
  for (std::size_t axis = 0; axis < begin.size(); ++axis) skipped += begin[axis] * strides[axis];
  const std::uint64_t offset = static_cast<std::uint64_t>(skipped) * size_of(value.dtype);
  return strided_view(value.image.slice(offset, value.image.nbytes() - offset), Shape(extents),
                      value.dtype, strides);
}

void add_part(ImageParts& parts, const ImagePart& part) {
  if (part.nbytes == 0) return;
  if (!parts.empty()) {
    ImagePart& last = parts.back();
    if (last.fill == part.fill && (part.fill || last.offset + last.nbytes == part.offset)) {
      last.nbytes += part.nbytes;
      return;
    }
  }
  parts.push_back(part);
}

ByteImage assembled(const ByteImage& source, const ImageParts& parts,
                    const std::vector<std::byte>& fill) {
  std::uint64_t longest = 0;
  for (const ImagePart& part : parts) {
    if (part.fill) longest = std::max(longest, part.nbytes);
  }
  const bool is_zero =
      std::all_of(fill.begin(), fill.end(), [](std::byte each) { return each == std::byte{0}; });
  SharedBytes repeated;
  if (!is_zero && longest > 0) {
    repeated = make_shared_bytes(longest, false);
    for (std::uint64_t at = 0; at < longest; at += fill.size())
      std::memcpy(repeated.get() + at, fill.data(), fill.size());
  }
  ByteImage image;
  ImageCursor cursor(source);
  for (const ImagePart& part : parts) {
    if (!part.fill) {
      cursor.append_to(image, part.offset, part.nbytes);
    } else {
      image.append(repeated == nullptr ? Segment::of_zeros(part.nbytes)
                                       : Segment::of_bytes(repeated, part.nbytes));
    }
  }
  return image;
}

ByteImage taken_apart(const ByteImage& image, const ImageParts& parts) {
  ByteImage source;
  ImageCursor cursor(image);
  std::uint64_t at = 0;
  for (const ImagePart& part : parts) {
    if (!part.fill) cursor.append_to(source, at, part.nbytes);
    at += part.nbytes;
  }
  return source;
}

}  // namespace kernbench
