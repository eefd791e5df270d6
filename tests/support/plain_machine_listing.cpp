// Programs as text, for counterexamples.
#include "tests/support/plain_machine.h"

namespace kernbench::test {
namespace {

std::string shape_text(const Block& block) {
  return std::string(name_of(block.dtype)) + "{" + std::to_string(block.rows) + ", " +
         std::to_string(block.columns) + "}";
}

std::string text_of(const Action& action, const std::vector<Block>& blocks, std::size_t result) {
  const auto name = [&](std::size_t block) {
    return "b" + std::to_string(block) + ":" + shape_text(blocks[block]);
  };
  std::string operands;
  for (const std::size_t block : action.operands)
    operands += (operands.empty() ? "" : ", ") + name(block);
  if (action.has_scalar) operands += ", " + std::to_string(action.scalar);
  const auto made = [&](const std::string& what) { return name(result) + " = " + what; };
  switch (action.kind) {
    case ActionKind::load:
      return made("load " + std::to_string(action.at));
    case ActionKind::make:
      return made("full " + std::to_string(action.scalar));
    case ActionKind::store:
      return "store " + std::to_string(action.at) + ", " + operands;
    case ActionKind::copy:
      return "copy " + std::to_string(action.count) + " bytes from " + std::to_string(action.at) +
             " to " + std::to_string(action.to);
    case ActionKind::math:
      return made(std::string(name_of(action.op)) + "(" + operands + ")");
    case ActionKind::cast:
      return made("cast(" + operands + ")");
    case ActionKind::reduce:
      return made(std::string(name_of(action.op)) + "(" + operands + ", axis " +
                  std::to_string(action.axis) + ")");
    case ActionKind::dot:
      return made("dot(" + operands + ")");
    case ActionKind::transpose:
      return made("trans(" + operands + ")");
    case ActionKind::slice:
      return made("slice(" + operands + ", " + std::to_string(action.begin) + ", " +
                  std::to_string(action.end) + ")");
    case ActionKind::reshape:
      return made("reshape(" + operands + ")");
    case ActionKind::broadcast:
      return made("broadcast_to(" + operands + ")");
    case ActionKind::read:
      return "read " + operands;
  }
  return "";
}

bool makes_a_block(ActionKind kind) {
  return kind != ActionKind::store && kind != ActionKind::copy && kind != ActionKind::read;
}

}  // namespace

void showValue(const Step& step, std::ostream& out) {
  out << "{" << step.kind << ", {";
  for (std::size_t i = 0; i < step.numbers.size(); ++i)
    out << (i == 0 ? "" : ", ") << step.numbers[i];
  out << "}}";
}

std::string PlainMachine::listing() const {
  std::string lines;
  std::size_t block = 0;
  for (const Action& action : actions_) {
    lines += "  " + text_of(action, blocks_, block) + "\n";
    if (makes_a_block(action.kind)) ++block;
  }
  return lines;
}

}  // namespace kernbench::test
