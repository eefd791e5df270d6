// VCD text: header, scopes, identifiers, value changes, behind one large buffer.
//
// Enumerations are `$var string` with changes `sLABEL id`: an extension that GTKWave, Surfer,
// vcd2fst and fst2vcd read.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/export/wave_writer.h"

namespace kernbench {
namespace {

using Kind = WaveVariable::Kind;

// Names of types, and prefixes of changes, by Kind.
constexpr const char* type_names[] = {"wire", "real", "string", "event"};
constexpr std::string_view change_marks[] = {"b", "r", "s", ""};

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

class VcdWriter final : public WaveWriter {
 public:
  explicit VcdWriter(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {
    if (file_ == nullptr)
      throw UsageError(
          fmt::format("cannot write the trace file {}: {}", quote(path), std::strerror(errno)));
    std::setvbuf(file_, nullptr, _IONBF, 0);  // this class buffers
    buffer_.reserve(buffer_bytes + 4096);
    put("$date\n  Sat Jan  1 00:00:00 2000\n$end\n$version\n  KernBench\n$end\n$timescale\n  1 "
        "fs\n$end\n");
  }
  ~VcdWriter() override {
    try {
      close();
    } catch (const Error&) {  // close() would have reported it
    }
  }
  VcdWriter(const VcdWriter&) = delete;
  VcdWriter& operator=(const VcdWriter&) = delete;

  void begin_dump() override { put("$dumpvars\n"); }
  void end_dump() override { put("$end\n"); }

  void time(Fs t) override {
    char text[24] = "#";
    char* end = std::to_chars(text + 1, text + sizeof text, t).ptr;
    *end++ = '\n';
    put({text, static_cast<std::size_t>(end - text)});
  }

  void value(std::size_t variable, std::uint64_t bits) override {
    const unsigned width = variables()[variable].width;
    char text[96];  // b, 64 digits, a blank, the identifier, the end of the line
    char* end = text;
    if (width == 1) {
      *end++ = (bits & 1U) != 0 ? '1' : '0';
    } else {
      if (width < 64) bits &= (std::uint64_t{1} << width) - 1;
      *end++ = 'b';
      end = std::to_chars(end, text + sizeof text, bits, 2).ptr;
      *end++ = ' ';
    }
    const std::string& id = ids_[variable];
    end = std::copy(id.begin(), id.end(), end);
    *end++ = '\n';
    put({text, static_cast<std::size_t>(end - text)});
  }

  void value(std::size_t variable, std::string_view text) override {
    const auto [kind, width] = variables()[variable];
    const bool short_form = kind == Kind::event || (kind == Kind::bits && width == 1);
    if (!short_form) put(change_marks[static_cast<std::size_t>(kind)]);
    put(kind == Kind::text ? without_blanks(text) : kind == Kind::event ? "1" : std::string(text));
    if (!short_form) put(" ");
    put(ids_[variable]);
    put("\n");
  }

  void comment(std::string_view text) override {
    std::string line(text);
    for (std::size_t at = 0; (at = line.find("$end", at)) != std::string::npos;) line.erase(at, 1);
    put(fmt::format("$comment\n  {}\n$end\n", line));
  }

  void close() override {
    if (file_ == nullptr) return;
    flush();
    if (std::fclose(file_) != 0 && error_ == 0) error_ = errno;
    file_ = nullptr;
    if (error_ != 0)
      throw Error(fmt::format("the trace file {} is not complete: {}", quote(path_),
                              std::strerror(error_)));
  }

 private:
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

  void enter(const std::string& scope) override {
    put(fmt::format("$scope module {} $end\n", scope));
  }
  void leave() override { put("$upscope $end\n"); }
  void declare(const WaveVariable& variable) override {
    const std::string range = range_of(variable);
    ids_.push_back(identifier(ids_.size()));
    put(fmt::format("$var {} {} {} {}{}{} $end\n",
                    type_names[static_cast<std::size_t>(variable.kind)],
                    variable.kind == Kind::real ? 64U : variable.width, ids_.back(),
                    without_blanks(variable.name), range.empty() ? "" : " ", range));
  }
  void end_header() override { put("$enddefinitions $end\n"); }

  void put(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= buffer_bytes) flush();
  }
  void flush() {
    if (error_ == 0 && std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size())
      error_ = errno;
    buffer_.clear();
  }

  std::string path_;
  std::FILE* file_;
  std::string buffer_;
  std::vector<std::string> ids_;
  int error_ = 0;  // errno of the first write that failed
};

}  // namespace

std::unique_ptr<WaveWriter> make_vcd_writer(const std::string& path) {
  return std::make_unique<VcdWriter>(path);
}

}  // namespace kernbench
