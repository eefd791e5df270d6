// Resets an object to its default state at its address, without a second one to copy from.
#pragma once

#include <memory>
#include <new>
#include <type_traits>

namespace kernbench {

template <class T>
void reset_in_place(T& object) {
  static_assert(std::is_nothrow_default_constructible_v<T>, "there would be no object left");
  std::destroy_at(&object);
  ::new (static_cast<void*>(&object)) T();
}

}  // namespace kernbench
