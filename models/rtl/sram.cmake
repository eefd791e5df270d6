# rtl.sram: memories of some widths and sizes.
set(KERNBENCH_RTL_SRAMS "64x1;512x1;512x32" CACHE STRING "memories of rtl.sram: bits of data x MiB")

set(sram_sources kernbench_checks kernbench_axi4_if kernbench_sram_queue kernbench_sram kernbench_axi4_checker kernbench_sram_top)
list(TRANSFORM sram_sources REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/sv/\\1.sv")
set(includes "")
set(models "")
foreach(size ${KERNBENCH_RTL_SRAMS})
  if(NOT size MATCHES "^(64|128|256|512)x([0-9]+)$")
    message(FATAL_ERROR "KERNBENCH_RTL_SRAMS: ${size}: bits of data (64, 128, 256, 512) x MiB, such as 512x32")
  endif()
  set(bits ${CMAKE_MATCH_1})
  set(mb ${CMAKE_MATCH_2})
  math(EXPR kb "${mb} * 1024")
  kernbench_verilate(models_rtl PREFIX Vkernbench_sram_${size} TOP kernbench_sram_top SOURCES ${sram_sources}
    PARAMETERS DATA_BITS=${bits} SIZE_KB=${kb} ${KERNBENCH_RTL_OPTIONS})
  string(APPEND includes "#include <Vkernbench_sram_${size}.h>\n")
  list(APPEND models "{${bits}, ${mb}, &VerilatedSram<Vkernbench_sram_${size}, ${bits}>::make}")
endforeach()
list(JOIN models ", " models)
file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/sram_models_built.h" @ONLY CONTENT "@includes@#define KERNBENCH_SRAM_MODELS @models@
")
target_include_directories(models_rtl PRIVATE "${CMAKE_CURRENT_BINARY_DIR}")
