// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mesh_failure.h"

#include <new>

#include "engine/base/system.h"

namespace meshreel {

namespace {

/// Names device and rank as far as they are known.
Sentence whoFailed(const MeshFailure& failure) {
    if (failure.host.empty())
        return failure.device >= 0 ? sentence("device {} failed: {}", failure.device, failure.reason)
                                   : failure.reason;
    if (failure.device < 0)
        return sentence("rank {} on {} failed: {}", failure.rank, failure.host, failure.reason);
    return sentence("device {} of rank {} on {} failed: {}", failure.device, failure.rank, failure.host,
                    failure.reason);
}

}  // namespace

MeshFailure describeFailure(int device, const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const Error& error) {
        return {.device = device,
                .host = {},
                .reason = error.asSentence(),
                .cancelled = error.kind() == ErrorKind::Cancelled};
    } catch (const std::bad_alloc&) {
        return {.device = device, .host = {}, .reason = outOfMemory().asSentence()};
    } catch (const std::exception& error) {
        return {.device = device, .host = {}, .reason = error.what()};
    } catch (...) {
        return {.device = device, .host = {}, .reason = sentence("an unknown exception")};
    }
}

Sentence toSentence(const MeshFailure& failure) {
    if (failure.host.empty())
        return failure.reason;
    if (failure.rank < 0)
        return sentence("{} failed: {}", failure.host, failure.reason);
    if (failure.device < 0)
        return sentence("rank {} on host {} failed: {}", failure.rank, failure.host, failure.reason);
    return sentence("device {} of rank {} on host {} failed: {}", failure.device, failure.rank, failure.host,
                    failure.reason);
}

void throwForOthers(const MeshFailure& failure) {
    if (failure.cancelled)
        throw Error(ErrorKind::Cancelled, sentence("Cancelled"));
    throw Error(ErrorKind::Device, whoFailed(failure));
}

}  // namespace meshreel
