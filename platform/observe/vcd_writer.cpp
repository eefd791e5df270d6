#include "platform/observe/vcd_writer.h"

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

std::vector<std::string_view> parts_of(std::string_view dotted) {
  std::vector<std::string_view> parts;
  while (!dotted.empty()) {
    const std::size_t dot = dotted.find('.');
    parts.push_back(dotted.substr(0, dot));
    dotted = dot == std::string_view::npos ? std::string_view() : dotted.substr(dot + 1);
  }
  return parts;
}

const char* type_of(VcdVariable::Kind kind) {
  switch (kind) {
    case VcdVariable::Kind::bits:
      return "link";
    case VcdVariable::Kind::real:
      return "real";
    case VcdVariable::Kind::text:
      return "string";
    case VcdVariable::Kind::event:
      return "event";
  }
  return "link";
}

// Blanks end a token in VCD.
std::string without_blanks(std::string_view text) {
  std::string token(text);
  std::replace_if(
      token.begin(), token.end(), [](unsigned char c) { return c <= ' ' || c == 0x7f; }, '_');
  return token;
}

}  // namespace

bool scope_order(std::string_view a, std::string_view b) {
  const auto rank = [](char c) {
    return c == '.' ? 0 : static_cast<unsigned char>(c);
  };  // a shorter part comes first
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [&](char x, char y) { return rank(x) < rank(y); });
}

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

void VcdWriter::header(const std::vector<VcdVariable>& variables) {
  put("$date\n  Sat Jan  1 00:00:00 2000\n$end\n$version\n  KernBench\n$end\n$timescale\n  1 "
      "fs\n$end\n");
  std::vector<std::string_view> open;
  for (const VcdVariable& variable : variables) {
    const auto scope = parts_of(variable.scope);
    std::size_t common = 0;
    while (common < open.size() && common < scope.size() && open[common] == scope[common]) ++common;
    for (std::size_t i = open.size(); i > common; --i) put("$upscope $end\n");
    for (std::size_t i = common; i < scope.size(); ++i)
      put(fmt::format("$scope module {} $end\n", without_blanks(scope[i])));
    open = scope;

    Variable entry{identifier(variables_.size()), variable.kind,
                   variable.kind == VcdVariable::Kind::real ? 64U : variable.width};
    put(fmt::format("$var {} {} {} {}", type_of(entry.kind), entry.width, entry.id,
                    without_blanks(variable.name)));
    if (entry.kind == VcdVariable::Kind::bits && entry.width > 1)
      put(fmt::format(" [{}:0]", entry.width - 1));
    put(" $end\n");
    variables_.push_back(std::move(entry));
  }
  for (std::size_t i = open.size(); i > 0; --i) put("$upscope $end\n");
  put("$enddefinitions $end\n");
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
  if (to.width == 1) {
    put(bits & 1U ? "1" : "0");
  } else {
    if (to.width < 64) bits &= (std::uint64_t{1} << to.width) - 1;
    char text[66];
    text[0] = 'b';
    char* end = std::to_chars(text + 1, text + sizeof text, bits, 2).ptr;
    put({text, static_cast<std::size_t>(end - text)});
    put(" ");
  }
  put(to.id);
  put("\n");
}

void VcdWriter::value(std::size_t variable, std::string_view text) {
  const Variable& to = variables_[variable];
  switch (to.kind) {
    case VcdVariable::Kind::bits:
      if (to.width > 1) put("b");
      put(text);
      if (to.width > 1) put(" ");
      break;
    case VcdVariable::Kind::real:
      put("r");
      put(text);
      put(" ");
      break;
    case VcdVariable::Kind::text:
      put("s");
      put(without_blanks(text));
      put(" ");
      break;
    case VcdVariable::Kind::event:
      put("1");
      break;
  }
  put(to.id);
  put("\n");
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
