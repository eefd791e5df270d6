# Compiler settings and the kinds of target: a folder (object library), a shared library, a program, a test, a benchmark.

include(GNUInstallDirs)

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_COMPILE_OPTIONS_PIE -fPIC)  # programs as libraries: a precompiled header serves one set of flags
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_LINK_DEPENDS_NO_SHARED ON)  # after an edit, relink the changed library, not the 60 programs that use it
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)  # programs find our libraries in their own folder, also when the tree is moved

option(KERNBENCH_WERROR "Treat warnings as errors" OFF)
option(KERNBENCH_ASAN "Build with the address and undefined-behaviour sanitizers" OFF)
option(KERNBENCH_PCH "Precompile the SystemC, standard and test headers" ON)
option(KERNBENCH_UNITY "Compile several sources of a target at a time: half the time from scratch, longer after an edit" ON)
set(KERNBENCH_HOT_FLAGS "" CACHE STRING "Compiler options of folders marked HOT, whose code runs at every simulated event")
set(KERNBENCH_TEST_FLAGS "" CACHE STRING "Compiler options of the tests' own sources")
option(KERNBENCH_CCACHE "Compile through ccache where it is installed" ON)
option(KERNBENCH_LONG_TESTS "Build and register the tests labelled long, too: ./kernbench test --all" OFF)
option(KERNBENCH_BENCHMARKS "Build the speed measurements in tests/perf (Google Benchmark)" OFF)

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc)
pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib)
find_package(yaml-cpp REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Eigen3 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(SQLiteCpp REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Boost REQUIRED COMPONENTS unit_test_framework)
find_package(rapidcheck REQUIRED)
if(KERNBENCH_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()

add_library(kernbench_settings INTERFACE)
target_include_directories(kernbench_settings INTERFACE "${CMAKE_SOURCE_DIR}")
target_compile_options(kernbench_settings INTERFACE -Wall -Wextra -Wno-unused-parameter)
if(KERNBENCH_WERROR)
  target_compile_options(kernbench_settings INTERFACE -Werror)
endif()
if(KERNBENCH_ASAN)
  # No vptr check: Debian's libsystemc carries no type information for it.
  target_compile_options(kernbench_settings INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
                                                     -fno-sanitize=vptr)
  # With sanitizers GCC warns of members of empty std::optional and std::function objects (GCC manual, -fsanitize).
  target_compile_options(kernbench_settings INTERFACE -Wno-maybe-uninitialized)
  target_link_options(kernbench_settings INTERFACE -fsanitize=address,undefined)
  set(KERNBENCH_PROGRAM_SOURCES "${CMAKE_SOURCE_DIR}/cmake/asan_coroutines.cpp")
endif()
target_link_libraries(kernbench_settings INTERFACE PkgConfig::SYSTEMC Threads::Threads fmt::fmt)
target_compile_options(kernbench_settings INTERFACE -fno-semantic-interposition)  # as -Bsymbolic-functions below: no preloading
# GCC collects its garbage when the heap has doubled, from 128 MiB on: a fifth of the time of a source of ours.
target_compile_options(kernbench_settings INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288> $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-expand=100>)

if(KERNBENCH_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(KERNBENCH_CCACHE_PROGRAM ccache)
  if(KERNBENCH_CCACHE_PROGRAM)
    # The sloppiness and -fpch-preprocess are what ccache asks for to cache what includes a precompiled header.
    set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros "${KERNBENCH_CCACHE_PROGRAM}")
    if(KERNBENCH_PCH)
      target_compile_options(kernbench_settings INTERFACE -fpch-preprocess)
    endif()
  endif()
endif()

separate_arguments(KERNBENCH_HOT_OPTIONS UNIX_COMMAND "${KERNBENCH_HOT_FLAGS}")
separate_arguments(KERNBENCH_TEST_OPTIONS UNIX_COMMAND "${KERNBENCH_TEST_FLAGS}")
# Precompiled headers: two for libraries, one for test programs; kernbench has its own with CLI11, sw/benches with the host and kernel APIs.
if(KERNBENCH_PCH)
  set(library_headers <systemc> <tlm> <fmt/format.h> <algorithm> <atomic> <chrono> <cstdint> <deque> <fstream> <functional> <iostream> <map> <memory>
      <mutex> <numeric> <optional> <random> <set> <sstream> <stdexcept> <string> <string_view> <unordered_map> <utility> <variant> <vector>
      <boost/container/flat_map.hpp> <boost/container/small_vector.hpp> <boost/container/static_vector.hpp> <nlohmann/json.hpp>)
  # A precompiled header loses the pragmas of models/base/small_vector.h.
  target_compile_options(kernbench_settings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds> $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overread>
                                                      $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
  add_library(kernbench_library_pch OBJECT "${CMAKE_SOURCE_DIR}/cmake/pch.cpp")
  target_link_libraries(kernbench_library_pch PRIVATE kernbench_settings)
  target_precompile_headers(kernbench_library_pch PRIVATE ${library_headers})
  # A precompiled header is for one level of optimisation: g++ 12 crashes where it is used at another.
  add_library(kernbench_hot_pch OBJECT "${CMAKE_SOURCE_DIR}/cmake/pch.cpp")
  target_link_libraries(kernbench_hot_pch PRIVATE kernbench_settings)
  target_compile_options(kernbench_hot_pch PRIVATE ${KERNBENCH_HOT_OPTIONS})
  target_precompile_headers(kernbench_hot_pch PRIVATE ${library_headers})

  add_library(kernbench_test_pch OBJECT EXCLUDE_FROM_ALL "${CMAKE_SOURCE_DIR}/cmake/pch.cpp")
  target_compile_definitions(kernbench_test_pch PRIVATE BOOST_TEST_DYN_LINK)
  target_compile_options(kernbench_test_pch PRIVATE ${KERNBENCH_TEST_OPTIONS})
  target_link_libraries(kernbench_test_pch PRIVATE kernbench_settings Boost::unit_test_framework rapidcheck)
  target_precompile_headers(kernbench_test_pch PRIVATE ${library_headers} <boost/test/unit_test.hpp> <rapidcheck.h>)
  set(KERNBENCH_LIBRARY_HEADERS "${library_headers}")
endif()

# Compiles `batch` sources of a target at a time: the headers take longer than the sources (docs/decisions/tests-and-build.md).
function(kernbench_unity target batch)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${KERNBENCH_UNITY} UNITY_BUILD_BATCH_SIZE ${batch})
  if(KERNBENCH_UNITY)
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)  # to it, sources are headers
  endif()
endfunction()

# kernbench_library(NAME SOURCES a.cpp ... [LINK target ...] [PUBLIC_LINK target ...] [HOT] [NO_PCH])
# A folder, part of one of the shared libraries (kernbench_shared_library). PUBLIC_LINK: libraries that appear in its headers. HOT: its code
# runs at every simulated event or kernel call, and is compiled with KERNBENCH_HOT_FLAGS; in small batches, because it is edited often.
function(kernbench_library name)
  cmake_parse_arguments(LIBRARY "HOT;NO_PCH" "" "SOURCES;LINK;PUBLIC_LINK" ${ARGN})
  add_library(${name} OBJECT ${LIBRARY_SOURCES})
  target_link_libraries(${name} PUBLIC kernbench_settings ${LIBRARY_PUBLIC_LINK} PRIVATE ${LIBRARY_LINK})
  set(pch kernbench_library_pch)
  set(batch 8)
  if(LIBRARY_HOT)
    set(pch kernbench_hot_pch)
    set(batch 3)
    target_compile_options(${name} PRIVATE ${KERNBENCH_HOT_OPTIONS})
  endif()
  kernbench_unity(${name} ${batch})
  if(KERNBENCH_PCH AND NOT LIBRARY_NO_PCH)
    target_precompile_headers(${name} REUSE_FROM ${pch})
  endif()
endfunction()

# kernbench_shared_library(NAME FOLDERS target ... [LINK target ...])
# libkernbench_NAME.so of these folders, and of what they link; installed, and exported as KernBench::NAME. The folders are in
# KERNBENCH_NAME_FOLDERS for programs that link them instead: never both in one process.
function(kernbench_shared_library name)
  cmake_parse_arguments(SHARED "" "" "FOLDERS;LINK" ${ARGN})
  set(target kernbench_${name})
  add_library(${target} SHARED)
  target_link_libraries(${target}
    PUBLIC $<BUILD_INTERFACE:kernbench_settings> $<INSTALL_INTERFACE:PkgConfig::SYSTEMC> $<INSTALL_INTERFACE:Threads::Threads>
           $<INSTALL_INTERFACE:fmt::fmt> ${SHARED_LINK}
    PRIVATE ${SHARED_FOLDERS}
  )
  target_include_directories(${target} INTERFACE "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/kernbench>")
  target_compile_features(${target} INTERFACE cxx_std_17)
  target_link_options(${target} PRIVATE LINKER:-Bsymbolic-functions)  # its own calls are bound when it is linked
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} INSTALL_RPATH "$ORIGIN")
  install(TARGETS ${target} EXPORT KernBenchTargets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  string(TOUPPER ${name} upper)
  set_property(GLOBAL PROPERTY KERNBENCH_${upper}_FOLDERS ${SHARED_FOLDERS})
endfunction()

# kernbench_registration(VARIABLE REGISTRY HEADER FUNCTION NAMESPACE FILES a.cpp ...)
# Writes the source of `void kernbench::FUNCTION(REGISTRY&)`, which calls `void kernbench::NAMESPACE::register_a(REGISTRY&)` of each
# file, and names it in VARIABLE.
function(kernbench_registration variable registry header function namespace)
  cmake_parse_arguments(REGISTRATION "" "" "FILES" ${ARGN})
  set(declarations "")
  set(calls "")
  foreach(file ${REGISTRATION_FILES})
    cmake_path(GET file STEM stem)
    string(APPEND declarations "void register_${stem}(${registry}& registry);\n")
    string(APPEND calls "  ${namespace}::register_${stem}(registry);\n")
  endforeach()
  set(${variable} "${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp")
  file(CONFIGURE OUTPUT "${${variable}}" @ONLY CONTENT "#include \"@header@\"

namespace kernbench {
namespace @namespace@ {
@declarations@}

void @function@(@registry@& registry) {
@calls@}

}  // namespace kernbench
")
  set_source_files_properties("${${variable}}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # a new file compiles this list, and no other source
  set(${variable} "${${variable}}" PARENT_SCOPE)
endfunction()

# kernbench_program(NAME SOURCES a.cpp ... [LINK target ...])
# A program that users start; it lies at the top of the build folder, and is installed.
function(kernbench_program name)
  cmake_parse_arguments(PROGRAM "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${PROGRAM_SOURCES} ${KERNBENCH_PROGRAM_SOURCES})
  target_link_libraries(${name} PRIVATE kernbench_settings kernbench_models ${PROGRAM_LINK})
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY "${CMAKE_INSTALL_FULL_BINDIR}" OUTPUT_VARIABLE libraries)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}" INSTALL_RPATH "$ORIGIN/${libraries}")
  install(TARGETS ${name} EXPORT KernBenchTargets RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  kernbench_unity(${name} 8)
  if(KERNBENCH_PCH)
    target_precompile_headers(${name} PRIVATE ${KERNBENCH_LIBRARY_HEADERS} <CLI/CLI.hpp>)
  endif()
endfunction()

# kernbench_test(NAME KIND SOURCES a.cpp ... [LINK target ...] [TIMEOUT seconds] [LONG] [BROWSER] [NO_PCH])
# A Boost.Test program; main() comes from tests/support. KIND is its CTest label (tests/README.md). LONG: only with KERNBENCH_LONG_TESTS, and
# labelled long, too. BROWSER: skipped without chromium (tests/page/browser.h). TIMEOUT is for all its cases together.
function(kernbench_test name kind)
  cmake_parse_arguments(TEST "NO_PCH;LONG;BROWSER" "TIMEOUT" "SOURCES;LINK" ${ARGN})
  set(labels ${kind})
  if(TEST_LONG)
    if(NOT KERNBENCH_LONG_TESTS)
      return()
    endif()
    list(APPEND labels long)
  endif()
  add_executable(${name} ${TEST_SOURCES} ${KERNBENCH_PROGRAM_SOURCES})
  if(kernbench_platform IN_LIST TEST_LINK)
    list(APPEND TEST_LINK platform_exit_calls)
  endif()
  target_compile_definitions(${name} PRIVATE BOOST_TEST_DYN_LINK KERNBENCH_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE kernbench_test_support ${TEST_LINK} Boost::unit_test_framework rapidcheck)
  target_compile_options(${name} PRIVATE ${KERNBENCH_TEST_OPTIONS})
  if(KERNBENCH_PCH AND NOT TEST_NO_PCH)
    target_precompile_headers(${name} REUSE_FROM kernbench_test_pch)
  endif()
  kernbench_unity(${name} 8)
  add_test(NAME ${name} COMMAND ${name} --color_output=no)
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 180)
  endif()
  # Wall clock, against hangs alone: ample on an idle machine, and four times that for one with as many other busy processes.
  math(EXPR TEST_TIMEOUT "${TEST_TIMEOUT} * 4")
  if(KERNBENCH_ASAN)
    math(EXPR TEST_TIMEOUT "${TEST_TIMEOUT} * 5")
  endif()
  set(environment KERNBENCH_CHECK_PROTOCOL=1)
  if(KERNBENCH_LONG_TESTS)
    list(APPEND environment KERNBENCH_EVERY_CASE=1)  # tests/support/every_case.h
  endif()
  # The longest first, also where no run has measured them.
  set_tests_properties(${name} PROPERTIES TIMEOUT ${TEST_TIMEOUT} COST ${TEST_TIMEOUT} LABELS "${labels}"
    ENVIRONMENT "${environment}")
  if(TEST_BROWSER)
    set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "chromium is not installed")
  endif()
endfunction()

# kernbench_guide_example(VARIABLE guide.md PART ...)
# Cuts the examples out of a guide, whenever that changes, for a test to compile. A PART "// path" is the first line of a block of
# C++, which becomes the file `path` below VARIABLE_dir; VARIABLE is the list of these files. The other PARTs stand in one of them
# (tests/support/cut_example.cmake).
function(kernbench_guide_example variable guide)
  string(MAKE_C_IDENTIFIER "${guide}" name)
  set(dir "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  set(script "${CMAKE_SOURCE_DIR}/tests/support/cut_example.cmake")
  set(files ${ARGN})
  list(FILTER files INCLUDE REGEX "^// ")
  list(TRANSFORM files REPLACE "^// " "${dir}/")
  string(REPLACE ";" "|" parts "${ARGN}")
  add_custom_command(
    OUTPUT ${files}
    COMMAND "${CMAKE_COMMAND}" -D "README=${CMAKE_SOURCE_DIR}/${guide}" -D "DIR=${dir}" -D "PARTS=${parts}" -P "${script}"
    DEPENDS "${CMAKE_SOURCE_DIR}/${guide}" "${script}"
    COMMENT "Cutting the examples out of ${guide}"
    VERBATIM
  )
  set_source_files_properties(${files} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # a reader's sources, with names of their own
  set(${variable} "${files}" PARENT_SCOPE)
  set(${variable}_dir "${dir}" PARENT_SCOPE)
endfunction()

# kernbench_benchmark(NAME SOURCES a.cpp ... [LINK target ...])
# A Google Benchmark program in tests/perf; not part of ctest.
function(kernbench_benchmark name)
  cmake_parse_arguments(BENCH "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${BENCH_SOURCES})
  target_link_libraries(${name} PRIVATE kernbench_settings kernbench_models ${BENCH_LINK} benchmark::benchmark)
endfunction()
