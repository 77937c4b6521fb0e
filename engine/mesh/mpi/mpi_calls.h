// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// For the communication thread's own files only: nothing else may see MPI.
#include <mpi.h>

#include <string_view>

#include "engine/base/error.h"

namespace meshreel {

/// Throws Error{Device} unless an MPI function returned success.
inline void checkMpi(int code) {
    if (code == MPI_SUCCESS)
        return;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    throw Error(ErrorKind::Device,
                sentence("MPI failed: {}", std::string_view(text, static_cast<std::size_t>(length))), {},
                sentence("Check the network between the hosts"));
}

}  // namespace meshreel
