#include "platform/export/change_spool.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "platform/report/result_file.h"

namespace kernbench {
namespace {

int nameless_file(const std::string& folder) {
  const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) return file;
  std::string name = folder + "/.kernbench-trace-XXXXXX";  // a file system without O_TMPFILE
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

ChangeSpool::ChangeSpool(std::string beside) : beside_(std::move(beside)) {
  buffer_.reserve(buffer_bytes + 4096);
}

ChangeSpool::~ChangeSpool() {
  if (file_ >= 0) ::close(file_);
}

void ChangeSpool::time(Fs t) {
  put(Tag::time, 0, t - time_);
  time_ = t;
}

void ChangeSpool::text(std::uint32_t variable, std::string_view value) {
  put_text(Tag::text, variable, value);
}

void ChangeSpool::put_text(Tag tag, std::uint64_t variable, std::string_view value) {
  put(tag, variable, value.size());
  buffer_ += value;
}

void ChangeSpool::open_file() {
  const auto folder = std::filesystem::path(beside_).parent_path();
  if (!is_stream(beside_)) file_ = nameless_file(folder.empty() ? "." : folder.string());
  if (file_ < 0) {
    std::error_code ignored;
    file_ = nameless_file(std::filesystem::temp_directory_path(ignored).string());
  }
  if (file_ < 0) error_ = errno;
}

void ChangeSpool::flush() {
  if (file_ < 0 && error_ == 0) open_file();
  std::string_view rest = buffer_;
  while (error_ == 0 && !rest.empty()) {
    const ::ssize_t written = ::write(file_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      error_ = errno;
    } else {
      rest.remove_prefix(static_cast<std::size_t>(written));
      in_file_ += static_cast<std::uint64_t>(written);
    }
  }
  buffer_.clear();
}

bool ChangeSpool::next(Record& record) {
  if (!reading_) {
    reading_ = true;
    time_ = 0;
    last_ = std::exchange(buffer_, {});
  }
  if (byte() < 0) return false;
  --at_;
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

int ChangeSpool::byte() {
  if (at_ == buffer_.size()) refill();
  return at_ == buffer_.size() ? -1 : static_cast<unsigned char>(buffer_[at_++]);
}

std::uint64_t ChangeSpool::number() {
  if (at_ < buffer_.size() && (buffer_[at_] & 0x80) == 0)  // most are small
    return static_cast<unsigned char>(buffer_[at_++]);
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const int next = byte();
    if (next < 0) break;
    value |= (static_cast<std::uint64_t>(next) & 0x7fU) << shift;
    if ((next & 0x80) == 0) break;
  }
  return value;
}

void ChangeSpool::refill() {
  at_ = 0;
  buffer_.clear();
  if (read_ == in_file_) {  // then what never went into the file
    buffer_ = std::exchange(last_, {});
    return;
  }
  buffer_.resize(buffer_bytes);
  ::ssize_t got = 0;
  do {
    got = ::pread(file_, buffer_.data(), buffer_bytes, static_cast<::off_t>(read_));
  } while (got < 0 && errno == EINTR);
  if (got <= 0) {
    error_ = got < 0 ? errno : EIO;
    read_ = in_file_;
    last_.clear();
  }
  buffer_.resize(static_cast<std::size_t>(got > 0 ? got : 0));
  read_ += buffer_.size();
}

}  // namespace kernbench
