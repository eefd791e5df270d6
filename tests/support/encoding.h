// Values as bytes, from a forked child to its parent: trivially copyable types, strings, pairs,
// vectors and maps of such.
#pragma once

#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kernbench::test {

template <class T>
struct Encoding {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>,
                "no encoding for this type");
  static void put(std::string& bytes, const T& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  static T take(std::string_view& rest) {
    if (rest.size() < sizeof(T)) throw std::runtime_error("the child's value is cut short");
    T value;
    std::memcpy(&value, rest.data(), sizeof value);
    rest.remove_prefix(sizeof value);
    return value;
  }
};

template <class T>
void encode(std::string& bytes, const T& value) {
  Encoding<T>::put(bytes, value);
}

template <class T>
T decode(std::string_view& rest) {
  return Encoding<T>::take(rest);
}

template <>
struct Encoding<std::string> {
  static void put(std::string& bytes, const std::string& value) {
    encode(bytes, value.size());
    bytes += value;
  }
  static std::string take(std::string_view& rest) {
    const auto size = decode<std::size_t>(rest);
    if (rest.size() < size) throw std::runtime_error("the child's value is cut short");
    std::string value(rest.substr(0, size));
    rest.remove_prefix(size);
    return value;
  }
};

template <class A, class B>
struct Encoding<std::pair<A, B>> {
  static void put(std::string& bytes, const std::pair<A, B>& value) {
    encode(bytes, value.first);
    encode(bytes, value.second);
  }
  static std::pair<A, B> take(std::string_view& rest) {
    A first = decode<A>(rest);
    return {std::move(first), decode<B>(rest)};
  }
};

template <class T>
struct Encoding<std::vector<T>> {
  static void put(std::string& bytes, const std::vector<T>& value) {
    encode(bytes, value.size());
    for (const T& element : value) encode(bytes, element);
  }
  static std::vector<T> take(std::string_view& rest) {
    std::vector<T> value;
    for (auto size = decode<std::size_t>(rest); size > 0; --size) value.push_back(decode<T>(rest));
    return value;
  }
};

template <class K, class V>
struct Encoding<std::map<K, V>> {
  static void put(std::string& bytes, const std::map<K, V>& value) {
    encode(bytes, std::vector<std::pair<K, V>>(value.begin(), value.end()));
  }
  static std::map<K, V> take(std::string_view& rest) {
    const auto entries = decode<std::vector<std::pair<K, V>>>(rest);
    return {entries.begin(), entries.end()};
  }
};

}  // namespace kernbench::test
