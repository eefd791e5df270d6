// Views of a waveform: the variables in groups, one per component, ordered along the data path, and
// the view files for GTKWave and Surfer next to the waveform.
#pragma once

#include <string>
#include <vector>

#include "platform/export/wave_writer.h"

namespace kernbench {

struct WaveGroup {
  std::string scope;
  std::vector<WaveItem> items;  // in file order
  bool open = false;            // has changes and is among the first screens
};

// Display of GTKWave and Surfer, zoomed to the whole file.
struct WaveView {
  std::string gtkw;                  // the save file
  std::vector<WaveGroup> groups;     // for surfer_text()
  std::vector<std::string> missing;  // signals of a preset missing in the waveform
};

// Groups of each scope: the data path first, then its control: pcie_ep and io_noc, then io_cpu; PEs
// from pe_dma to pe_ipcq, then pe_cpu, pe_scheduler and pe_mmu; routers, memories and UCIe, then
// m_cpu. Numbers sort by value; clock and reset precede the other signals of a group. A file of
// thousands of variables keeps only groups with changes.
std::vector<WaveGroup> wave_layout(const std::vector<WaveItem>& items);

// "wave.gtkw" next to "wave.vcd" or "wave.fst", "wave.sucl".
std::string gtkw_path(const std::string& trace);
std::string surfer_path(const std::string& trace);

// Groups, colours and radix by the type of a signal, no markers, zoomed to the whole file. For
// `gtkwave F.vcd F.gtkw`, or `gtkwave F.gtkw`.
std::string gtkw_text(const std::string& trace, const std::vector<WaveGroup>& groups, Fs begin,
                      Fs end);
// Lines that name the files and zoom to the whole waveform.
std::string gtkw_file_lines(const std::string& trace, Fs begin, Fs end);
// Open groups under dividers. For `surfer F.vcd --command-file F.sucl`.
std::string surfer_text(const std::string& trace, const std::vector<WaveGroup>& groups);

}  // namespace kernbench
