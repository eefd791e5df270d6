// Mixture of experts of a layer: tokens are packed for each expert, and the results of the experts
// are added with the weights of the router. The experts of a rank are computed sequentially, each
// by all PEs.
#include <algorithm>
#include <utility>

#include "sw/models/layer.h"
#include "sw/ops/experts.h"
#include "sw/ops/matmul.h"

namespace kernbench {
namespace {

// Token of the batch, and which of its experts.
using Routed = ops::RoutedToken;

// Tokens of `tokens` that chose each expert, in ascending order.
std::vector<std::vector<Routed>> tokens_by_expert(const std::vector<std::int64_t>& experts,
                                                  const ops::Range& tokens, std::int64_t top_k,
                                                  std::int64_t count) {
  std::vector<std::vector<Routed>> lists(static_cast<std::size_t>(count));
  for (std::int64_t token = tokens.begin; token < tokens.end; ++token) {
    for (std::int64_t i = 0; i < top_k; ++i) {
      const std::int64_t expert = experts[static_cast<std::size_t>(token * top_k + i)];
      lists[static_cast<std::size_t>(expert)].push_back({token, i});
    }
  }
  return lists;
}

std::int64_t size_of_list(const std::vector<Routed>& list) {
  return static_cast<std::int64_t>(list.size());
}

// Rows that the rank sends to and receives from each rank. Experts are in ascending order in both,
// received ones within the rows of a sender.
struct Exchange {
  std::vector<std::vector<std::vector<Routed>>> lists;  // by sender, then by expert
  std::vector<std::int64_t> sent, received;             // rows to and from each rank
  ops::Range experts;                                   // those of the rank
};

Exchange exchange_of(const ModelSpec& model, const LayerPlacement& placement,
                     const std::vector<std::int64_t>& experts, std::int64_t tokens_of_rank) {
  const std::int64_t tp = placement.parallelism.tp, of_rank = model.experts / tp,
                     tokens = static_cast<std::int64_t>(experts.size()) / model.top_k;
  Exchange exchange;
  exchange.experts = {placement.rank * of_rank, (placement.rank + 1) * of_rank};
  for (std::int64_t rank = 0; rank < tp; ++rank) {
    exchange.lists.push_back(tokens_by_expert(
        experts,
        {std::min(tokens, rank * tokens_of_rank), std::min(tokens, (rank + 1) * tokens_of_rank)},
        model.top_k, model.experts));
  }
  const auto rows = [&](std::int64_t sender, std::int64_t receiver) {
    std::int64_t sum = 0;
    for (std::int64_t e = receiver * of_rank; e < (receiver + 1) * of_rank; ++e)
      sum += size_of_list(
          exchange.lists[static_cast<std::size_t>(sender)][static_cast<std::size_t>(e)]);
    return sum;
  };
  for (std::int64_t rank = 0; rank < tp; ++rank) {
    exchange.sent.push_back(rows(placement.rank, rank));
    exchange.received.push_back(rows(rank, placement.rank));
  }
  return exchange;
}

std::int64_t sum_of(const std::vector<std::int64_t>& counts) {
  std::int64_t sum = 0;
  for (const std::int64_t count : counts) sum += count;
  return sum;
}

// Rows of the received tensor that an expert of the rank has.
std::vector<std::int64_t> received_rows(const Exchange& exchange, std::int64_t expert) {
  std::vector<std::int64_t> rows;
  std::int64_t row = 0;
  for (const auto& by_expert : exchange.lists) {
    for (std::int64_t e = exchange.experts.begin; e < exchange.experts.end; ++e) {
      for (std::size_t i = 0; i < by_expert[static_cast<std::size_t>(e)].size(); ++i, ++row) {
        if (e == expert) rows.push_back(row);
      }
    }
  }
  return rows;
}

}  // namespace

TransformerLayer::Choice TransformerLayer::choose(const Tensor& h, std::int64_t first,
                                                  std::int64_t all_tokens) {
  const std::int64_t tokens = h.shape()[0];
  const Tensor logits = torch_.empty({tokens, model_.experts}, f32,
                                     ops::columns_over(placement_.grid, model_.experts), "logits");
  ops::MatmulOptions options;
  options.name = "router";
  ops::matmul(torch_, h, weights_.router, logits, options);

  const Shape shape{tokens, model_.top_k}, of_all{all_tokens, model_.top_k};
  const DPPolicy policy = ops::rows_over(placement_.grid, tokens);
  const Tensor chosen = torch_.empty(shape, i32, policy, "chosen");
  Choice choice;
  choice.weights = torch_.empty(shape, f32, policy, "expert_weights");
  if (placement_.routing == Routing::computed) {
    ops::route(torch_, logits, chosen, choice.weights);
    Tensor everywhere = chosen;
    if (tokens != all_tokens) {
      everywhere = torch_.empty(of_all, i32, policy, "chosen_gathered");
      torch_.distributed.all_gather_into_tensor(everywhere, chosen, placement_.group);
    }
    for (const double expert : everywhere.to_host().values())
      choice.experts.push_back(static_cast<std::int64_t>(expert));
    return choice;
  }
  for (std::int64_t i = 0; i < of_all.elements(); ++i) choice.experts.push_back(i % model_.experts);
  Tensor assigned = torch_.empty(shape, i32, policy, "assigned");
  if (torch_.with_data()) {
    const auto own = choice.experts.begin() + first * model_.top_k;
    torch_.untimed([&] {
      assigned.copy_(HostArray(shape, i32, std::vector<double>(own, own + shape.elements())));
    });
  }
  ops::route(torch_, logits, chosen, choice.weights, assigned);
  return choice;
}

std::vector<TransformerLayer::Addend> TransformerLayer::mixture(const Tensor& h,
                                                                std::int64_t own_rows) {
  const std::int64_t tokens = h.shape()[0];
  const Choice choice = choose(h, 0, tokens);
  const auto lists = tokens_by_expert(choice.experts, {0, tokens}, model_.top_k, model_.experts);

  std::vector<Tensor> hidden(lists.size());
  for (std::size_t e = 0; e < lists.size(); ++e) {
    if (lists[e].empty()) continue;
    const Tensor packed = rows(size_of_list(lists[e]), model_.hidden, "packed");
    std::vector<ops::RowCopy> copies;
    for (const Routed& routed : lists[e])
      copies.push_back({routed.token, static_cast<std::int64_t>(copies.size())});
    ops::copy_rows(torch_, h, copies, packed, "dispatch");
    hidden[e] = hidden_layer(packed, weights_.experts[e]);
  }
  // The experts add in ascending order: the lowest one of a token begins its sum.
  std::vector<std::vector<bool>> begins(lists.size());
  for (std::size_t e = 0; e < lists.size(); ++e) {
    for (const Routed& routed : lists[e]) {
      const auto first = choice.experts.begin() + routed.token * model_.top_k;
      begins[e].push_back(*std::min_element(first, first + model_.top_k) ==
                          static_cast<std::int64_t>(e));
    }
  }
  std::vector<Addend> addends;
  std::int64_t column = 0;
  for (std::size_t part = 0; part < weights_.experts.front().down.size(); ++part) {
    const std::int64_t width = weights_.experts.front().down[part].shape()[1];
    // reduce_scatter requires the sum on the PEs that have the rank's rows of x.
    const Tensor sum =
        torch_.empty({tokens, width}, dtype_, ops::rows_over(placement_.grid, own_rows), "mixture");
    for (std::size_t e = 0; e < hidden.size(); ++e) {
      if (lists[e].empty()) continue;
      const Tensor product = projected(hidden[e], weights_.experts[e].down[part], "down");
      ops::add_weighted_rows_(torch_, product, choice.weights, lists[e], begins[e], sum, "combine");
    }
    addends.push_back(reduced(sum, true, {0, own_rows}, {column, column + width}, "mlp"));
    column += width;
  }
  return addends;
}

std::vector<TransformerLayer::Addend> TransformerLayer::distributed_mixture(const Tensor& h,
                                                                            std::int64_t own_rows) {
  const std::int64_t tp = placement_.parallelism.tp, rank = placement_.rank;
  const bool has_own_tokens = placement_.parallelism.sequence;
  const std::int64_t all_tokens = has_own_tokens ? own_rows * tp : own_rows,
                     share = (all_tokens + tp - 1) / tp,
                     first_of_h = has_own_tokens ? rank * share : 0;
  const Choice choice = choose(h, first_of_h, all_tokens);
  const Exchange exchange = exchange_of(model_, placement_, choice.experts, share);

  const auto exchanged = [&](const std::vector<std::int64_t>& counts, const std::string& name) {
    return columns(sum_of(counts), model_.hidden, name);
  };
  const Tensor sent = exchanged(exchange.sent, "dispatched"),
               received = exchanged(exchange.received, "received"),
               results = exchanged(exchange.received, "expert_results"),
               returned = exchanged(exchange.sent, "returned");
  std::vector<ops::RowCopy> copies;
  std::vector<std::vector<ops::WeightedRow>> summands(static_cast<std::size_t>(share));
  for (const auto& list : exchange.lists[static_cast<std::size_t>(rank)]) {
    for (const Routed& routed : list) {
      const auto row = static_cast<std::int64_t>(copies.size());
      const std::int64_t row_of_h = routed.token - first_of_h;
      copies.push_back({row_of_h, row});
      summands[static_cast<std::size_t>(routed.token - rank * share)].push_back(
          {row, {row_of_h, routed.choice}});
    }
  }
  while (!summands.empty() && summands.back().empty()) summands.pop_back();
  ops::copy_rows(torch_, h, copies, sent, "dispatch");
  torch_.distributed.all_to_all_single(received, sent, exchange.received, exchange.sent,
                                       placement_.group);
  for (std::size_t i = 0; i < weights_.experts.size(); ++i) {
    const std::vector<std::int64_t> of_expert =
        received_rows(exchange, exchange.experts.begin + static_cast<std::int64_t>(i));
    if (of_expert.empty()) continue;
    const auto count = static_cast<std::int64_t>(of_expert.size());
    std::vector<ops::RowCopy> to_expert, back;
    for (std::int64_t row = 0; row < count; ++row) {
      to_expert.push_back({of_expert[static_cast<std::size_t>(row)], row});
      back.push_back({row, of_expert[static_cast<std::size_t>(row)]});
    }
    const Tensor packed = rows(count, model_.hidden, "packed");
    ops::copy_rows(torch_, received, to_expert, packed, "dispatch");
    const MlpWeights& expert = weights_.experts[i];
    const Tensor product = projected(hidden_layer(packed, expert), expert.down.front(), "down");
    ops::copy_rows(torch_, product, back, results, "combine");
  }
  torch_.distributed.all_to_all_single(returned, results, exchange.sent, exchange.received,
                                       placement_.group);
  const Tensor sums = rows(share, model_.hidden, "mixture");
  ops::sum_weighted_rows(torch_, returned, choice.weights, summands, sums, "combine");
  const ops::Range all_columns{0, model_.hidden};
  if (has_own_tokens) return {{sums, {0, own_rows}, all_columns, {}}};
  const Tensor gathered = torch_.empty({share * tp, model_.hidden}, dtype_,
                                       ops::rows_over(placement_.grid, share), "mixture_gathered");
  torch_.distributed.all_gather_into_tensor(gathered, sums, placement_.group);
  return {{gathered, {0, own_rows}, all_columns, {}}};
}

}  // namespace kernbench
