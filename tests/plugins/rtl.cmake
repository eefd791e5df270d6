# Blocks in RTL from outside the tree: rtl_examples, built against the installed package.
add_test(NAME rtl_blocks_build_from_the_installed_tree
         COMMAND "${CMAKE_COMMAND}" ${configure} -D "SOURCE=${CMAKE_CURRENT_SOURCE_DIR}/rtl_examples" -D "BUILD=${rtl_examples}"
                 -P "${CMAKE_CURRENT_SOURCE_DIR}/build.cmake")
set_tests_properties(rtl_blocks_build_from_the_installed_tree PROPERTIES FIXTURES_REQUIRED installed FIXTURES_SETUP rtl_examples LABELS "package;rtl" TIMEOUT 4800)

# A wrong width, a port that is missing, an output that nothing drives.
function(kernbench_rtl_build_error fault expected)
  add_test(NAME rtl_block_with_${fault}_does_not_build_and_the_error_names_the_port
           COMMAND "${CMAKE_COMMAND}" ${configure} -D "SOURCE=${CMAKE_CURRENT_SOURCE_DIR}/rtl_examples" -D "FAULT=${fault}"
                   -D "BUILD=${CMAKE_CURRENT_BINARY_DIR}/rtl_${fault}" -D "EXPECTED=${expected}"
                   -P "${CMAKE_CURRENT_SOURCE_DIR}/rtl_build_error.cmake")
  set_tests_properties(rtl_block_with_${fault}_does_not_build_and_the_error_names_the_port PROPERTIES FIXTURES_REQUIRED installed LABELS "package;rtl" TIMEOUT 2400)
endfunction()
kernbench_rtl_build_error(narrow_a "port connection 'a_data' expects 8 bits")
kernbench_rtl_build_error(no_result_ready "Pin is not an in/out/inout/param/interface: 'result_ready'")
kernbench_rtl_build_error(no_error "Signal is not driven: 'error'")
