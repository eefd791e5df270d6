#include "models/noc/router.h"

#include "models/noc/switch_service.h"

namespace kernbench {

template class RouterNode<SerialService>;
template class RouterNode<SwitchService>;

}  // namespace kernbench
