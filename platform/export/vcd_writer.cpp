#include "platform/export/vcd_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

// Printable characters ! to ~ as digits, least significant first.
std::string identifier(std::size_t index) {
  constexpr std::size_t base = '~' - '!' + 1;
  std::string id;
  do {
    id += static_cast<char>('!' + index % base);
    index /= base;
  } while (index > 0);
  return id;
}

const char* type_of(WaveVariable::Kind kind) {
  switch (kind) {
    case WaveVariable::Kind::bits:
      return "wire";
    case WaveVariable::Kind::real:
      return "real";
    case WaveVariable::Kind::text:
      return "string";
    case WaveVariable::Kind::event:
      return "event";
  }
  return "wire";
}

}  // namespace

VcdWriter::VcdWriter(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {
  if (file_ == nullptr)
    throw UsageError(
        fmt::format("cannot write the trace file {}: {}", quote(path), std::strerror(errno)));
  std::setvbuf(file_, nullptr, _IONBF, 0);  // the buffer is ours
  buffer_.reserve(buffer_bytes + 4096);
}

VcdWriter::~VcdWriter() {
  try {
    close();
  } catch (const Error&) {  // close() was the caller's chance to know
  }
}

void VcdWriter::header(const std::vector<WaveVariable>& variables) {
  put("$date\n  Sat Jan  1 00:00:00 2000\n$end\n$version\n  KernBench\n$end\n$timescale\n  1 "
      "fs\n$end\n");
  nest_scopes(
      variables,
      [this](const std::string& part) { put(fmt::format("$scope module {} $end\n", part)); },
      [this] { put("$upscope $end\n"); },
      [this](const WaveVariable& variable) { declare(variable); });
  put("$enddefinitions $end\n");
}

void VcdWriter::declare(const WaveVariable& variable) {
  Variable entry{identifier(variables_.size()), variable.kind,
                 variable.kind == WaveVariable::Kind::real ? 64U : variable.width};
  const std::string range = range_of(variable);
  put(fmt::format("$var {} {} {} {}{}{} $end\n", type_of(entry.kind), entry.width, entry.id,
                  without_blanks(variable.name), range.empty() ? "" : " ", range));
  variables_.push_back(std::move(entry));
}

void VcdWriter::begin_dump() { put("$dumpvars\n"); }

void VcdWriter::end_dump() { put("$end\n"); }

void VcdWriter::time(Fs t) {
  char text[24];
  text[0] = '#';
  char* end = std::to_chars(text + 1, text + sizeof text, t).ptr;
  *end++ = '\n';
  put({text, static_cast<std::size_t>(end - text)});
}

void VcdWriter::value(std::size_t variable, std::uint64_t bits) {
  const Variable& to = variables_[variable];
  char text[96];  // b, 64 digits, a blank, the identifier, the end of the line
  char* end = text;
  if (to.width == 1) {
    *end++ = (bits & 1U) != 0 ? '1' : '0';
  } else {
    if (to.width < 64) bits &= (std::uint64_t{1} << to.width) - 1;
    *end++ = 'b';
    end = std::to_chars(end, text + sizeof text, bits, 2).ptr;
    *end++ = ' ';
  }
  end = std::copy(to.id.begin(), to.id.end(), end);
  *end++ = '\n';
  put({text, static_cast<std::size_t>(end - text)});
}

void VcdWriter::value(std::size_t variable, std::string_view text) {
  const Variable& to = variables_[variable];
  switch (to.kind) {
    case WaveVariable::Kind::bits:
      if (to.width > 1) put("b");
      put(text);
      if (to.width > 1) put(" ");
      break;
    case WaveVariable::Kind::real:
      put("r");
      put(text);
      put(" ");
      break;
    case WaveVariable::Kind::text:
      put("s");
      put(without_blanks(text));
      put(" ");
      break;
    case WaveVariable::Kind::event:
      put("1");
      break;
  }
  put(to.id);
  put("\n");
}

void VcdWriter::unknown(std::size_t variable) {
  value(variable, variables_[variable].kind == WaveVariable::Kind::real ? "nan" : "x");
}

void VcdWriter::comment(std::string_view text) {
  put("$comment\n  ");
  std::string line(text);
  for (std::size_t at = 0; (at = line.find("$end", at)) != std::string::npos;) line.erase(at, 1);
  put(line);
  put("\n$end\n");
}

void VcdWriter::put(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= buffer_bytes) flush();
}

void VcdWriter::flush() {
  if (error_ == 0 && std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size())
    error_ = errno;
  buffer_.clear();
}

void VcdWriter::close() {
  if (file_ == nullptr) return;
  flush();
  if (std::fclose(file_) != 0 && error_ == 0) error_ = errno;
  file_ = nullptr;
  if (error_ != 0)
    throw Error(
        fmt::format("the trace file {} is not complete: {}", quote(path_), std::strerror(error_)));
}

}  // namespace kernbench
