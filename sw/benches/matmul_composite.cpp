#include <map>

#include "models/base/errors.h"
#include "sw/benches/matmul_parameters.h"
#include "sw/benches/reference.h"
#include "sw/benches/shipped.h"
#include "sw/kernels/matmul.h"

namespace kernbench::benches {
namespace {

struct ActivationInfo {
  kernels::Activation activation;
  double (*reference)(double);  // null: none
};

const std::map<std::string, ActivationInfo>& activations() {
  using kernels::Activation;
  static const std::map<std::string, ActivationInfo> table{
      {"none", {Activation::none, nullptr}},
      {"relu", {Activation::relu, &reference::relu}},
      {"gelu", {Activation::gelu, &reference::gelu}},
      {"silu", {Activation::silu, &reference::silu}}};
  return table;
}

const std::map<std::string, kernels::MatmulVariant>& variants() {
  using kernels::MatmulVariant;
  static const std::map<std::string, MatmulVariant> table{{"ref_ref", MatmulVariant::ref_ref},
                                                          {"load_ref", MatmulVariant::load_ref},
                                                          {"load_load", MatmulVariant::load_load}};
  return table;
}

void run(Torch& torch) {
  const std::string& name = torch.parameters().text("epilogue");
  const ActivationInfo& epilogue = activations().at(name);
  if (!is_float(parse_dtype(torch.parameters().text("dtype"))) && name != "none" &&
      name != "relu") {
    throw UsageError("matmul-composite: epilogue " + name + " of dtype " +
                     torch.parameters().text("dtype") + "; allowed for integers are none and relu");
  }
  const MatmulTensors t = make_matmul_tensors(torch);
  const kernels::MatmulVariant variant = variants().at(torch.parameters().text("variant"));
  torch.launch(LaunchSpec("matmul").on_pe(0), kernels::matmul_composite, t.a, t.b, t.out, t.m, t.k,
               t.n, static_cast<int>(variant), static_cast<int>(epilogue.activation));
  torch.verify(t.out, [product = t.product, activate = epilogue.reference] {
    return activate == nullptr ? product() : reference::each(product(), activate);
  });
}

}  // namespace

Bench matmul_composite() {
  ParameterSchema parameters = matmul_parameters();
  parameters.push_back(
      Parameter::choice(
          "variant",
          "which operands are loaded into TCM before the tiles are made; the others stream",
          {"ref_ref", "load_ref", "load_load"}, "spec 10.3")
          .default_val("load_ref"));
  parameters.push_back(Parameter::choice("epilogue", "applied to every output tile",
                                         {"none", "relu", "gelu", "silu"}, "spec 5.3")
                           .default_val("none"));
  return {"matmul-composite", "Tiled matrix product on one PE, by operand variant and epilogue",
          std::move(parameters), &run};
}

}  // namespace kernbench::benches
