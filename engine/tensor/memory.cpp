// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tensor/memory.h"

#include "engine/base/error.h"
#include "engine/tensor/tensor_memory.h"

namespace meshreel {

std::shared_ptr<std::byte> Memory::allocateOnHost(std::size_t bytes) {
    return allocateMetered(bytes);
}

void Memory::copyBorrowed(std::byte* to, Memory* other, const std::byte* from, std::size_t bytes) {
    if (other != nullptr)
        throw Error(ErrorKind::Internal, "a device was to copy from another one that it does not reach");
    copyIn(to, {from, bytes});
}

}  // namespace meshreel
