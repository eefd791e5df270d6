#include "platform/export/change_spool.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "platform/output/result_file.h"

namespace kernbench {
namespace {

std::FILE* nameless_file(const std::filesystem::path& folder) {
  int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) {  // a file system without O_TMPFILE
    std::string name = folder / ".kernbench-trace-XXXXXX";
    file = ::mkostemp(name.data(), O_CLOEXEC);
    if (file >= 0) ::unlink(name.c_str());
  }
  return file < 0 ? nullptr : ::fdopen(file, "w+b");
}

std::FILE* nameless_file_next_to(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  std::FILE* file = is_stream(path) ? nullptr : nameless_file(folder.empty() ? "." : folder);
  std::error_code ignored;
  return file != nullptr ? file : nameless_file(std::filesystem::temp_directory_path(ignored));
}

}  // namespace

ChangeSpool::ChangeSpool(std::string next_to) : next_to_(std::move(next_to)) {
  buffer_.reserve(buffer_bytes + 4096);
}

ChangeSpool::~ChangeSpool() {
  if (file_ != nullptr) std::fclose(file_);
}

void ChangeSpool::flush() {
  if (file_ == nullptr && error_ == 0) {
    file_ = nameless_file_next_to(next_to_);
    if (file_ == nullptr) error_ = errno;
  }
  if (error_ == 0 && std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size())
    error_ = errno;
  buffer_.clear();
}

// If there is no file, all records are in the buffer.
void ChangeSpool::rewind() {
  reading_ = true;
  time_ = 0;
  if (file_ == nullptr) return;
  flush();
  if (error_ == 0 && std::fseek(file_, 0, SEEK_SET) != 0) error_ = errno;
}

bool ChangeSpool::refill() {
  at_ = 0;
  buffer_.resize(file_ == nullptr || error_ != 0 ? 0 : buffer_bytes);
  if (buffer_.empty()) return false;
  buffer_.resize(std::fread(buffer_.data(), 1, buffer_bytes, file_));
  if (std::ferror(file_) != 0) error_ = errno;
  return !buffer_.empty();
}

bool ChangeSpool::next(Record& record) {
  if (!reading_) rewind();
  if (at_ == buffer_.size() && !refill()) return false;
  const std::uint64_t head = number();
  record.tag = static_cast<Tag>(head & 7U);
  record.variable = static_cast<std::uint32_t>(head >> 3U);
  record.number = number();
  record.text.clear();
  if (record.tag == Tag::time) record.number = time_ += record.number;
  if (record.tag == Tag::text || record.tag == Tag::comment) {
    for (std::uint64_t left = record.number; left > 0; --left)
      record.text += static_cast<char>(byte());
  }
  return true;
}

std::uint64_t ChangeSpool::number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const int next = byte();
    if (next < 0) break;
    value |= (static_cast<std::uint64_t>(next) & 0x7fU) << shift;
    if ((next & 0x80) == 0) break;
  }
  return value;
}

}  // namespace kernbench
