// The worked examples of docs/approximations.md: the command of each is run, its steps add up to
// the sum that the page gives, and that sum is the figure of the program.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "tests/cli/program.h"
#include "tests/support/temporary_folder.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(approximations)

namespace {

constexpr long double fs_per_ns = 1e6L;

// "4*0.000001", "8+256/512+0.1": decimals, products and quotients, sums; no brackets.
long double value_of(const std::string& expression) {
  std::istringstream in(expression);
  long double sum = 0, product = 0, number = 0;
  if (!(in >> product)) throw std::runtime_error("no number in '" + expression + "'");
  for (char op = 0; in >> op;) {
    if (!(in >> number))
      throw std::runtime_error("no number behind '" + std::string(1, op) + "' in '" + expression +
                               "'");
    if (op == '*') {
      product *= number;
    } else if (op == '/') {
      product /= number;
    } else if (op == '+') {
      sum += product;
      product = number;
    } else {
      throw std::runtime_error("'" + std::string(1, op) + "' in '" + expression + "'");
    }
  }
  return sum + product;
}

long long fs(long double ns) { return std::llround(ns * fs_per_ns); }

struct Example {
  std::string command;
  std::vector<std::string> steps;  // expressions, ns
  std::string sum;                 // as the page writes it
  std::string pointer;             // where the program's JSON has it
};

// Every block of text that begins with a command: "$ kernbench ...", steps "  EXPRESSION  what", "=
// SUM  /json/pointer".
std::vector<Example> examples_of(const std::string& page) {
  std::vector<Example> examples;
  std::istringstream lines(page);
  bool inside = false;
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("$ kernbench ", 0) == 0) {
      examples.push_back({line.substr(12), {}, "", ""});
      inside = true;
    } else if (line == "```") {
      inside = false;
    } else if (inside && std::regex_match(line, match, std::regex("= (\\S+) +(/\\S+)"))) {
      examples.back().sum = match[1];
      examples.back().pointer = match[2];
    } else if (inside && std::regex_match(line, match, std::regex("  (\\S+)  +\\S.*"))) {
      examples.back().steps.push_back(match[1]);
    } else if (inside) {
      throw std::runtime_error("not a line of an example: '" + line + "'");
    }
  }
  return examples;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

}  // namespace

BOOST_AUTO_TEST_CASE(expressions_are_sums_of_products) {
  BOOST_TEST(fs(value_of("4*0.000001")) == 4);
  BOOST_TEST(fs(value_of("8+256/512+2*0.1")) == 8'700'000);
  for (const char* wrong : {"", "x", "1+", "1-2"})
    BOOST_CHECK_THROW(value_of(wrong), std::runtime_error);
}

BOOST_AUTO_TEST_CASE(the_steps_of_every_example_add_up_to_what_the_program_says) {
  const std::vector<Example> examples = examples_of(source_text("docs/approximations.md"));
  BOOST_TEST(examples.size() == 5U);
  for (const Example& example : examples) {
    BOOST_TEST_CONTEXT(example.command) {
      long double steps = 0;
      for (const std::string& step : example.steps) steps += value_of(step);
      BOOST_TEST(example.steps.size() > 5U);
      BOOST_TEST(fs(steps) == fs(std::stold(example.sum)),
                 "steps " << steps << ", sum " << example.sum);
      const ProgramResult run = kernbench_program(words(example.command));
      BOOST_REQUIRE_MESSAGE(run.status == 0, run.err);
      const auto simulated = nlohmann::json::parse(run.out)
                                 .at(nlohmann::json::json_pointer(example.pointer))
                                 .get<double>();
      BOOST_TEST(fs(simulated) == fs(std::stold(example.sum)),
                 "simulated " << simulated << ", page " << example.sum);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_page_can_be_found) {
  BOOST_TEST(source_text("README.md").find("(docs/approximations.md)") != std::string::npos);
  BOOST_TEST(source_text("docs/README.md").find("`approximations.md`") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
