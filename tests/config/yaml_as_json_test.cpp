// YAML text as JSON text.
#include "platform/config/yaml_as_json.h"

#include <boost/test/unit_test.hpp>

using kernbench::yaml_as_json;

BOOST_AUTO_TEST_CASE(numbers_booleans_and_strings_keep_their_types_and_keys_their_order) {
  BOOST_TEST(
      yaml_as_json("# said\nzeta: {n: 256, r: 0.1, text: mesh, on: true, quoted: \"12\"}\nalpha: "
                   "[1, a, {}]\n") ==
      R"({"zeta":{"n":256,"r":0.1,"text":"mesh","on":true,"quoted":"12"},"alpha":[1,"a",{}]})");
  BOOST_TEST(yaml_as_json("empty:\nversion: 1.0.0\n") == R"({"empty":null,"version":"1.0.0"})");
}
