// FST files, read back by the library of GTKWave.
#include <fstapi.h>
#include <sys/resource.h>

#include <csignal>

#include "models/base/errors.h"
#include "platform/export/wave_writer.h"
#include "tests/export/traced_run.h"
#include "tests/support/forked.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(fst_writer_test)

namespace {

constexpr Fs ns = fs_per_ns;

// As VCD text.
std::string read_fst(const std::string& path) {
  const TemporaryFile vcd("read.vcd");
  void* reader = fstReaderOpen(path.c_str());
  BOOST_TEST_REQUIRE(reader != nullptr);
  std::FILE* out = std::fopen(vcd.path().c_str(), "wb");
  fstReaderSetVcdExtensions(reader, 1);
  fstReaderProcessHier(reader, out);
  fstReaderSetFacProcessMaskAll(reader);
  fstReaderIterBlocks(reader, nullptr, nullptr, out);
  std::fclose(out);
  fstReaderClose(reader);
  return vcd.text();
}

std::string without_leading_zeros(const std::string& value) {
  const std::size_t first = value.find_first_not_of('0');
  return first == std::string::npos ? "0" : value.substr(first);
}

// Values at each instant of either.
void check_equal(const Vcd& a, const Vcd& b) {
  BOOST_TEST(a.date == b.date);
  BOOST_TEST(a.first == b.first);
  BOOST_TEST(a.last == b.last);
  BOOST_TEST(a.variables.size() == b.variables.size());
  for (const auto& [name, variable] : a.variables) {
    for (const auto& [when, value] : variable.changes)
      BOOST_TEST(without_leading_zeros(b.at(name, when)) == without_leading_zeros(value),
                 name << " at " << when << ": " << b.at(name, when) << " and " << value);
  }
}

Vcd traced_fst(TraceSettings settings) {
  const TemporaryFile fst("w.fst");
  const std::string bytes = forked_value([&] { return traced_run("w.fst", settings); });
  BOOST_TEST(bytes == forked_value([&] { return traced_run("w.fst", settings); }));
  std::FILE* out = std::fopen(fst.path().c_str(), "wb");
  std::fwrite(bytes.data(), 1, bytes.size(), out);
  std::fclose(out);
  return read_vcd(read_fst(fst.path()));
}

}  // namespace

// The same as the VCD, and the same bytes from run to run.
BOOST_AUTO_TEST_CASE(a_waveform_in_fst_is_the_one_in_vcd) {
  for (const TraceSettings settings :
       {TraceSettings{}, TraceSettings{6 * ns, 8 * ns, false}, TraceSettings{0, never_fs, true}}) {
    const Vcd fst = traced_fst(settings);
    const Vcd vcd = read_vcd(forked_value([&] { return traced_run("w.vcd", settings); }));
    check_equal(vcd, fst);
    check_equal(fst, vcd);
  }
}

BOOST_AUTO_TEST_CASE(a_waveform_without_values_can_be_read) {
  const Vcd fst = traced_fst({20 * ns, 30 * ns, false});
  BOOST_TEST(fst.variables.size() == 9U);
  BOOST_TEST(fst.at("sip0.pe0.pe_dma.stage", 0) == "x");
  BOOST_TEST(fst.last == 0U);
}

// Kinds and values that signals do not have: reals, events, x and z, unknown values, comments.
BOOST_AUTO_TEST_CASE(all_kinds_of_variables_are_in_the_file) {
  using Kind = WaveVariable::Kind;
  const TemporaryFile file("k.fst");
  const auto writer = make_fst_writer(file.path());
  writer->header({{"top", "rate", Kind::real, 64, SignalType::count},
                  {"top", "done", Kind::event, 1, SignalType::flag},
                  {"top", "lanes", Kind::bits, 4, SignalType::count},
                  {"top.in", "stage", Kind::text, 1, SignalType::enumeration}});
  writer->time(0);
  writer->begin_dump();
  writer->value(0, "0.5");
  writer->value(2, "1XZ");
  writer->unknown(3);
  writer->end_dump();
  writer->time(7);
  writer->value(1, "1");
  writer->value(2, std::uint64_t{5});
  writer->value(3, "DMA READ");
  writer->comment("said");
  writer->time(9);
  writer->unknown(0);
  writer->unknown(2);
  writer->time(12);
  writer->close();
  const Vcd vcd = read_vcd(read_fst(file.path()));
  BOOST_TEST(vcd.at("top.rate", 0) == "0.5");
  BOOST_TEST(vcd.at("top.done", 7) == "1");
  BOOST_TEST(vcd.at("top.lanes", 7) == "0101");
  BOOST_TEST(vcd.at("top.lanes", 9) == "xxxx");
  BOOST_TEST(vcd.at("top.in.stage", 0) == "x");
  BOOST_TEST(vcd.at("top.in.stage", 7) == "DMA_READ");
  BOOST_TEST(vcd.last == 12U);
}

// The library itself tells of no write that fails.
BOOST_AUTO_TEST_CASE(an_incomplete_file_is_reported) {
  forked([] {
    const TemporaryFile file("short.fst");
    const auto writer = make_fst_writer(file.path());
    std::vector<WaveVariable> variables;
    for (int i = 0; i < 2000; ++i)
      variables.push_back(
          {"top", "v" + std::to_string(i) + std::string(static_cast<std::size_t>(i % 97), 'a'),
           WaveVariable::Kind::bits, 64, SignalType::count});
    writer->header(variables);
    writer->time(0);
    writer->begin_dump();
    writer->end_dump();
    for (Fs t = 1; t < 3000; ++t) {
      writer->time(t);
      writer->value(t % 2000, t * 0x9E3779B97F4A7C15U);
    }
    std::signal(SIGXFSZ, SIG_IGN);
    const ::rlimit limit{20'000, 20'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    BOOST_CHECK_EXCEPTION(writer->close(), Error, [](const auto& error) {
      return std::string(error.what()).find("short.fst' is not complete") != std::string::npos;
    });
  });
}

BOOST_AUTO_TEST_SUITE_END()
