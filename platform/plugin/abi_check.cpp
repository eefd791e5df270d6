#include "platform/plugin/abi_check.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "models/base/abi_stamp.h"
#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench {
namespace {

// ELF machine and byte order of this program, which plug-ins must match.
#if defined(__x86_64__)
constexpr unsigned own_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned own_machine = EM_AARCH64;
#elif defined(__riscv)
constexpr unsigned own_machine = EM_RISCV;
#else
#error "the ELF machine of this processor is not known"
#endif
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
constexpr unsigned char own_byte_order = ELFDATA2LSB;
#else
constexpr unsigned char own_byte_order = ELFDATA2MSB;
#endif

class ElfFile {
 public:
  explicit ElfFile(const std::string& path) : path_(path) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) refuse("there is no such file");
    if (!fs::is_regular_file(status)) refuse("it is not a regular file");
    errno = 0;
    in_.open(path, std::ios::binary);
    if (!in_) refuse(fmt::format("it cannot be read: {}", std::strerror(errno)));
    size_ = fs::file_size(path, error);
    read_header();
  }

  std::optional<std::string> find_stamp() {
    for (unsigned i = 0; i < header_.e_phnum; ++i) {
      const auto segment = at<Elf64_Phdr>(header_.e_phoff + std::uint64_t{i} * header_.e_phentsize);
      if (segment.p_filesz > size_ || segment.p_offset > size_ - segment.p_filesz) cut_short();
      if (segment.p_type != PT_NOTE) continue;
      if (const auto stamp = stamp_in(bytes(segment.p_offset, segment.p_filesz), segment.p_align))
        return stamp;
    }
    return std::nullopt;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw UsageError(fmt::format("plug-in {}: {}", quote(path_), why));
  }
  [[noreturn]] void cut_short() const {
    refuse("the file is cut short: its segments lie beyond its end");
  }

  std::string bytes(std::uint64_t offset, std::uint64_t count) {
    if (count > size_ || offset > size_ - count) cut_short();
    std::string bytes(count, '\0');
    in_.seekg(static_cast<std::streamoff>(offset));
    in_.read(bytes.data(), static_cast<std::streamsize>(count));
    if (!in_) refuse("it cannot be read");
    return bytes;
  }
  template <class T>
  T at(std::uint64_t offset) {
    T value;
    std::memcpy(&value, bytes(offset, sizeof value).data(), sizeof value);
    return value;
  }

  void read_header() {
    if (size_ < EI_NIDENT || bytes(0, SELFMAG) != ELFMAG) refuse("it is not an ELF file");
    const std::string ident = bytes(0, EI_NIDENT);
    if (static_cast<unsigned char>(ident[EI_CLASS]) != ELFCLASS64 ||
        static_cast<unsigned char>(ident[EI_DATA]) != own_byte_order)
      refuse("it is for another kind of machine: expected 64 bits in this byte order");
    header_ = at<Elf64_Ehdr>(0);
    if (header_.e_machine != own_machine)
      refuse(fmt::format("it is for another machine: ELF machine {}, and this program is for {}",
                         header_.e_machine, own_machine));
    if (header_.e_type != ET_DYN) refuse("it is not a shared library");
    if (header_.e_phentsize < sizeof(Elf64_Phdr)) refuse("its ELF header is broken");
  }

  // Stamp among the notes of a segment: owner and text, each padded to the alignment.
  static std::optional<std::string> stamp_in(const std::string& notes, std::uint64_t alignment) {
    const std::uint64_t unit = alignment == 8 ? 8 : 4;
    const auto padded = [unit](std::uint64_t n) { return (n + unit - 1) / unit * unit; };
    for (std::uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= notes.size();) {
      Elf64_Nhdr note;
      std::memcpy(&note, notes.data() + at, sizeof note);
      const std::uint64_t owner = at + sizeof note;
      const std::uint64_t text = owner + padded(note.n_namesz);
      if (text + note.n_descsz > notes.size()) return std::nullopt;
      if (note.n_type == abi_note_type &&
          notes.compare(owner, note.n_namesz, abi_note_owner, std::strlen(abi_note_owner) + 1) == 0)
        return std::string(notes.substr(text, note.n_descsz).c_str());
      at = text + padded(note.n_descsz);
    }
    return std::nullopt;
  }

  const std::string& path_;
  std::ifstream in_;
  std::uint64_t size_ = 0;
  Elf64_Ehdr header_{};
};

}  // namespace

std::string stamp_in_file(const std::string& file) {
  if (const auto stamp = ElfFile(file).find_stamp()) return *stamp;
  throw UsageError(
      fmt::format("plug-in {}: it has no ABI stamp of KernBench, so it is not a plug-in; "
                  "KERNBENCH_PLUGIN(name, function) writes it (models/base/plugin.h)",
                  quote(file)));
}

namespace {

struct Field {
  std::string name, plugin, program;  // "-": the stamp has no such field
};

std::string& value_in(std::vector<Field>& fields, const std::string& name, std::string Field::*of) {
  const auto known = std::find_if(fields.begin(), fields.end(),
                                  [&](const Field& field) { return field.name == name; });
  if (known != fields.end()) return (*known).*of;
  fields.push_back({name, "-", "-"});
  return fields.back().*of;
}

// Lines of "name=value".
void read(const std::string& stamp, std::vector<Field>& fields, std::string Field::*into) {
  for (std::size_t begin = 0; begin < stamp.size();) {
    const std::size_t end = std::min(stamp.find('\n', begin), stamp.size());
    const std::string line = printable(stamp.substr(begin, end - begin));
    const std::size_t equals = std::min(line.find('='), line.size());
    value_in(fields, line.substr(0, equals), into) =
        equals < line.size() ? line.substr(equals + 1) : "";
    begin = end + 1;
  }
}

}  // namespace

std::string stamp_differences(const std::string& plugin, const std::string& program) {
  if (plugin == program) return "";
  std::vector<Field> fields;
  read(program, fields, &Field::program);
  read(plugin, fields, &Field::plugin);
  std::size_t names = 0, values = std::string("plug-in").size();
  for (const Field& field : fields) {
    names = std::max(names, field.name.size());
    values = std::max(values, field.plugin.size());
  }
  std::string table = fmt::format("  {:{}}  {:{}}  {}", "", names, "plug-in", values, "program");
  for (const Field& field : fields)
    table += fmt::format("\n  {:{}}  {:{}}  {}{}", field.name, names, field.plugin, values,
                         field.program, field.plugin == field.program ? "" : "  <- differs");
  return table;
}

}  // namespace kernbench
