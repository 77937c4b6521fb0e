// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/formats/safetensors_stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/weights/formats/safetensors_layout.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t pieceElements = std::int64_t{1} << 22;

[[noreturn]] void throwNotWritten(const fs::path& file, int code) {
    throw Error(ErrorKind::Resources, sentence("the weights could not be written ({})", std::strerror(code)),
                file.string(), sentence("Free some space or choose another disk"));
}

/// A file that grows by what is appended.
class Appender {
  public:
    explicit Appender(const fs::path& file) : m_file(file), m_out(file, std::ios::binary) { check(); }

    void append(const char* bytes, std::size_t count) {
        m_out.write(bytes, static_cast<std::streamsize>(count));
        check();
    }

    void append(std::span<const float> values, DType dtype) {
        if (dtype == DType::F32)
            append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
        else if (dtype == DType::BF16)
            appendConverted(values, m_brains, toBFloat16);
        else if (dtype == DType::F16)
            appendConverted(values, m_halves, toHalf);
        else
            throw Error(ErrorKind::Internal,
                        "weights of dtype " + std::string(nameOf(dtype)) + " cannot be streamed");
    }

    void close() {
        m_out.close();
        check();
    }

  private:
    template <typename Number>
    void appendConverted(std::span<const float> values, std::vector<Number>& converted,
                         Number (*convertOne)(float)) {
        converted.resize(values.size());
        std::ranges::transform(values, converted.begin(), convertOne);
        append(reinterpret_cast<const char*>(converted.data()), converted.size() * sizeof(Number));
    }

    void check() {
        if (!m_out)
            throwNotWritten(m_file, errno);
    }

    fs::path m_file;
    std::ofstream m_out;
    std::vector<BFloat16> m_brains;
    std::vector<Half> m_halves;
};

void appendTensor(Appender& out, const TensorSpec& tensor, std::size_t index, const TensorFiller& fill,
                  std::vector<float>& piece) {
    const std::int64_t elements = tensor.shape.elements();
    for (std::int64_t first = 0; first < elements; first += pieceElements) {
        piece.resize(static_cast<std::size_t>(std::min(pieceElements, elements - first)));
        fill(index, first, piece);
        out.append(piece, tensor.dtype);
    }
}

}  // namespace

void streamSafetensorsInPlace(const fs::path& file, std::span<const TensorSpec> tensors,
                              const TensorFiller& fill, const SafetensorsMetadata& metadata) {
    const SafetensorsLayout layout = layoutSafetensors(tensors, metadata);
    Appender out(file);
    out.append(layout.head.data(), layout.head.size());
    std::vector<float> piece;
    if (fill)
        for (const std::size_t index : layout.order)
            appendTensor(out, tensors[index], index, fill, piece);
    out.close();
    std::error_code failure;
    fs::resize_file(file, layout.head.size() + layout.dataBytes, failure);
    if (failure)
        throwNotWritten(file, failure.value());
}

void streamSafetensors(const fs::path& file, std::span<const TensorSpec> tensors, const TensorFiller& fill,
                       const SafetensorsMetadata& metadata) {
    writeFileAtomically(file, [&](const fs::path& temporary) {
        streamSafetensorsInPlace(temporary, tensors, fill, metadata);
    });
}

}  // namespace meshreel
