// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mpi/mpi_environment.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace meshreel {
namespace {

// The first is mpirun's, the second that of any PMIx server (Slurm's srun among them).
constexpr std::array rankVariables{"OMPI_COMM_WORLD_RANK", "PMIX_RANK"};

const char* rankText() {
    for (const char* variable : rankVariables)
        if (const char* text = std::getenv(variable); text != nullptr)
            return text;
    return nullptr;
}

}  // namespace

bool underMpirun() {
    return rankText() != nullptr;
}

int rankByEnvironment() {
    const char* text = rankText();
    int rank = 0;
    if (text != nullptr) {
        const std::string_view digits(text);
        std::from_chars(digits.data(), digits.data() + digits.size(), rank);
    }
    return rank;
}

}  // namespace meshreel
