// A plain, loosely-timed TLM-2.0 initiator: SystemC and TLM-2.0 only, up to the registration at the
// end.
//
// Behaviour: writes 16 blocks of 64 bytes to the HBM of cube 0 in sequence,
// reads each back and stops with an error if a byte is wrong.
#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <systemc>
#include <tlm>

#include "models/base/plugin.h"
#include "models/tlm/external_modules.h"

namespace {

class @Class@Model final : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(@Class@Model);
  explicit @Class@Model(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
    SC_THREAD(run);
  }

  tlm_utils::simple_initiator_socket<@Class@Model> socket;

 private:
  using Block = std::array<unsigned char, 64>;
  // Physical address: bit 37 selects the HBM of a cube, here of cube 0 of SIP 0; 3 GiB is in the
  // middle of the partition of PE 0, beyond the allocations of benches.
  static constexpr sc_dt::uint64 hbm_of_cube_0 = sc_dt::uint64{1} << 37;
  static constexpr sc_dt::uint64 start = hbm_of_cube_0 + (sc_dt::uint64{3} << 30);

  void run() {
    for (unsigned i = 0; i < 16; ++i) {
      Block block, back{};
      for (unsigned byte = 0; byte < block.size(); ++byte)
        block[byte] = static_cast<unsigned char>(i + byte);
      transport(tlm::TLM_WRITE_COMMAND, i, block);
      transport(tlm::TLM_READ_COMMAND, i, back);
      if (back != block) SC_REPORT_ERROR(name(), "data read differ from data written");
    }
  }

  void transport(tlm::tlm_command command, unsigned index, Block& block) {
    tlm::tlm_generic_payload access;
    access.set_command(command);
    access.set_address(start + index * block.size());
    access.set_data_ptr(block.data());
    access.set_data_length(block.size());
    access.set_streaming_width(block.size());
    sc_core::sc_time delay;
    socket->b_transport(access, delay);
    wait(delay);
    if (access.is_response_error()) SC_REPORT_ERROR(name(), access.get_response_string().c_str());
  }
};

void add_all(kernbench::PluginRegistries& to) {
  to.modules.add_initiator("custom.@name@", &@Class@Model::socket);
}

}  // namespace

KERNBENCH_PLUGIN("@name@", add_all);
