// A growing FIFO in one contiguous block, for queues on the hot path.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace kernbench {

template <class T>
class RingBuffer {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return slots_[(head_ + i) & (capacity_ - 1)]; }
  const T& operator[](std::size_t i) const { return slots_[(head_ + i) & (capacity_ - 1)]; }
  T& front() { return slots_[head_]; }
  const T& front() const { return slots_[head_]; }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }

  void push_back(const T& value) {
    if (size_ == capacity_) grow();
    slots_[(head_ + size_) & (capacity_ - 1)] = value;
    ++size_;
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
  void grow() {
    const std::size_t capacity = capacity_ == 0 ? 8 : capacity_ * 2;
    auto slots = std::make_unique<T[]>(capacity);
    for (std::size_t i = 0; i < size_; ++i) slots[i] = std::move((*this)[i]);
    slots_ = std::move(slots);
    capacity_ = capacity;
    head_ = 0;
  }

  std::unique_ptr<T[]> slots_;
  std::size_t capacity_ = 0;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

}  // namespace kernbench
