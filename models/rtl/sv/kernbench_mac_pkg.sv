// Arithmetic of one cell: i8 x i8 -> i32, modulo 2^32; f16 x f16 -> f32, the product exactly, the
// sum rounded to nearest even. Subnormals, signed zeros and infinities as in IEEE 754; every NaN
// that arises is 7fc00000.
package kernbench_mac_pkg;

  typedef logic [15:0] operand_t;  // i8: in the lower eight bits
  typedef logic [31:0] result_t;

  localparam result_t F32_NAN = 32'h7fc0_0000;

  // Product of finite numbers. 11 bits x 11 bits are 22 bits, from 2^-48 to 2^32: f32 holds each
  // product as a normal number.
  function automatic result_t finite_product(input operand_t a, input operand_t b);
    logic [21:0] significand;
    logic [ 7:0] exponent;
    significand = 22'({|a[14:10], a[9:0]}) * 22'({|b[14:10], b[9:0]});
    // A significand of 2^21 is the number 2^(a + b - 29), where a subnormal has the exponent 1.
    exponent = 8'({a[14:11], a[10] | ~|a[14:10]}) + 8'({b[14:11], b[10] | ~|b[14:10]}) + 8'd98;
    if (!significand[21]) begin
      if (significand[20]) begin
        significand = significand << 1;
        exponent -= 1;
      end else begin  // subnormal
        for (int width = 16; width > 0; width >>= 1)
          if ((significand >> (22 - width)) == 0) begin
            significand = significand << width;
            exponent -= 8'(width);
          end
      end
    end
    return {a[15] ^ b[15], significand[21] ? {exponent, significand[20:0], 2'b00} : 31'b0};
  endfunction

  function automatic result_t f16_product(input operand_t a, input operand_t b);
    result_t product;
    if (a[14:10] != 5'h1f && b[14:10] != 5'h1f) product = finite_product(a, b);
    else if (a[14:0] > 15'h7c00 || b[14:0] > 15'h7c00 || a[14:0] == 0 || b[14:0] == 0)
      product = F32_NAN;
    else product = {a[15] ^ b[15], 31'h7f80_0000};
    return product;
  endfunction

  // Sum of finite numbers; the larger one by magnitude first. The 24 bits of a significand are
  // followed by guard, round and sticky bit.
  function automatic result_t finite_sum(input result_t larger, input result_t smaller);
    logic [ 7:0] exponent, distance;
    logic [27:0] significand, addend, shifted;
    logic sign, round_up;
    exponent = {larger[30:24], larger[23] | ~|larger[30:23]};  // a subnormal has the exponent 1
    distance = exponent - {smaller[30:24], smaller[23] | ~|smaller[30:23]};
    significand = {1'b0, |larger[30:23], larger[22:0], 3'b0};
    addend = {1'b0, |smaller[30:23], smaller[22:0], 3'b0};
    shifted = addend >> distance;
    shifted[0] |= (shifted << distance) != addend;
    if (larger[31] == smaller[31]) begin
      significand = significand + shifted;
      if (significand[27]) begin
        significand = {1'b0, significand[27:2], |significand[1:0]};
        exponent += 1;
      end
    end else begin
      significand = significand - shifted;
      if (!significand[26])
        for (int width = 16; width > 0; width >>= 1)
          if ((significand >> (27 - width)) == 0 && exponent > 8'(width)) begin
            significand = significand << width;
            exponent -= 8'(width);
          end
    end
    sign = larger[31] & (significand != 0 || smaller[31]);
    round_up = significand[2] & (significand[3] | (significand[1:0] != 0));
    return exponent == 8'hff ? {sign, 31'h7f80_0000}
        : {sign, {significand[26] ? exponent : 8'b0, significand[25:3]} + 31'(round_up)};
  endfunction

  function automatic result_t f32_sum(input result_t x, input result_t y);
    result_t larger, smaller, sum;
    if (x[30:0] < y[30:0]) begin
      larger = y;
      smaller = x;
    end else begin
      larger = x;
      smaller = y;
    end
    if (larger[30:23] != 8'hff) sum = finite_sum(larger, smaller);
    else if (larger[22:0] != 0 || (smaller[30:23] == 8'hff && larger[31] != smaller[31]))
      sum = F32_NAN;
    else sum = larger;
    return sum;
  endfunction

  function automatic result_t multiply_accumulate(input logic is_f16, input result_t sum,
                                                  input operand_t a, input operand_t b);
    result_t addend, result;
    if (is_f16) begin
      addend = f16_product(a, b);
      result = f32_sum(sum, addend);
    end else begin
      addend = 32'(signed'(a[7:0]) * signed'(b[7:0]));
      result = sum + addend;
    end
    return result;
  endfunction

endpackage
