// Where broken rules are reported: the C++ side knows the block whose edge it is.
package kernbench_checks;
  import "DPI-C" function void kernbench_violation(
    input string rule,
    input string signal
  );
endpackage
