include("${CMAKE_CURRENT_LIST_DIR}/run_kernbench.cmake")

# The sum over six SIPs is right, with another centre, too; the average as well.
foreach(settings "algorithm=@name@;op=sum" "algorithm=@name@;op=avg")
  list(TRANSFORM settings PREPEND "--param;" OUTPUT_VARIABLE parameters)
  foreach(centre 0 4)
    kernbench(out run --bench ccl-allreduce --verify-data --topology six_sip --param n_elem=8 ${parameters}
              --set ccl:algorithms.@name@.centre=${centre})
    string(REGEX MATCH "verdict: [A-Z]+" verdict "${out}")
    expect("${settings} centre=${centre}" "${verdict}" "verdict: PASS")
  endforeach()
endforeach()
