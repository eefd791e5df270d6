#include "platform/output/result_file.h"

#include <boost/test/unit_test.hpp>
#include <string>

#include "models/base/errors.h"
#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"

namespace kernbench {
namespace {

using test::check_contains;
using test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(result_file_test)

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_written_leaves_the_earlier_one) {
  const TemporaryFolder folder;
  const std::string path = folder.write("index.html", "earlier");
  folder.write("index.html.tmp/file", "");  // in the way of the new one
  BOOST_CHECK_EXCEPTION(write_whole_file(path, "new"), Error, [](const Error& error) {
    check_contains(error.what(), {"cannot write", "index.html': Is a directory"});
    return true;
  });
  BOOST_TEST(folder.read("index.html") == "earlier");
  write_whole_file(folder.file("other.html"), "new");
  BOOST_TEST(folder.read("other.html") == "new");
  BOOST_TEST(!folder.has("other.html.tmp"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace kernbench
