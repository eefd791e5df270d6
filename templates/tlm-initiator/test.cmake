include("${CMAKE_CURRENT_LIST_DIR}/run_kernbench.cmake")

# Without a bench the machine runs its initiators: 16 writes and 16 reads of 64 B, all answered.
set(initiator "{id: @name@, attach: sip0.cube0.r0c0, bridge: {impl: custom.@name@, attrs: {}}}")
kernbench(out run --topology tiny --set "system.tlm_initiators=[${initiator}]"
          --stats "${CMAKE_CURRENT_BINARY_DIR}/stats.json")
file(READ "${CMAKE_CURRENT_BINARY_DIR}/stats.json" json)
foreach(expected "reads=16" "writes=16" "bytes_read=1024" "bytes_written=1024" "errors=0")
  string(REPLACE "=" ";" pair "${expected}")
  list(POP_FRONT pair name)
  string(JSON found GET "${json}" totals tlm_initiator ${name})
  expect(${name} ${found} ${pair})
endforeach()
