#include "platform/topology/placement_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "platform/topology/drawing.h"

namespace kernbench {
namespace {

// Tints distinguishable by lightness or hue, also for colour-blind readers.
constexpr std::array<const char*, 8> tints{"#cfe8f7", "#fbe3b5", "#c9ead9", "#f6d3e3",
                                           "#9fc9e6", "#f3c77e", "#93cfb3", "#e3a6c6"};
constexpr double gap = 26, caption = 18;

// "3", "0-7"; empty if the numbers have gaps.
std::string range_text(const std::set<int>& numbers) {
  const int first = *numbers.begin(), last = *numbers.rbegin();
  if (static_cast<std::size_t>(last - first) + 1 != numbers.size()) return "";
  return first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
}

// "c0 p3", "c0-3 p3": PEs with copies of one shard.
std::string owners_text(const std::vector<PeId>& owners) {
  std::set<int> cubes, pes;
  for (const PeId& owner : owners) {
    cubes.insert(owner.cube);
    pes.insert(owner.pe);
  }
  const std::string cube = range_text(cubes), pe = range_text(pes);
  if (cube.empty() || pe.empty() || cubes.size() * pes.size() != owners.size())
    return fmt::format("{} PEs", owners.size());
  return fmt::format("c{} p{}", cube, pe);
}

// Elements of a shard, and their owners.
struct Part {
  const PlacedBlock* block = nullptr;
  std::vector<PeId> owners;
};

std::vector<Part> parts_of(const std::vector<PlacedBlock>& blocks) {
  std::map<std::uint64_t, Part> parts;  // copies share their offset
  for (const PlacedBlock& block : blocks) {
    Part& part = parts[block.offset];
    part.block = &block;
    part.owners.push_back(block.where);
  }
  std::vector<Part> list;
  for (auto& [offset, part] : parts) list.push_back(std::move(part));
  return list;
}

class Picture {
 public:
  Picture(const Shape& shape, const std::vector<PlacedBlock>& blocks)
      : shape_(shape), parts_(parts_of(blocks)) {
    const std::size_t rank = shape.rank();
    columns_ = rank == 0 ? 1 : shape[rank - 1];
    rows_ = rank < 2 ? 1 : shape[rank - 2];
    slices_ = shape.elements() / (rows_ * columns_);
    cell_w_ = std::clamp(260.0 / static_cast<double>(columns_), 6.0, 34.0);
    cell_h_ = std::clamp(260.0 / static_cast<double>(rows_), 6.0, 26.0);
  }

  std::string svg(const std::string& title) {
    for (std::int64_t slice = 0; slice < slices_; ++slice) draw(slice);
    const double above = shape_.rank() > 2 ? 2 * caption : 0.8 * caption;
    drawing_.text({0, -above}, fmt::format("{} {}", shape_.str(), title), {14, "start", true});
    return drawing_.svg(
        title, "The elements of a tensor, and the PEs that have them: c is a cube, p a PE.", 12);
  }

 private:
  // Indices of the axes before the last two.
  std::vector<std::int64_t> outer_of(std::int64_t slice) const {
    const std::size_t count = shape_.rank() < 2 ? 0 : shape_.rank() - 2;
    std::vector<std::int64_t> outer(count);
    for (std::size_t axis = count; axis-- > 0;) {
      outer[axis] = slice % shape_[axis];
      slice /= shape_[axis];
    }
    return outer;
  }

  Box origin_of(std::int64_t slice) const {
    const double w = cell_w_ * static_cast<double>(columns_),
                 h = cell_h_ * static_cast<double>(rows_);
    return {static_cast<double>(slice) * (w + gap), 0, w, h};
  }

  void draw(std::int64_t slice) {
    const std::vector<std::int64_t> outer = outer_of(slice);
    const Box whole = origin_of(slice);
    for (std::size_t i = 0; i < parts_.size(); ++i)
      draw_part(parts_[i], outer, whole, tints[i % 8]);
    for (std::int64_t row = 1; row < rows_; ++row)
      rule({whole.x, whole.y + cell_h_ * static_cast<double>(row)}, whole.w, 0);
    for (std::int64_t column = 1; column < columns_; ++column)
      rule({whole.x + cell_w_ * static_cast<double>(column), whole.y}, 0, whole.h);
    for (const Part& part : parts_) draw_label(part, outer, whole);
    if (outer.empty()) return;
    std::string text = "[";
    for (const std::int64_t index : outer) text += fmt::format("{}, ", index);
    drawing_.text({whole.middle().x, -caption / 2}, text + ":, :]", {11});
  }

  void rule(Point from, double dx, double dy) {
    drawing_.line({from, {from.x + dx, from.y + dy}}, {"none", "#ffffff", 0.6});
  }

  // Box of the part in this slice; height 0 if it has no elements there.
  Box box_of(const Part& part, const std::vector<std::int64_t>& outer, const Box& whole) const {
    const PlacedBlock& block = *part.block;
    for (std::size_t axis = 0; axis < outer.size(); ++axis) {
      if (outer[axis] < block.start[axis] || outer[axis] >= block.start[axis] + block.shape[axis])
        return {};
    }
    const std::size_t rank = shape_.rank();
    const auto from = [&](std::size_t axis) { return static_cast<double>(block.start[axis]); };
    const auto size = [&](std::size_t axis) { return static_cast<double>(block.shape[axis]); };
    const double x = rank < 1 ? 0 : from(rank - 1), w = rank < 1 ? 1 : size(rank - 1);
    const double y = rank < 2 ? 0 : from(rank - 2), h = rank < 2 ? 1 : size(rank - 2);
    return {whole.x + x * cell_w_, whole.y + y * cell_h_, w * cell_w_, h * cell_h_};
  }

  void draw_part(const Part& part, const std::vector<std::int64_t>& outer, const Box& whole,
                 const char* tint) {
    const Box box = box_of(part, outer, whole);
    if (box.h > 0) drawing_.rect(box, {tint, "#1b1f24", 1.4});
  }

  void draw_label(const Part& part, const std::vector<std::int64_t>& outer, const Box& whole) {
    const Box box = box_of(part, outer, whole);
    if (box.h <= 0) return;
    const std::string text = owners_text(part.owners);
    const bool upright = text_width(text, 11) > box.w && box.h > box.w;
    TextStyle style{11};
    style.upwards = upright;
    const double room = upright ? box.h : box.w;
    if (text_width(text, 11) > room) style.size = 11 * room / text_width(text, 11);
    drawing_.text(box.middle(), text, style);
  }

  const Shape& shape_;
  std::vector<Part> parts_;
  std::int64_t rows_ = 1, columns_ = 1, slices_ = 1;
  double cell_w_ = 0, cell_h_ = 0;
  Drawing drawing_;
};

}  // namespace

std::string placement_svg(const Shape& shape, const std::vector<PlacedBlock>& blocks,
                          const std::string& title) {
  return Picture(shape, blocks).svg(title);
}

}  // namespace kernbench
