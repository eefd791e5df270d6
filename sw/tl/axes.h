// Axes that a reduction works on: `1`, `{0, 1}`; none given: all.
#pragma once

#include <initializer_list>
#include <vector>

namespace kernbench::tl {

class Axes {
 public:
  Axes() = default;
  Axes(int axis) : list_{axis} {}                         // NOLINT(google-explicit-constructor)
  Axes(std::initializer_list<int> axes) : list_(axes) {}  // NOLINT(google-explicit-constructor)
  const std::vector<int>& list() const { return list_; }

 private:
  std::vector<int> list_;
};

}  // namespace kernbench::tl
