#include "models/noc/router.h"

#include <memory>
#include <utility>

#include "models/noc/pipelined_router.h"

namespace kernbench {

template class RouterNode<SerialService>;
template class RouterNode<PipelinedService>;

Implementation router_implementation(std::string name) {
  Implementation router = implementation_of<RouterNode<PipelinedService>>(std::move(name));
  router.create = [](const ComponentInit& init) -> std::unique_ptr<Component> {
    if (ServerParameters::are_defaults(init.attributes)) return make_component<Router>(init);
    return make_component<RouterNode<PipelinedService>>(init);
  };
  return router;
}

}  // namespace kernbench
