# Blocks in RTL: C++ models that Verilator makes of SystemVerilog. In the tree, and installed beside the package's configuration.
#
# KERNBENCH_RTL_FOUND: there is a Verilator. KERNBENCH_RTL_DIR: models/rtl with the sources that every such library compiles anew.

find_package(verilator QUIET HINTS "$ENV{VERILATOR_ROOT}" /usr/share/verilator /usr/local/share/verilator)
set(KERNBENCH_RTL_FOUND ${verilator_FOUND})

# kernbench_verilate(TARGET PREFIX Vmy_top TOP my_top SOURCES a.sv ... [DEFINES NAME=VALUE ...] [PARAMETERS NAME=VALUE ...]
#                    [INCLUDE_DIRS dir ...] [TRACE] [COVERAGE])
# Adds the class Vmy_top to TARGET (header Vmy_top.h; models/rtl/verilated_block.h). Wrong widths, ports that are missing, unconnected or
# driven by nothing are errors of Verilator, which name the port. TRACE: the inside can be traced; COVERAGE: coverage can be written. The
# models of one target, and the runtime of Verilator, are one static library of hidden symbols.
function(kernbench_verilate target)
  cmake_parse_arguments(RTL "TRACE;COVERAGE" "PREFIX;TOP" "SOURCES;DEFINES;PARAMETERS;INCLUDE_DIRS" ${ARGN})
  set(models "${target}_verilated")
  if(NOT TARGET ${models})
    add_library(${models} STATIC "${KERNBENCH_RTL_DIR}/verilated_hooks.cpp")
    set_target_properties(${models} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden CXX_STANDARD 17)
    target_include_directories(${models} PRIVATE "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
    target_compile_definitions(${models} PRIVATE VL_USER_FINISH VL_USER_STOP VL_USER_FATAL VL_USER_WARN PUBLIC VL_TIME_CONTEXT VM_SC=0)
    # The speed of a model is that of a run: optimised in every kind of build.
    target_compile_options(${models} PRIVATE -w -O2 -include "${KERNBENCH_RTL_DIR}/verilated_hooks.h")
    target_link_libraries(${target} PRIVATE ${models})
  endif()
  if(RTL_TRACE)
    find_package(ZLIB REQUIRED)
    target_compile_definitions(${models} PUBLIC VM_TRACE=1 VM_TRACE_FST=1)
    target_link_libraries(${models} PUBLIC ZLIB::ZLIB)
    set(trace TRACE_FST)
  endif()
  if(RTL_COVERAGE)
    target_compile_definitions(${models} PUBLIC VM_COVERAGE=1)
    set(coverage COVERAGE)
  endif()
  list(TRANSFORM RTL_DEFINES PREPEND -D)
  list(TRANSFORM RTL_PARAMETERS PREPEND -G)
  list(TRANSFORM RTL_INCLUDE_DIRS PREPEND -I)
  verilate(${models} PREFIX ${RTL_PREFIX} TOP_MODULE ${RTL_TOP} ${trace} ${coverage} SOURCES ${RTL_SOURCES}
    VERILATOR_ARGS --assert -O3 --no-timing --timescale-override 1ns/1fs --x-assign unique --x-initial unique ${KERNBENCH_RTL_WARNINGS}
                   "-I${KERNBENCH_RTL_DIR}/sv" ${RTL_INCLUDE_DIRS} ${RTL_DEFINES} ${RTL_PARAMETERS})
  # Headers of others: no warnings of ours.
  get_target_property(directories ${models} INTERFACE_INCLUDE_DIRECTORIES)
  set_target_properties(${models} PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${directories}")
endfunction()

# What is an error rather than a warning: the ends of a connection that do not fit.
set(KERNBENCH_RTL_WARNINGS -Wall -Wno-fatal -Wno-DECLFILENAME -Werror-WIDTH -Werror-PINMISSING -Werror-PINNOCONNECT -Werror-PINCONNECTEMPTY
    -Werror-UNDRIVEN -Werror-IMPLICIT -Werror-MULTIDRIVEN -Werror-COMBDLY -Werror-LATCH)
