# docs/write-a-plugin.md, step by step: the folder of new-component, the guide's source in it (cut into CUT), the guide's commands.
file(REMOVE_RECURSE "${BUILD}")
file(MAKE_DIRECTORY "${BUILD}")
execute_process(COMMAND "${PREFIX}/bin/kernbench" new-component paged_sram --kind memory WORKING_DIRECTORY "${BUILD}"
                COMMAND_ERROR_IS_FATAL ANY)
set(SOURCE "${BUILD}/paged_sram")
set(guide_folder "${BUILD}")
set(BUILD "${SOURCE}/build")
include("${CMAKE_CURRENT_LIST_DIR}/build.cmake")  # step 2: as written
execute_process(COMMAND "${CMAKE_CTEST_COMMAND}" --test-dir "${BUILD}" --no-tests=error COMMAND_ERROR_IS_FATAL ANY)

# Steps 3 and 4: the guide's source, and its block of CMake as the test.
file(COPY_FILE "${CUT}/paged_sram/paged_sram.cpp" "${SOURCE}/paged_sram.cpp")
file(TOUCH "${SOURCE}/paged_sram.cpp")
file(READ "${GUIDE}" guide)
string(REGEX MATCH "```cmake\n(# test.cmake of paged_sram\n[^`]*)```" block "${guide}")
if(block STREQUAL "")
  message(FATAL_ERROR "${GUIDE}: no block of CMake begins with '# test.cmake of paged_sram'")
endif()
file(WRITE "${SOURCE}/test.cmake" "${CMAKE_MATCH_1}")
include("${CMAKE_CURRENT_LIST_DIR}/build.cmake")
execute_process(COMMAND "${CMAKE_CTEST_COMMAND}" --test-dir "${BUILD}" --output-on-failure --no-tests=error COMMAND_ERROR_IS_FATAL ANY)

# Step 5: every line of the blocks of shell that begins with "kernbench run", "list", "topology" or "traffic".
file(WRITE "${guide_folder}/sram.csv" "at_ns,initiator,op,target,offset,bytes\n0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.sram,0,4096\n")
file(COPY "${BUILD}/libpaged_sram.so" DESTINATION "${guide_folder}")
string(REGEX MATCH "```yaml\n(# my_components.yaml\n[^`]*)```" block "${guide}")
file(WRITE "${guide_folder}/my_components.yaml" "${CMAKE_MATCH_1}")
string(REPLACE " \\\n" " " guide "${guide}")  # continued lines
string(REGEX MATCHALL "\nkernbench (run|list|topology|traffic)[^\n]*" lines "${guide}")
list(LENGTH lines count)
if(count LESS 6)
  message(FATAL_ERROR "${GUIDE}: ${count} commands")
endif()
foreach(line ${lines})
  string(REGEX REPLACE "^\nkernbench " "" line "${line}")
  string(REGEX REPLACE " *[#>].*" "" line "${line}")
  message(STATUS "kernbench ${line}")
  separate_arguments(words UNIX_COMMAND "${line}")
  execute_process(COMMAND "${PREFIX}/bin/kernbench" ${words} WORKING_DIRECTORY "${guide_folder}" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endforeach()
