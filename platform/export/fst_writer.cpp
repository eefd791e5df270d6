// FST, the compressed binary format of GTKWave, written by its library fstapi, whose sources are in
// Debian's package verilator.
#include <fmt/format.h>
#include <fstapi.h>

#include <array>
#include <cstdlib>
#include <fstream>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/export/wave_writer.h"

namespace kernbench {
namespace {

// Changes between two blocks of the file. Bounds the memory of the library, about 14 bytes per
// change; its own bound is 128 MiB.
constexpr std::uint64_t changes_per_block = 1'000'000;

using Kind = WaveVariable::Kind;

constexpr fstVarType types[] = {FST_VT_VCD_WIRE, FST_VT_VCD_REAL, FST_VT_GEN_STRING,
                                FST_VT_VCD_EVENT};  // by Kind

// True if the file consists of whole blocks: a tag, the length of the rest, big-endian. The library
// reports no failed write.
bool consists_of_blocks(const std::string& path) {
  constexpr unsigned unfinished = FST_BL_SKIP;
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  const auto size = static_cast<std::uint64_t>(in.tellg());
  std::uint64_t at = 0;
  while (in && at < size) {
    std::array<unsigned char, 9> head{};
    in.seekg(static_cast<std::streamoff>(at));
    if (!in.read(reinterpret_cast<char*>(head.data()), head.size())) return false;
    std::uint64_t length = 0;
    for (std::size_t i = 1; i < head.size(); ++i) length = length << 8U | head[i];
    if (head[0] == unfinished || length == 0 || length >= size) return false;
    at += 1 + length;
  }
  return in && at == size && size > 0;
}

class FstWriter final : public WaveWriter {
 public:
  explicit FstWriter(const std::string& path)
      : path_(path), file_(fstWriterCreate(path.c_str(), /*use_compressed_hier=*/1)) {
    if (file_ == nullptr)
      throw Error(fmt::format(
          "cannot write the trace file {}: no room for it, its .hier next to it, or the temporary "
          "files of the FST library",
          quote(path)));
    fstWriterSetDate(file_, "Sat Jan  1 00:00:00 2000");
    fstWriterSetVersion(file_, "KernBench");
    fstWriterSetTimescale(file_, -15);
    fstWriterSetPackType(file_, FST_WR_PT_LZ4);
  }
  ~FstWriter() override {
    if (file_ != nullptr) fstWriterClose(file_);
  }
  FstWriter(const FstWriter&) = delete;
  FstWriter& operator=(const FstWriter&) = delete;

  void time(Fs t) override {
    fstWriterEmitTimeChange(file_, t);
    started_ = true;
  }

  void value(std::size_t variable, std::uint64_t bits) override {
    fstWriterEmitValueChange64(file_, handles_[variable], variables()[variable].width, bits);
    count();
  }

  void value(std::size_t variable, std::string_view text) override {
    const auto [kind, width] = variables()[variable];
    const fstHandle handle = handles_[variable];
    const std::string written = kind == Kind::text ? without_blanks(text) : std::string(text);
    if (kind == Kind::text) {
      fstWriterEmitVariableLengthValueChange(file_, handle, written.data(),
                                             static_cast<std::uint32_t>(written.size()));
    } else if (kind == Kind::real) {
      const double number = std::strtod(written.c_str(), nullptr);
      fstWriterEmitValueChange(file_, handle, &number);
    } else {
      fstWriterEmitValueChange(file_, handle,
                               kind == Kind::event ? "1" : padded(written, width).c_str());
    }
    count();
  }

  // The format has no comments between changes.
  void comment(std::string_view /*text*/) override {}

  void close() override {
    if (file_ == nullptr) return;
    if (!started_) put_nothing();
    const bool sought = fstWriterGetFseekFailed(file_) == 0;
    fstWriterClose(file_);
    file_ = nullptr;
    if (!sought || (changes_ > 0 && !consists_of_blocks(path_)))
      throw Error(
          fmt::format("the trace file {} is not complete: a write to it has failed", quote(path_)));
  }

 private:
  void enter(const std::string& scope) override {
    fstWriterSetScope(file_, FST_ST_VCD_MODULE, scope.c_str(), nullptr);
  }
  void leave() override { fstWriterSetUpscope(file_); }
  void declare(const WaveVariable& variable) override {
    std::string name = without_blanks(variable.name);
    if (const std::string range = range_of(variable); !range.empty()) name += " " + range;
    handles_.push_back(fstWriterCreateVar(file_, types[static_cast<std::size_t>(variable.kind)],
                                          FST_VD_IMPLICIT, variable.width, name.c_str(), 0));
  }
  // A file without a change would be unreadable.
  void put_nothing() {
    time(0);
    for (std::size_t i = 0; i < variables().size(); ++i) {
      if (variables()[i].kind != Kind::event) unknown(i);
    }
  }
  // A vector may be written without its leading zeros.
  static std::string padded(const std::string& bits, unsigned width) {
    return bits.size() < width
               ? std::string(width - bits.size(), bits[0] == '1' ? '0' : bits[0]) + bits
               : bits;
  }
  void count() {
    if (++changes_ % changes_per_block == 0) fstWriterFlushContext(file_);
  }

  std::string path_;
  void* file_;
  std::vector<fstHandle> handles_;
  std::uint64_t changes_ = 0;
  bool started_ = false;
};

}  // namespace

void check_fst_is_available() {}

std::unique_ptr<WaveWriter> make_fst_writer(const std::string& path) {
  return std::make_unique<FstWriter>(path);
}

}  // namespace kernbench
