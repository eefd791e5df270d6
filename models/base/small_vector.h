// Vectors that keep few elements in place, and maps that are sorted vectors: Boost's, without the
// warnings that GCC 12 issues wrongly where a small vector of plain data is moved.
#pragma once

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Warray-bounds"
#pragma GCC diagnostic ignored "-Wstringop-overread"
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#include <boost/container/flat_map.hpp>
#include <boost/container/small_vector.hpp>
#include <boost/container/static_vector.hpp>
#pragma GCC diagnostic pop
#include <cstddef>

namespace kernbench {

template <class T, std::size_t count>
using SmallVector = boost::container::small_vector<T, count>;
template <class T, std::size_t capacity>
using StaticVector = boost::container::static_vector<T, capacity>;
template <class Key, class T>
using FlatMap = boost::container::flat_map<Key, T>;
// `count` entries have room in the object.
template <class Key, class T, std::size_t count>
using SmallFlatMap = boost::container::small_flat_map<Key, T, count>;

}  // namespace kernbench
