// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/transport.h"

#include "engine/base/error.h"

namespace meshreel {

std::shared_ptr<Loans> Endpoint::startLoans(std::span<const Send>, std::span<const Borrow>) {
    throw Error(ErrorKind::Internal, "a device without a common memory was asked to lend some");
}

}  // namespace meshreel
