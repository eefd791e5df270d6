// Generated requests (spec 7): a Poisson process, distributions of lengths.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "models/base/errors.h"
#include "sw/serving/request_trace.h"
#include "tests/support/error_text.h"

using namespace kernbench;
using namespace kernbench::serving;
using kernbench::test::error_of;

BOOST_AUTO_TEST_SUITE(request_generator_test)

namespace {

TraceRecipe many_requests() {
  TraceRecipe recipe;
  recipe.requests = 10'000;
  recipe.requests_per_s = 1e6;  // mean gap 1000 ns
  recipe.prompt = parse_length_distribution("prompt", "lognormal(128,0.8,100000)");
  recipe.output = parse_length_distribution("output", "uniform(16,47)");
  return recipe;
}

template <class Field>
bool same(const std::vector<Request>& a, const std::vector<Request>& b, Field field) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [field](const Request& x, const Request& y) { return x.*field == y.*field; });
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_seed_determines_the_requests) {
  const auto first = generate_requests(many_requests()), again = generate_requests(many_requests());
  TraceRecipe recipe = many_requests();
  recipe.seed = 2;
  const auto other = generate_requests(recipe);
  for (const auto field : {&Request::prompt_tokens, &Request::output_tokens}) {
    BOOST_TEST(same(first, again, field));
    BOOST_TEST(!same(first, other, field));
  }
  BOOST_TEST(same(first, again, &Request::arrival));
  BOOST_TEST(!same(first, other, &Request::arrival));
}

BOOST_AUTO_TEST_CASE(a_distribution_of_lengths_leaves_the_arrivals) {
  TraceRecipe recipe = many_requests();
  const auto first = generate_requests(recipe);
  recipe.prompt = {5, 5};
  const auto other = generate_requests(recipe);
  BOOST_TEST(same(first, other, &Request::arrival));
  BOOST_TEST(same(first, other, &Request::output_tokens));
  BOOST_TEST(std::all_of(other.begin(), other.end(),
                         [](const Request& request) { return request.prompt_tokens == 5; }));
}

// Gaps of an exponential distribution: mean and standard deviation 1000 ns. The mean of 10,000 has
// a standard deviation of 10 ns: within 5 of them. A share e^-1 = 0.368 is longer than the mean,
// with a standard deviation of sqrt(0.368 * 0.632 / 10,000) = 0.0048.
BOOST_AUTO_TEST_CASE(arrivals_are_a_poisson_process) {
  const auto requests = generate_requests(many_requests());
  BOOST_TEST(std::abs(to_ns(requests.back().arrival) / 10'000 - 1000) < 50);
  int longer = 0;
  Fs previous = 0;
  for (const Request& request : requests) {
    BOOST_REQUIRE(request.arrival >= previous);
    if (request.arrival - previous > 1000 * fs_per_ns) ++longer;
    previous = request.arrival;
  }
  BOOST_TEST(std::abs(longer / 10'000.0 - std::exp(-1)) < 0.024);
}

// Uniform over 32 values from 16: mean 31.5, standard deviation sqrt((32^2 - 1) / 12) = 9.2, of the
// mean 0.092. Half of the log-normal lengths are below the median (standard deviation 0.005; 1 % of
// them are equal to it), a share of 0.159 above the median * e^0.8 = 285 (0.0037).
BOOST_AUTO_TEST_CASE(lengths_have_their_distribution) {
  const auto requests = generate_requests(many_requests());
  double output_tokens = 0, below = 0, above = 0;
  std::uint32_t shortest = 100, longest = 0;
  for (const Request& request : requests) {
    output_tokens += request.output_tokens;
    shortest = std::min(shortest, request.output_tokens);
    longest = std::max(longest, request.output_tokens);
    below += request.prompt_tokens < 128 ? 1 : 0;
    above += request.prompt_tokens > 285 ? 1 : 0;
  }
  BOOST_TEST(std::abs(output_tokens / 10'000 - 31.5) < 0.46);
  BOOST_TEST(shortest == 16U);
  BOOST_TEST(longest == 47U);
  BOOST_TEST(std::abs(below / 10'000 - 0.5) < 0.03);
  BOOST_TEST(std::abs(above / 10'000 - 0.159) < 0.02);
}

BOOST_AUTO_TEST_CASE(lengths_are_clipped_to_their_bounds) {
  TraceRecipe recipe = many_requests();
  recipe.prompt = parse_length_distribution("prompt", "lognormal(2,3,4)");
  std::vector<int> seen(6);
  for (const Request& request : generate_requests(recipe))
    ++seen.at(std::min(request.prompt_tokens, 5U));
  BOOST_TEST(seen[0] == 0);
  BOOST_TEST(seen[1] > 0);
  BOOST_TEST(seen[4] > 0);
  BOOST_TEST(seen[5] == 0);
}

BOOST_AUTO_TEST_CASE(without_a_rate_all_requests_arrive_at_once) {
  TraceRecipe recipe = many_requests();
  recipe.requests_per_s = 0;
  BOOST_TEST(generate_requests(recipe).back().arrival == 0U);
}

BOOST_AUTO_TEST_CASE(a_distribution_of_lengths_is_a_text) {
  const LengthDistribution constant = parse_length_distribution("prompt", "128");
  BOOST_TEST(constant.low == 128U);
  BOOST_TEST(constant.high == 128U);
  BOOST_TEST(constant.median == 0);
  const LengthDistribution lognormal =
      parse_length_distribution("prompt", "lognormal(128,0.8,512)");
  BOOST_TEST(lognormal.median == 128);
  BOOST_TEST(lognormal.sigma == 0.8);
  BOOST_TEST(lognormal.high == 512U);
  for (const char* text : {"", "0", "1.5", "-1", "12x", "uniform(5,4)", "uniform(5)", "uniform(1,2",
                           "uniform(1,2)x", "lognormal(9,0.8,8)", "lognormal(9,-1,10)",
                           "lognormal(nan,1,10)", "99999999", "normal(1,2)"}) {
    const std::string message =
        error_of<UsageError>([&] { parse_length_distribution("prompt", text); });
    BOOST_TEST(message.find("prompt is '" + std::string(text) +
                            "', allowed is N, uniform(LOW,HIGH) or lognormal(") == 0U,
               message);
  }
}

BOOST_AUTO_TEST_CASE(recipes_that_make_no_trace_are_an_error) {
  const auto text = [](std::uint64_t requests, double rate) {
    return error_of<UsageError>([&] {
      TraceRecipe recipe;
      recipe.requests = requests;
      recipe.requests_per_s = rate;
      generate_requests(recipe);
    });
  };
  BOOST_TEST(text(0, 1) == "the number of requests is 0, allowed is at least 1");
  BOOST_TEST(text(1, -2) ==
             "the arrival rate is -2 requests/s, allowed is a number above 0, or 0: all at once");
  BOOST_TEST(text(1, std::nan("")) != "");
  kernbench::test::check_contains(text(1000, 1e-3), {"the arrival rate is 0.001 requests/s",
                                                     "of 1000 would arrive after 9223 s"});
}

BOOST_AUTO_TEST_SUITE_END()
