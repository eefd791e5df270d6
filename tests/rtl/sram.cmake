# The memory in RTL: by itself, and in its component.
set(sram_sources kernbench_checks kernbench_axi4_if kernbench_sram_queue kernbench_sram kernbench_axi4_checker kernbench_sram_top)
list(TRANSFORM sram_sources REPLACE "(.+)" "${KERNBENCH_RTL_DIR}/sv/\\1.sv")
kernbench_test(test_rtl_sram
  SOURCES
    axi4_bursts_test.cpp
    sram_block_test.cpp
    sram_node_test.cpp
)
kernbench_verilate(test_rtl_sram PREFIX Vsram_64 TOP kernbench_sram_top SOURCES ${sram_sources}
  PARAMETERS DATA_BITS=64 SIZE_KB=16 READ_LATENCY=2)
kernbench_verilate(test_rtl_sram PREFIX Vsram_512 TOP kernbench_sram_top SOURCES ${sram_sources}
  PARAMETERS DATA_BITS=512 SIZE_KB=16 READ_LATENCY=5)
kernbench_verilate(test_rtl_sram PREFIX Vfaulty_sram TOP kernbench_sram_top
  SOURCES ${sram_sources} "${CMAKE_CURRENT_SOURCE_DIR}/sv/faulty_sram.sv"
  DEFINES KERNBENCH_DESIGN=faulty_sram PARAMETERS DATA_BITS=64 SIZE_KB=1024)
