// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/write_failure.h"

#include <cerrno>

namespace meshreel {

bool saysFull(int code) {
    return code == ENOSPC || code == EDQUOT || code == EFBIG;
}

Sentence writeCure(int code) {
    return writeCure(code, sentence("Choose a folder that exists and that you may write to"));
}

Sentence writeCure(int code, const Sentence& otherwise) {
    switch (code) {
        case ENOSPC:
        case EDQUOT:
        case EFBIG:
            return sentence("Free some space or choose another disk; what was written before is kept");
        case ENAMETOOLONG:
            return sentence("Choose a shorter name");
        case EILSEQ:
        case EINVAL:
            return sentence("The disk does not take this name: choose another name, or another disk");
        case EIO:
        case ESTALE:
        case ENODEV:
        case ENXIO:
        case ETIMEDOUT:
        case EHOSTDOWN:
        case ENOTCONN:
            return sentence("Check the disk or the network drive: it reported a failure");
        case EROFS:
            return sentence("The disk is mounted read-only: choose a folder on another one");
        default:
            return otherwise;
    }
}

Error writeFailure(const Sentence& message, const std::string& where, int code) {
    return {saysFull(code) ? ErrorKind::Resources : ErrorKind::Input, message, where, writeCure(code)};
}

}  // namespace meshreel
