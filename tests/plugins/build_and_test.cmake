# Builds SOURCE as build.cmake does, and runs its tests.
include("${CMAKE_CURRENT_LIST_DIR}/build.cmake")
execute_process(COMMAND "${CMAKE_CTEST_COMMAND}" --test-dir "${BUILD}" --output-on-failure --no-tests=error COMMAND_ERROR_IS_FATAL ANY)
