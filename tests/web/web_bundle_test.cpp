// ES modules as one script, for the exported file (spec 11.5).
#include "platform/web/web_bundle.h"

#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "tests/support/error_text.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(web_bundle_test)

BOOST_AUTO_TEST_CASE(modules_become_functions_in_the_order_of_their_imports) {
  const std::string script = bundled_modules(
      {{"main.js",
        "import { a, b as c } from \"./x.js\";\nimport * as y from \"./y.js\";\n"
        "import \"./z.js\";\nstart(a, c, y);\n"},
       {"x.js", "export const a = 1;\nexport function b() {}\nexport class D extends E {}\n"},
       {"y.js", "import {\n  a,\n} from \"./x.js\";\nconst e = a;\nexport { e, e as f };\n"},
       {"z.js", "window.z = 1;"}},
      "main.js");
  BOOST_TEST(script ==
             "(function () {\nconst modules = {};\n"
             "modules[\"x.js\"] = (function () {\n\"use strict\";\n"
             "const a = 1;\nfunction b() {}\nclass D extends E {}\nreturn { a, b, D, };\n})();\n"
             "modules[\"y.js\"] = (function () {\n\"use strict\";\n"
             "const { a } = modules[\"x.js\"];\nconst e = a;\n\nreturn { e, f: e, };\n})();\n"
             "modules[\"z.js\"] = (function () {\n\"use strict\";\nwindow.z = 1;\n"
             "return { };\n})();\n"
             "modules[\"main.js\"] = (function () {\n\"use strict\";\n"
             "const { a, b: c } = modules[\"x.js\"];\nconst y = modules[\"y.js\"];\n\n"
             "start(a, c, y);\nreturn { };\n})();\n})();\n");
}

BOOST_AUTO_TEST_CASE(other_forms_unknown_modules_and_cycles_are_refused) {
  const auto fault = [](const std::map<std::string, std::string>& modules) {
    return error_of<Error>([&] { bundled_modules(modules, "a.js"); });
  };
  BOOST_TEST(fault({{"a.js", "export default 1;\n"}}).find("export default") != std::string::npos);
  BOOST_TEST(fault({{"a.js", "import x from \"./b.js\";\n"}}).find("a.js") != std::string::npos);
  BOOST_TEST(fault({{"a.js", "import \"./b.js\";\n"}}).find("'b.js'") != std::string::npos);
  BOOST_TEST(
      fault({{"a.js", "import \"./b.js\";\n"}, {"b.js", "import \"./a.js\";\n"}}).find("cycle") !=
      std::string::npos);
}

BOOST_AUTO_TEST_CASE(names_that_a_module_would_lack_are_refused) {
  const auto fault = [](const std::string& exporting, const std::string& importing) {
    return error_of<Error>([&] {
      bundled_modules({{"a.js", importing}, {"b.js", exporting}}, "a.js");
    });
  };
  const std::string several = fault("export const x = [1, 2], y = 3;\n", "import \"./b.js\";\n");
  BOOST_TEST(several.find("web/b.js") == 0U, several);
  BOOST_TEST(several.find("'x'") != std::string::npos, several);
  BOOST_TEST(fault("export let x, y;\n", "import \"./b.js\";\n").find("'x'") != std::string::npos);
  const std::string lacking =
      fault("export const x = 1;\n", "import { x, z as w } from \"./b.js\";\n");
  BOOST_TEST(lacking == "web/a.js: imports 'z', which b.js does not export");
  // Commas in values, strings and comments separate no names.
  const std::string script =
      bundled_modules({{"a.js", "import { x as u, y, z } from \"./b.js\";\nf(u, y, z);\n"},
                       {"b.js",
                        "export const x = { p: [1, 2], q: (a, b) => a };  // a, b\n"
                        "export const y = \", \\\",\" + `,` /* , */ + ',';\nconst s = 1, t = "
                        "2;\nexport { s as z, t };\n"}},
                      "a.js");
  BOOST_TEST(script.find("const { x: u, y, z } = modules[\"b.js\"];") != std::string::npos, script);
}

BOOST_AUTO_TEST_CASE(the_exported_page_has_every_module_and_no_request) {
  const std::string page = exported_page("{\"/api/session\":{\"x\":\"</script><b>\"}}");
  BOOST_TEST(page.find("default-src 'none'") != std::string::npos);
  BOOST_TEST(page.find("src=\"") == std::string::npos);
  BOOST_TEST(page.find("rel=\"stylesheet\"") == std::string::npos);
  BOOST_TEST(page.find("\\u003c/script>\\u003cb>") != std::string::npos);
  BOOST_TEST(page.find("</script><b>") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
