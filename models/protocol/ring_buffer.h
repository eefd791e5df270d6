// A growing FIFO in one contiguous block, for queues on the hot path.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace kernbench {

// `in_place`: number of elements stored in the object itself, a power of two or none.
template <class T, std::size_t in_place = 0>
class RingBuffer {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return slots()[(head_ + i) & (capacity_ - 1)]; }
  const T& operator[](std::size_t i) const { return slots()[(head_ + i) & (capacity_ - 1)]; }
  T& front() { return slots()[head_]; }
  const T& front() const { return slots()[head_]; }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }

  void push_back(const T& value) {
    if (size_ == capacity_) grow();
    slots()[(head_ + size_) & (capacity_ - 1)] = value;
    ++size_;
  }
  void push_front(const T& value) {
    if (size_ == capacity_) grow();
    head_ = (head_ + capacity_ - 1) & (capacity_ - 1);
    ++size_;
    front() = value;
  }
  void pop_back() { --size_; }
  void clear() { head_ = size_ = 0; }
  void erase(std::size_t i) {
    for (; i + 1 < size_; ++i) (*this)[i] = (*this)[i + 1];
    --size_;
  }
  void pop_front() {
    head_ = --size_ == 0
                ? 0
                : (head_ + 1) &
                      (capacity_ - 1);  // a queue that runs empty stays in the same few cache lines
  }

  // Inserts before the elements that `before(value, element)` holds for; scans from the back, where
  // new elements belong. Returns the index taken.
  template <class Before>
  std::size_t insert_sorted(const T& value, Before before) {
    push_back(value);
    std::size_t i = size_ - 1;
    for (; i > 0 && before(value, (*this)[i - 1]); --i) (*this)[i] = (*this)[i - 1];
    (*this)[i] = value;
    return i;
  }

 private:
  static_assert((in_place & (in_place - 1)) == 0, "a power of two");

  bool on_heap() const { return in_place == 0 || capacity_ > in_place; }
  T* slots() { return on_heap() ? heap_.get() : room_.data(); }
  const T* slots() const { return on_heap() ? heap_.get() : room_.data(); }
  void grow() {
    const std::size_t capacity = capacity_ == 0 ? 8 : std::size_t{capacity_} * 2;
    auto larger = std::make_unique<T[]>(capacity);
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move((*this)[i]);
    heap_ = std::move(larger);
    capacity_ = static_cast<std::uint32_t>(capacity);
    head_ = 0;
  }

  std::unique_ptr<T[]> heap_;
  std::uint32_t capacity_ = in_place;
  std::uint32_t head_ = 0;
  std::uint32_t size_ = 0;
  std::array<T, in_place> room_;  // used until there are more
};

}  // namespace kernbench
