# Blocks in RTL: C++ models that Verilator makes of SystemVerilog. In the tree, and installed with the package's configuration.
#
# KERNBENCH_RTL_FOUND: there is a Verilator. KERNBENCH_RTL_DIR: models/rtl, its hooks of the runtime and its SystemVerilog.

set(KERNBENCH_RTL_OPTIONS "")  # of the models of rtl.*
if(KERNBENCH_RTL_TRACE)
  list(APPEND KERNBENCH_RTL_OPTIONS TRACE)
endif()
if(KERNBENCH_RTL_COVERAGE)
  list(APPEND KERNBENCH_RTL_OPTIONS COVERAGE)
endif()

find_package(verilator QUIET HINTS "$ENV{VERILATOR_ROOT}" /usr/share/verilator /usr/local/share/verilator)
set(KERNBENCH_RTL_FOUND ${verilator_FOUND})

# Verilator's runtime is compiled once, as the static library KernBench::rtl_runtime (models/rtl/CMakeLists.txt). These sources of it:
set(KERNBENCH_RTL_RUNTIME_SOURCES verilated.cpp verilated_cov.cpp verilated_dpi.cpp verilated_fst_c.cpp verilated_threads.cpp)
# Version of the runtime's headers, with its date.
set(KERNBENCH_VERILATOR_VERSION "")
if(KERNBENCH_RTL_FOUND AND EXISTS "${VERILATOR_ROOT}/include/verilated_config.h")
  file(STRINGS "${VERILATOR_ROOT}/include/verilated_config.h" KERNBENCH_VERILATOR_VERSION REGEX "#define VERILATOR_VERSION ")
  string(REGEX REPLACE "^[^\"]*\"([^\"]*)\".*" "\\1" KERNBENCH_VERILATOR_VERSION "${KERNBENCH_VERILATOR_VERSION}")
endif()

# Settings of a library of Verilator's sources, models or runtime: symbols hidden, so that each shared object has models and a runtime of
# its own; optimised in every kind of build, as the speed of a model is that of a run.
function(kernbench_verilated_settings library)
  set_target_properties(${library} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden CXX_STANDARD 17)
  target_compile_definitions(${library} PRIVATE VL_USER_FINISH VL_USER_STOP VL_USER_FATAL VL_USER_WARN PUBLIC VL_TIME_CONTEXT VM_SC=0)
  target_compile_options(${library} PRIVATE -w -O2 -include "${KERNBENCH_RTL_DIR}/verilated_hooks.h")
endfunction()

# Sets VARIABLE to the target of the runtime. Empty: there is none of this Verilator, and each library of models compiles its own.
function(kernbench_find_rtl_runtime variable)
  set(${variable} "" PARENT_SCOPE)
  foreach(runtime kernbench_rtl_runtime KernBench::rtl_runtime)
    if(TARGET ${runtime})
      get_target_property(version ${runtime} VERILATOR_VERSION)
      if(version STREQUAL KERNBENCH_VERILATOR_VERSION)
        set(${variable} ${runtime} PARENT_SCOPE)
      else()
        message(STATUS "Verilator is ${KERNBENCH_VERILATOR_VERSION}, and KernBench has the runtime of ${version}: "
                       "blocks in RTL compile their own runtime")
      endif()
      return()
    endif()
  endforeach()
endfunction()

# kernbench_verilate(TARGET PREFIX Vmy_top TOP my_top SOURCES a.sv ... [DEFINES NAME=VALUE ...] [PARAMETERS NAME=VALUE ...]
#                    [INCLUDE_DIRS dir ...] [TRACE] [COVERAGE])
# Adds the class Vmy_top to TARGET (header Vmy_top.h; models/rtl/verilated_block.h). Wrong widths, ports that are missing, unconnected or
# driven by nothing are errors of Verilator, which name the port. TRACE: the inside can be traced; COVERAGE: coverage can be written. The
# models of one target are one static library of hidden symbols, which links the runtime of Verilator.
function(kernbench_verilate target)
  cmake_parse_arguments(RTL "TRACE;COVERAGE" "PREFIX;TOP" "SOURCES;DEFINES;PARAMETERS;INCLUDE_DIRS" ${ARGN})
  list(PREPEND RTL_INCLUDE_DIRS "${KERNBENCH_RTL_DIR}/sv")
  set(models "${target}_verilated")
  if(NOT TARGET ${models})
    add_library(${models} STATIC)
    kernbench_verilated_settings(${models})
    set_target_properties(${models} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    target_include_directories(${models} PRIVATE "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
    kernbench_find_rtl_runtime(runtime)
    if(runtime)
      target_link_libraries(${models} PUBLIC ${runtime})
    else()
      target_sources(${models} PRIVATE "${KERNBENCH_RTL_DIR}/verilated_hooks.cpp")
    endif()
    set_target_properties(${models} PROPERTIES KERNBENCH_LINKS_RUNTIME "${runtime}")
    # Instances of std's templates for Verilator's types are visible whatever the setting is.
    target_link_options(${models} INTERFACE "LINKER:--exclude-libs,lib${models}.a:libkernbench_rtl_runtime.a")
    target_link_libraries(${target} PRIVATE ${models})
  endif()
  set(trace "")
  set(coverage "")
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
  # Verilator runs in this folder. In its messages, and for lint_off -file, a path ends at its first blank: relative where there is one.
  foreach(argument RTL_SOURCES RTL_INCLUDE_DIRS)
    set(paths "")
    foreach(path ${${argument}})
      cmake_path(ABSOLUTE_PATH path BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
      if(path MATCHES " ")
        cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
      endif()
      list(APPEND paths "${path}")
    endforeach()
    set(${argument} "${paths}")
  endforeach()
  list(TRANSFORM RTL_DEFINES PREPEND -D)
  list(TRANSFORM RTL_PARAMETERS PREPEND -G)
  list(TRANSFORM RTL_INCLUDE_DIRS PREPEND -I)
  verilate(${models} PREFIX ${RTL_PREFIX} TOP_MODULE ${RTL_TOP} ${trace} ${coverage} SOURCES ${RTL_SOURCES}
    VERILATOR_ARGS --assert -O3 --no-timing --timescale-override 1ns/1fs --x-assign unique --x-initial unique ${KERNBENCH_RTL_WARNINGS}
                   ${RTL_INCLUDE_DIRS} ${RTL_DEFINES} ${RTL_PARAMETERS})
  get_target_property(files ${models} SOURCES)
  get_target_property(runtime ${models} KERNBENCH_LINKS_RUNTIME)
  if(runtime)  # verilate() has added what the model needs of the runtime; sources that the library does not have stay
    list(TRANSFORM KERNBENCH_RTL_RUNTIME_SOURCES PREPEND "${VERILATOR_ROOT}/include/" OUTPUT_VARIABLE linked)
    list(REMOVE_ITEM files ${linked})
    set_target_properties(${models} PROPERTIES SOURCES "${files}")
  endif()
  # The files of a model are compiled as one: what they include takes far longer than what they contain.
  list(FILTER files INCLUDE REGEX "/${RTL_PREFIX}\\.dir/[^/]*\\.cpp$")
  set_source_files_properties(${files} PROPERTIES UNITY_GROUP ${RTL_PREFIX})
  # Headers of others: no warnings of ours.
  get_target_property(directories ${models} INTERFACE_INCLUDE_DIRECTORIES)
  set_target_properties(${models} PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${directories}")
endfunction()

# What is an error rather than a warning: the ends of a connection that do not fit.
set(KERNBENCH_RTL_WARNINGS -Wall -Wno-fatal -Wno-DECLFILENAME -Werror-WIDTH -Werror-PINMISSING -Werror-PINNOCONNECT -Werror-PINCONNECTEMPTY
    -Werror-UNDRIVEN -Werror-IMPLICIT -Werror-MULTIDRIVEN -Werror-COMBDLY -Werror-LATCH)

# kernbench_verilate_gemm(TARGET PREFIX Vmy_mac DESIGN my_mac ROWS 8 COLUMNS 8 SOURCES my_mac.sv ... [INCLUDE_DIRS dir ...]
#                         [LINT_OFF WIDTH ...] [TRACE] [COVERAGE])
# A block that multiplies tiles: the module my_mac #(ROWS, COLUMNS) with the pins of kernbench_gemm_if, and the assertions of the contract.
# LINT_OFF: messages of Verilator about the inside of SOURCES that are not wanted; ports that do not fit the contract stay errors.
function(kernbench_verilate_gemm target)
  cmake_parse_arguments(GEMM "TRACE;COVERAGE" "PREFIX;DESIGN;ROWS;COLUMNS" "SOURCES;INCLUDE_DIRS;LINT_OFF" ${ARGN})
  set(lint_off "")
  if(GEMM_LINT_OFF)
    set(lint_off "${CMAKE_CURRENT_BINARY_DIR}/${GEMM_PREFIX}.vlt")
    set(rules "`verilator_config\n")
    foreach(source ${GEMM_SOURCES})
      cmake_path(GET source FILENAME file)
      foreach(rule ${GEMM_LINT_OFF})
        string(APPEND rules "lint_off -rule ${rule} -file \"*${file}\"\n")
      endforeach()
    endforeach()
    file(CONFIGURE OUTPUT "${lint_off}" CONTENT "${rules}" @ONLY)
  endif()
  set(options "")
  foreach(option TRACE COVERAGE)
    if(GEMM_${option})
      list(APPEND options ${option})
    endif()
  endforeach()
  set(sv "${KERNBENCH_RTL_DIR}/sv")
  kernbench_verilate(${target} PREFIX ${GEMM_PREFIX} TOP kernbench_gemm_top ${options} DEFINES KERNBENCH_DESIGN=${GEMM_DESIGN}
    PARAMETERS ROWS=${GEMM_ROWS} COLUMNS=${GEMM_COLUMNS} INCLUDE_DIRS ${GEMM_INCLUDE_DIRS}
    SOURCES ${lint_off} "${sv}/kernbench_checks.sv" "${sv}/kernbench_stream_checker.sv" "${sv}/kernbench_gemm_if.sv" "${sv}/kernbench_gemm_checker.sv"
            "${sv}/kernbench_gemm_top.sv" ${GEMM_SOURCES})
endfunction()

# kernbench_add_rtl_gemm(TARGET DESIGN my_mac SOURCES my_mac.sv ... ROWS 8 COLUMNS 8 IMPLEMENTATION acme.my_mac [DESCRIPTION "..."]
#                        [INCLUDE_DIRS dir ...] [LINT_OFF WIDTH ...] [TRACE] [COVERAGE])
# The plug-in TARGET, which brings the implementation acme.my_mac of pe_gemm: no C++ to write.
function(kernbench_add_rtl_gemm target)
  cmake_parse_arguments(GEMM "TRACE;COVERAGE" "DESIGN;ROWS;COLUMNS;IMPLEMENTATION;DESCRIPTION" "SOURCES;INCLUDE_DIRS;LINT_OFF"
                        ${ARGN})
  if(NOT KERNBENCH_RTL_FOUND)
    message(FATAL_ERROR "kernbench_add_rtl_gemm(${target}): Verilator is not found (Debian: verilator)")
  endif()
  foreach(argument DESIGN ROWS COLUMNS IMPLEMENTATION SOURCES)
    if(NOT GEMM_${argument})
      message(FATAL_ERROR "kernbench_add_rtl_gemm(${target}): ${argument} is missing")
    endif()
  endforeach()
  if(NOT GEMM_DESCRIPTION)
    set(GEMM_DESCRIPTION "${GEMM_DESIGN} in RTL")
  endif()
  set(model "V${target}")
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${target}_plugin.cpp")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT [[
#include "models/base/plugin.h"
#include "models/rtl/verilated_gemm.h"
// The model.
#include <@model@.h>

namespace {

void add_all(kernbench::PluginRegistries& to) {
  to.components.add(kernbench::gemm_implementation(
      "@GEMM_IMPLEMENTATION@", "@GEMM_DESCRIPTION@",
      {kernbench::gemm_design<@model@>({@GEMM_ROWS@, @GEMM_COLUMNS@})}));
}

}  // namespace

KERNBENCH_PLUGIN("@target@", add_all);
]])
  add_library(${target} MODULE "${source}")
  set_target_properties(${target} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden)
  if(TARGET KernBench::models)
    target_link_libraries(${target} PRIVATE KernBench::models)
  else()
    target_link_libraries(${target} PRIVATE kernbench_settings kernbench_models)
  endif()
  set(options "")
  foreach(option TRACE COVERAGE)
    if(GEMM_${option})
      list(APPEND options ${option})
    endif()
  endforeach()
  kernbench_verilate_gemm(${target} PREFIX ${model} DESIGN ${GEMM_DESIGN} ROWS ${GEMM_ROWS} COLUMNS ${GEMM_COLUMNS}
    SOURCES ${GEMM_SOURCES} INCLUDE_DIRS ${GEMM_INCLUDE_DIRS} LINT_OFF ${GEMM_LINT_OFF} ${options})
endfunction()
