# Functions of test.cmake: run KERNBENCH with the plug-in PLUGIN, and compare.

# kernbench(VARIABLE ARGUMENT ...): standard output; anything but exit status 0 ends the test.
function(kernbench variable)
  execute_process(COMMAND "${KERNBENCH}" ${ARGN} --plugin "${PLUGIN}" RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "kernbench ${ARGN}\nexit status ${status}\n${out}${err}")
  endif()
  set(${variable} "${out}" PARENT_SCOPE)
endfunction()

# end_of_request(VARIABLE CSV ROW): end_ns of a row, from 0, of `kernbench traffic --csv`.
function(end_of_request variable csv row)
  string(REGEX MATCHALL "[^\n]+" lines "${csv}")
  math(EXPR line "${row} + 1")  # after the header
  list(GET lines ${line} line)
  string(REPLACE "," ";" cells "${line}")
  list(GET cells 3 end)
  set(${variable} ${end} PARENT_SCOPE)
endfunction()

function(expect what found expected)
  if(NOT "${found}" STREQUAL "${expected}")
    message(FATAL_ERROR "${what}: found ${found}, expected ${expected}")
  endif()
  message(STATUS "${what}: ${found}")
endfunction()

# busy_of_engine(VARIABLE JSON ENGINE PART): busy_ns of `kernbench run --json`.
function(busy_of_engine variable json engine part)
  string(JSON last LENGTH "${json}" engines)
  math(EXPR last "${last} - 1")
  foreach(i RANGE ${last})
    string(JSON name GET "${json}" engines ${i} engine)
    string(JSON its GET "${json}" engines ${i} part)
    if(name STREQUAL engine AND its STREQUAL part)
      string(JSON busy GET "${json}" engines ${i} busy_ns)
      set(${variable} ${busy} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "no engine ${engine} with ${part} in ${json}")
endfunction()

# simulated_fs(VARIABLE JSON): simulated_ns of `kernbench run --json`, in femtoseconds; from the text, as it has all digits.
function(simulated_fs variable json)
  if(NOT json MATCHES "\"simulated_ns\": ([0-9]+)\\.([0-9]+)")
    message(FATAL_ERROR "no simulated_ns in ${json}")
  endif()
  string(SUBSTRING "${CMAKE_MATCH_2}000000" 0 6 fraction)
  math(EXPR fs "${CMAKE_MATCH_1} * 1000000 + 1${fraction} - 1000000")
  set(${variable} ${fs} PARENT_SCOPE)
endfunction()

# statistic(VARIABLE FILE ROLE NAME): a total of `kernbench run --stats FILE`.
function(statistic variable file role name)
  file(READ "${file}" json)
  string(JSON value GET "${json}" totals ${role} ${name})
  set(${variable} ${value} PARENT_SCOPE)
endfunction()
