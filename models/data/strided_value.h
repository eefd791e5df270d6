// Blocks with strides in memory, as values: views of packed bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "models/data/tensor_value.h"

namespace kernbench {

// Elements of a packed image in another order of axes: element (i, j, ...) is i * strides[0] + j *
// strides[1] + ... elements after the first one.
TensorValue strided_view(ByteImage image, const Shape& shape, DType dtype,
                         std::vector<std::int64_t> strides);
// The elements from `begin` on, `extents` of them on each axis. Nothing moves.
TensorValue sub_block(const TensorValue& value, const std::vector<std::int64_t>& begin,
                      const std::vector<std::int64_t>& extents);

// A stretch of an image that is put together from the bytes of a source and from fill.
struct ImagePart {
  bool fill = false;
  std::uint64_t offset = 0;  // offset in the source; fill: 0
  std::uint64_t nbytes = 0;
};
using ImageParts = std::vector<ImagePart>;
// Appends, or continues the last part.
void add_part(ImageParts& parts, const ImagePart& part);
// `fill`: one element.
ByteImage assembled(const ByteImage& source, const ImageParts& parts,
                    const std::vector<std::byte>& fill);
// Bytes of `image` that the parts take from the source, in the order of the source: the inverse,
// for stores. Each byte of the source belongs to one part.
ByteImage taken_apart(const ByteImage& image, const ImageParts& parts);

}  // namespace kernbench
