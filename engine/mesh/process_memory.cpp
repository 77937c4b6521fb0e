// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/process_memory.h"

#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace meshreel {

bool mayCopyBetweenProcesses() {
    long word = 1;
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0)
        return false;
    if (child == 0) {
        long copy = 0;
        const iovec local{&copy, sizeof copy};
        const iovec remote{&word, sizeof word};
        const bool copied = ::process_vm_readv(parent, &local, 1, &remote, 1, 0) == sizeof copy;
        ::_exit(copied ? 0 : 1);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace meshreel
