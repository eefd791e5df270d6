// Views of a waveform: the variables in groups, one per component, in an order that follows the
// data path; and the files next to the waveform by which GTKWave and Surfer show it so.
#pragma once

#include <string>
#include <vector>

#include "platform/export/wave_writer.h"

namespace kernbench {

struct WaveGroup {
  std::string scope;
  std::vector<WaveItem> items;  // as in the file
  bool open = false;            // something changes, and it is among the first screens
};

// What GTKWave and Surfer show, zoomed to the whole file.
struct WaveView {
  std::string gtkw;                  // the save file
  std::vector<WaveGroup> groups;     // for surfer_text()
  std::vector<std::string> missing;  // signals of a preset that the waveform does not have
};

// In each scope the data path first, then what controls it: pcie_ep and io_noc, then io_cpu; PEs
// from pe_dma to pe_ipcq, then pe_cpu, pe_scheduler and pe_mmu; routers, memories and UCIe, then
// m_cpu. Numbers by value; clock and reset before the other signals of a group. Of a file of
// thousands of variables only groups in which something changes.
std::vector<WaveGroup> wave_layout(const std::vector<WaveItem>& items);

// "wave.gtkw" next to "wave.vcd" or "wave.fst", "wave.sucl".
std::string gtkw_path(const std::string& trace);
std::string surfer_path(const std::string& trace);

// Groups, colours and radix by the type of a signal, no markers, zoomed to the whole file. For
// `gtkwave F.vcd F.gtkw`, or `gtkwave F.gtkw`.
std::string gtkw_text(const std::string& trace, const std::vector<WaveGroup>& groups, Fs begin,
                      Fs end);
// The lines that name the files and zoom to the whole of the waveform.
std::string gtkw_file_lines(const std::string& trace, Fs begin, Fs end);
// The open groups, which dividers head. For `surfer F.vcd --command-file F.sucl`.
std::string surfer_text(const std::string& trace, const std::vector<WaveGroup>& groups);

}  // namespace kernbench
