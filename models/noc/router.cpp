#include "models/noc/router.h"

namespace kernbench {

template class RouterNode<SerialService>;

}  // namespace kernbench
