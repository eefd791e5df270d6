// The schedule of lrab_hierarchical_allreduce as spec 8.2 words it: who sends where, in which
// order.
#include <boost/test/unit_test.hpp>

#include "sw/collectives/mesh_schedules.h"

using namespace kernbench;
using namespace kernbench::schedules;

BOOST_AUTO_TEST_SUITE(mesh_schedule)

namespace {

// "send E, reduce W | pass_on E, reduce W": phases between bars.
std::string text_of(const Schedule& schedule) {
  const std::vector<std::string> kinds{"send", "pass_on", "receive", "reduce", "finish"};
  std::string text;
  for (const Phase& phase : schedule) {
    if (phase.empty()) continue;
    if (!text.empty()) text += " | ";
    for (std::size_t i = 0; i < phase.size(); ++i) {
      const Step& step = phase[i];
      text += (i == 0 ? "" : ", ") + kinds.at(static_cast<std::size_t>(step.kind)) +
              (step.direction.empty() ? "" : " ") + step.direction;
    }
  }
  return text;
}

std::string exchange(const char* topology, int w, int h, int rank) {
  return text_of(sip_exchange({topology, w * h, w, h}, rank));
}

// In 4 x 3 cubes with the root at (2, 1).
std::string up(int x, int y) { return mesh_to_root({x, y, 4, 3, 2, 1}).up; }

}  // namespace

BOOST_AUTO_TEST_CASE(rows_lead_to_the_roots_column_and_that_to_the_root) {
  for (int y = 0; y < 3; ++y) {
    BOOST_TEST(up(0, y) == "E");
    BOOST_TEST(up(1, y) == "E");
    BOOST_TEST(up(3, y) == "W");
  }
  BOOST_TEST(up(2, 0) == "S");
  BOOST_TEST(up(2, 2) == "N");
  BOOST_TEST(up(2, 1) == "");
}

// Every sender up to a cube is among the receivers of that cube's downward messages.
BOOST_AUTO_TEST_CASE(broadcasts_are_the_mirror_image) {
  for (int root = 0; root < 12; ++root) {
    const auto place = [root](int x, int y) {
      return mesh_to_root({x, y, 4, 3, root % 4, root / 4});
    };
    const auto leads_down = [&](int x, int y, const char* direction) {
      const std::vector<std::string> down = place(x, y).down;
      return std::count(down.begin(), down.end(), direction) == 1;
    };
    for (int x = 0; x < 4; ++x) {
      for (int y = 0; y < 3; ++y) {
        const std::string to_root = place(x, y).up;
        if (to_root == "E") BOOST_TEST(leads_down(x + 1, y, "W"));
        if (to_root == "W") BOOST_TEST(leads_down(x - 1, y, "E"));
        if (to_root == "S") BOOST_TEST(leads_down(x, y + 1, "N"));
        if (to_root == "N") BOOST_TEST(leads_down(x, y - 1, "S"));
      }
    }
  }
}

// n - 1 rounds: first the own sum, then what came.
BOOST_AUTO_TEST_CASE(a_ring_of_sips_passes_on_what_came) {
  BOOST_TEST(exchange("ring_1d", 1, 1, 0) == "");
  BOOST_TEST(exchange("ring_1d", 2, 1, 1) == "send global_E, reduce global_W");
  BOOST_TEST(exchange("ring_1d", 4, 1, 2) ==
             "send global_E, reduce global_W | pass_on global_E, reduce global_W | pass_on "
             "global_E, reduce global_W");
}

BOOST_AUTO_TEST_CASE(a_torus_goes_along_rows_then_along_columns) {
  for (int rank = 0; rank < 6; ++rank) {
    BOOST_TEST(exchange("torus_2d", 3, 2, rank) ==
               "send global_E, reduce global_W | pass_on global_E, reduce global_W | send "
               "global_S, reduce global_N");
  }
}

// To coordinate 0 and back, first in x, then in y. SIP 4 of 3 x 2 is at (1, 1).
BOOST_AUTO_TEST_CASE(a_mesh_has_chains_to_coordinate_0_and_back) {
  BOOST_TEST(exchange("mesh_2d_no_wrap", 3, 1, 0) == "reduce global_E | send global_E");
  BOOST_TEST(exchange("mesh_2d_no_wrap", 3, 1, 1) ==
             "reduce global_E, send global_W | receive global_W, send global_E");
  BOOST_TEST(exchange("mesh_2d_no_wrap", 3, 1, 2) == "send global_W | receive global_W");
  BOOST_TEST(exchange("mesh_2d_no_wrap", 3, 2, 4) ==
             "reduce global_E, send global_W | receive global_W, send global_E | send global_N | "
             "receive global_N");
}

BOOST_AUTO_TEST_SUITE_END()
