// Requests of a Poisson process with random lengths. Draws are defined here: those of the standard
// distributions depend on the library.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "sw/serving/request_trace.h"

namespace kernbench::serving {
namespace {

// Uniform in (0, 1].
double draw(std::mt19937_64& random) {
  return (static_cast<double>(random() >> 11U) + 1) * 0x1p-53;
}

double draw_normal(std::mt19937_64& random) {
  constexpr double two_pi = 6.283185307179586;
  const double radius = std::sqrt(-2 * std::log(draw(random)));
  return radius * std::cos(two_pi * draw(random));
}

std::uint32_t draw_length(const LengthDistribution& lengths, std::mt19937_64& random) {
  const double low = lengths.low, high = lengths.high;
  const double length =
      lengths.median > 0
          ? std::round(lengths.median * std::exp(lengths.sigma * draw_normal(random)))
          : std::ceil(low - 1 + (high - low + 1) * draw(random));
  return static_cast<std::uint32_t>(std::clamp(length, low, high));
}

bool is_length(double value) {
  return value >= 1 && value <= most_tokens && value == std::floor(value);
}

std::mt19937_64 sequence(const TraceRecipe& recipe, std::uint64_t index) {
  return std::mt19937_64(recipe.seed * 0x9e3779b97f4a7c15ULL + index);
}

}  // namespace

LengthDistribution parse_length_distribution(std::string_view option, std::string_view text) {
  const std::string given(text);
  const char* const start = given.c_str();
  const auto length = [](double value) { return static_cast<std::uint32_t>(value); };
  double a = 0, b = 0, c = 0;
  int end = 0;
  const auto whole = [&] { return end == static_cast<int>(given.size()); };
  if (std::sscanf(start, "%lf%n", &a, &end) == 1 && whole() && is_length(a))
    return {length(a), length(a)};
  if (std::sscanf(start, "uniform(%lf,%lf)%n", &a, &b, &end) == 2 && whole() && is_length(a) &&
      is_length(b) && a <= b)
    return {length(a), length(b)};
  if (std::sscanf(start, "lognormal(%lf,%lf,%lf)%n", &a, &b, &c, &end) == 3 && whole() && a >= 1 &&
      b >= 0 && b <= 10 && is_length(c) && a <= c)
    return {1, length(c), a, b};
  throw UsageError(fmt::format(
      "{} is {}, allowed is N, uniform(LOW,HIGH) or lognormal(MEDIAN,SIGMA,LONGEST) with integers "
      "from 1 to {}, LOW <= HIGH, MEDIAN <= LONGEST, SIGMA 0 to 10",
      option, quote(text), most_tokens));
}

std::vector<Request> generate_requests(const TraceRecipe& recipe) {
  if (recipe.requests == 0) throw UsageError("the number of requests is 0, allowed is at least 1");
  const double rate = recipe.requests_per_s;
  if (!(rate >= 0) || !std::isfinite(rate)) {
    throw UsageError(fmt::format(
        "the arrival rate is {} requests/s, allowed is a number above 0, or 0: all at once", rate));
  }
  std::mt19937_64 arrivals = sequence(recipe, 0), prompts = sequence(recipe, 1),
                  outputs = sequence(recipe, 2);
  std::vector<Request> requests;
  double arrival_fs = 0;
  for (std::uint64_t i = 0; i < recipe.requests; ++i) {
    if (rate > 0) arrival_fs -= std::log(draw(arrivals)) / rate * 1e15;
    if (!(arrival_fs < 0x1p63)) {
      throw UsageError(
          fmt::format("the arrival rate is {} requests/s, with which request {} of {} would arrive "
                      "after 9223 s; allowed is a higher rate, or fewer requests",
                      rate, i, recipe.requests));
    }
    requests.push_back({static_cast<Fs>(std::llround(arrival_fs)),
                        draw_length(recipe.prompt, prompts), draw_length(recipe.output, outputs)});
  }
  return requests;
}

}  // namespace kernbench::serving
