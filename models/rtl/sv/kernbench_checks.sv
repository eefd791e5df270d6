// Reports of broken rules: the C++ side knows the block whose edge is evaluated.
package kernbench_checks;
  import "DPI-C" function void kernbench_violation(
    input string rule,
    input string signal
  );
endpackage
