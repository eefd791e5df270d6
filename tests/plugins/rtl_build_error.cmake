# A block with a wrong port, faulty/FAULT.sv, does not build, and the error names the port: EXPECTED is a regular expression.
string(REPLACE "|" ";" LAUNCHER "${LAUNCHER}")
file(REMOVE_RECURSE "${BUILD}")
execute_process(
  COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${BUILD}" -G Ninja -D "CMAKE_PREFIX_PATH=${PREFIX}" -D "CMAKE_CXX_COMPILER=${COMPILER}"
          -D "CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}" -D CMAKE_BUILD_TYPE=Debug -D "FAULTY=${FAULT}" --no-warn-unused-cli
  RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
if(status EQUAL 0)
  execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BUILD}" --target ${FAULT} -j 2 RESULT_VARIABLE status OUTPUT_VARIABLE out
                  ERROR_VARIABLE err)
endif()
if(status EQUAL 0)
  message(FATAL_ERROR "${FAULT} has been built")
endif()
string(REGEX REPLACE "[ \n]+" " " text "${out} ${err}")
if(NOT text MATCHES "${EXPECTED}")
  message(FATAL_ERROR "no \"${EXPECTED}\" in\n${out}\n${err}")
endif()
message(STATUS "${CMAKE_MATCH_0}")
