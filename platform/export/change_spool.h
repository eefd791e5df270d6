// Spool of waveform changes until the header is known: variables may still be added, or turn out
// never to change. Compact records are kept in memory, beyond a mebibyte in a temporary file
// without a name.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "models/base/units.h"

namespace kernbench {

class ChangeSpool {
 public:
  // Creates the temporary file in the folder of the file `next_to`, or, where that is impossible,
  // in the system's folder for temporary files.
  explicit ChangeSpool(std::string next_to);
  ~ChangeSpool();
  ChangeSpool(const ChangeSpool&) = delete;
  ChangeSpool& operator=(const ChangeSpool&) = delete;

  void time(Fs t) {  // ascending, the first one from 0
    put(Tag::time, 0, t - time_);
    time_ = t;
  }
  void bits(std::uint32_t variable, std::uint64_t value) { put(Tag::bits, variable, value); }
  void unknown(std::uint32_t variable) { put(Tag::unknown, variable, 0); }
  void text(std::uint32_t variable, std::string_view value) { put(Tag::text, variable, value); }
  void comment(std::string_view value) { put(Tag::comment, 0, value); }

  enum class Tag : std::uint8_t { time, bits, unknown, text, comment };
  struct Record {
    Tag tag = Tag::time;
    std::uint32_t variable = 0;
    std::uint64_t number = 0;  // time or bits
    std::string text;
  };
  // Reads the records from the first one on; no writes follow. Returns false at the end.
  bool next(Record& record);

  // errno of the first failed access to the temporary file; 0: none failed.
  int error() const { return error_; }

 private:
  // 7 bits per byte, lowest first.
  static char* put_number(char* end, std::uint64_t number) {
    for (; number >= 0x80; number >>= 7U) *end++ = static_cast<char>(0x80 | (number & 0x7fU));
    *end++ = static_cast<char>(number);
    return end;
  }
  void put(Tag tag, std::uint64_t variable, std::uint64_t number) {
    char record[20];
    char* end = put_number(record, variable << 3U | static_cast<std::uint64_t>(tag));
    end = put_number(end, number);
    buffer_.append(record, static_cast<std::size_t>(end - record));
    if (buffer_.size() >= buffer_bytes) flush();
  }
  void put(Tag tag, std::uint64_t variable, std::string_view value) {
    put(tag, variable, value.size());
    buffer_ += value;
  }
  void flush();
  void rewind();
  bool refill();  // false: the end
  int byte() {    // -1: the end
    return at_ == buffer_.size() && !refill() ? -1 : static_cast<unsigned char>(buffer_[at_++]);
  }
  std::uint64_t number();

  static constexpr std::size_t buffer_bytes = std::size_t{1} << 20U;

  std::string next_to_;
  std::string buffer_;  // records not yet in the file; when reading, the last block read
  std::FILE* file_ = nullptr;
  std::size_t at_ = 0;  // position in buffer_ when reading
  Fs time_ = 0;
  bool reading_ = false;
  int error_ = 0;
};

}  // namespace kernbench
