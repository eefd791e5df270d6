include("${CMAKE_CURRENT_LIST_DIR}/run_kernbench.cmake")

# The sum and the average over six SIPs are correct, also with another centre.
foreach(settings "algorithm=@name@;op=sum" "algorithm=@name@;op=avg")
  list(TRANSFORM settings PREPEND "--param;" OUTPUT_VARIABLE parameters)
  foreach(centre 0 4)
    kernbench(out run --bench ccl-allreduce --verify-data --topology six_sip --param n_elem=8 ${parameters}
              --set ccl:algorithms.@name@.centre=${centre})
    string(REGEX MATCH "verdict: [A-Z]+" verdict "${out}")
    expect("${settings} centre=${centre}" "${verdict}" "verdict: PASS")
  endforeach()
endforeach()
