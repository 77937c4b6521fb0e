// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tensor/dtype.h"

#include "engine/base/error.h"

namespace meshreel {

std::size_t byteSize(DType type) {
    switch (type) {
        case DType::F64:
        case DType::I64:
            return 8;
        case DType::F32:
        case DType::I32:
            return 4;
        case DType::F16:
        case DType::BF16:
            return 2;
        case DType::U8:
        case DType::Bool:
            return 1;
    }
    throw Error(ErrorKind::Internal, "unknown dtype");
}

std::string_view nameOf(DType type) {
    switch (type) {
        case DType::F64:
            return "F64";
        case DType::F32:
            return "F32";
        case DType::F16:
            return "F16";
        case DType::BF16:
            return "BF16";
        case DType::I64:
            return "I64";
        case DType::I32:
            return "I32";
        case DType::U8:
            return "U8";
        case DType::Bool:
            return "BOOL";
    }
    throw Error(ErrorKind::Internal, "unknown dtype");
}

}  // namespace meshreel
