// a_data of half its width.
`define FAULTY_MAC narrow_a
`define NARROW_A
`include "faulty_mac.svh"
