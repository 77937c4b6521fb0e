// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mesh_failure.h"

#include <fmt/format.h>

#include "engine/base/error.h"

namespace meshreel {

MeshFailure describeFailure(int device, const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const Error& error) {
        return {.device = device,
                .host = {},
                .reason = error.what(),
                .cancelled = error.kind() == ErrorKind::Cancelled};
    } catch (const std::exception& error) {
        return {.device = device, .host = {}, .reason = error.what()};
    } catch (...) {
        return {.device = device, .host = {}, .reason = "an unknown exception"};
    }
}

void throwForOthers(const MeshFailure& failure) {
    if (failure.cancelled)
        throw Error(ErrorKind::Cancelled, "Cancelled");
    std::string who = failure.device >= 0 ? fmt::format("device {}", failure.device) : "";
    if (!failure.host.empty())
        who += fmt::format("{}rank {} on {}", who.empty() ? "" : " of ", failure.rank, failure.host);
    throw Error(ErrorKind::Device, fmt::format("{} failed: {}", who, failure.reason));
}

}  // namespace meshreel
