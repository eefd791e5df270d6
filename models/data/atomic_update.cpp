#include "models/data/atomic_update.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "models/base/errors.h"
#include "models/data/elements.h"
#include "models/data/integer_math.h"

namespace kernbench {
namespace {

MathOp math_of(AtomicOp op) {
  switch (op) {
    case AtomicOp::max:
      return MathOp::maximum;
    case AtomicOp::min:
      return MathOp::minimum;
    case AtomicOp::bitwise_and:
      return MathOp::bitwise_and;
    case AtomicOp::bitwise_or:
      return MathOp::bitwise_or;
    case AtomicOp::bitwise_xor:
      return MathOp::bitwise_xor;
    default:
      return MathOp::add;
  }
}

// Result as phase 2 computes it: in f32, NaN if an operand is NaN.
float float_result(AtomicOp op, float x, float y) {
  if (op == AtomicOp::max) return x > y || x != x ? x : y;
  if (op == AtomicOp::min) return x < y || x != x ? x : y;
  return x + y;
}

double result(AtomicOp op, DType dtype, double x, double y) {
  if (is_float(dtype)) return float_result(op, static_cast<float>(x), static_cast<float>(y));
  const std::int64_t exact =
      integer_result(math_of(op), static_cast<std::int64_t>(x), static_cast<std::int64_t>(y), 0);
  return static_cast<double>(wrapped(exact, dtype));
}

std::vector<std::byte> bytes_of(const ByteImage& image) {
  std::vector<std::byte> bytes(image.nbytes());
  image.copy_to(bytes.data());
  return bytes;
}

MathParams params_of(MathOp op) {
  MathParams params;
  params.op = op;
  return params;
}

}  // namespace

AtomicUpdate::AtomicUpdate(FunctionalModel& data, AtomicOp op, DType dtype,
                           const PhysRanges& places, std::vector<ByteImage> operands)
    : data_(data), op_(op), dtype_(dtype), size_(size_of(dtype)), operands_(std::move(operands)) {
  for (const PhysRange& range : places) {
    for (std::uint64_t at = 0; at < range.nbytes; at += size_) places_.push_back(range.pa + at);
  }
}

void AtomicUpdate::order_by(RaceDetector::Agent agent, RaceDetector::Call call) {
  issue_ = Issue{agent, std::move(call)};
}

void AtomicUpdate::serve(const AtomicSpans& part, Fs now) {
  MemoryStore& memory = data_.memory_before(now);
  const Elements elements = elements_of(part);
  if (issue_) note(elements);
  for (const Elements& distinct : without_repeats(elements)) update(memory, distinct);
}

AtomicUpdate::Elements AtomicUpdate::elements_of(const AtomicSpans& part) const {
  Elements elements;
  for (const AtomicSpan& span : part) {
    for (std::uint64_t at = 0; at < span.nbytes; at += size_)
      elements.push_back(static_cast<std::size_t>((span.position + at) / size_));
  }
  std::sort(elements.begin(), elements.end());
  return elements;
}

// Batches in which every place occurs at most once; of lanes at one place the first is in the first
// batch.
std::vector<AtomicUpdate::Elements> AtomicUpdate::without_repeats(const Elements& elements) const {
  std::vector<Elements> rounds;
  std::unordered_map<std::uint64_t, std::size_t> seen;  // for look-up only
  for (const std::size_t element : elements) {
    const std::size_t round = seen[places_.at(element)]++;
    if (round == rounds.size()) rounds.emplace_back();
    rounds[round].push_back(element);
  }
  return rounds;
}

void AtomicUpdate::note(const Elements& elements) const {
  std::vector<std::uint64_t> places;
  for (const std::size_t element : elements) places.push_back(places_[element]);
  data_.races()->note_atomic(issue_->agent, issue_->call, places, size_);
}

void AtomicUpdate::update(MemoryStore& memory, const Elements& elements) {
  PhysRanges ranges;
  for (const std::size_t element : elements) {
    const std::uint64_t place = places_[element];
    if (!ranges.empty() && ranges.back().pa + ranges.back().nbytes == place)
      ranges.back().nbytes += size_;
    else
      ranges.push_back({place, size_});
  }
  const ByteImage old = memory.snapshot(ranges);
  std::vector<ByteImage> operands;
  for (const ByteImage& operand : operands_) operands.push_back(picked(operand, elements));
  memory.write_image(ranges, new_values(old, operands));
  keep(elements, old);
}

ByteImage AtomicUpdate::picked(const ByteImage& image, const Elements& elements) const {
  const ByteImage bound = image.without_captures();
  ByteImage result;
  ImageCursor cursor(bound);
  for (const std::size_t element : elements) cursor.append_to(result, element * size_, size_);
  return result;
}

ByteImage AtomicUpdate::new_values(const ByteImage& old, const std::vector<ByteImage>& operands) {
  if (op_ == AtomicOp::xchg) return operands[0];
  const bool known = old.known() && std::all_of(operands.begin(), operands.end(),
                                                [](const ByteImage& each) { return each.known(); });
  return known ? computed(old, operands) : pending(old, operands);
}

ByteImage AtomicUpdate::computed(const ByteImage& old,
                                 const std::vector<ByteImage>& operands) const {
  std::vector<std::byte> bytes = bytes_of(old);
  const std::vector<std::byte> first = bytes_of(operands[0]), last = bytes_of(operands.back());
  for (std::uint64_t at = 0; at < bytes.size(); at += size_) {
    const double x = read_element(bytes.data() + at, dtype_),
                 y = read_element(first.data() + at, dtype_);
    if (op_ != AtomicOp::cas)
      write_element(bytes.data() + at, dtype_, result(op_, dtype_, x, y));
    else if (x == y)
      std::copy_n(last.data() + at, size_, bytes.data() + at);
  }
  return ByteImage::copy_of(bytes.data(), bytes.size());
}

ByteImage AtomicUpdate::pending(const ByteImage& old, const std::vector<ByteImage>& operands) {
  const Shape shape{static_cast<std::int64_t>(old.nbytes() / size_)};
  const auto block = [&](const ByteImage& image) { return TensorValue{image, shape, dtype_, {}}; };
  if (op_ != AtomicOp::cas)
    return data_.math(params_of(math_of(op_)), {block(old), block(operands[0])}).value.image;
  const TensorValue equal =
      data_.math(params_of(MathOp::eq), {block(old), block(operands[0])}).value;
  return data_.math(params_of(MathOp::where), {equal, block(operands[1]), block(old)}).value.image;
}

void AtomicUpdate::keep(const Elements& elements, const ByteImage& old) {
  ImageCursor cursor(old);
  for (std::size_t begin = 0, end = 0; begin < elements.size(); begin = end) {
    while (end < elements.size() && elements[end] - elements[begin] == end - begin) ++end;
    cursor.append_to(old_[elements[begin]], begin * size_, (end - begin) * size_);
  }
}

ByteImage AtomicUpdate::old_values() const {
  ByteImage values;
  for (const auto& [element, image] : old_) {
    if (values.nbytes() != element * size_)
      throw ModelError(fmt::format("{}: element {} has been served {}", name_of(op_), element,
                                   values.nbytes() < element * size_ ? "before others" : "twice"));
    values.append(image);
  }
  if (values.nbytes() != places_.size() * size_)
    throw ModelError(fmt::format("{}: {} of {} elements have been served", name_of(op_),
                                 values.nbytes() / size_, places_.size()));
  return values;
}

}  // namespace kernbench
