// SPDX-License-Identifier: GPL-3.0-or-later
// shader-forms FORM NAME IN.spv OUT.h: a shader of GL_NV_cooperative_matrix in one of the forms that
// engine/gpu/matrix_forms.h lists, as a header with the array NAME.
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "tools/shaders/matrix_forms.h"

namespace meshreel {
namespace {

std::vector<std::uint32_t> readWords(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    const std::vector<char> bytes(std::istreambuf_iterator<char>(stream), {});
    if (bytes.empty() || bytes.size() % sizeof(std::uint32_t) != 0)
        throw std::runtime_error("The shader cannot be read");
    std::vector<std::uint32_t> words(bytes.size() / sizeof(std::uint32_t));
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(words.data()));
    return words;
}

void makeForm(const std::string& form, const std::string& name, const std::string& in,
              const std::string& out) {
    std::vector<std::uint32_t> words = readWords(in);
    if (form == "khr_f16")
        words = toKhrMatrices(words, MatrixFactors::Half);
    else if (form == "khr_bf16")
        words = toKhrMatrices(words, MatrixFactors::Bfloat16);
    else if (form == "int8")
        words = toKhrMatrices(words, MatrixFactors::Int8);
    else if (form != "nv_f16")
        throw std::runtime_error("There is no form " + form + ": use nv_f16, khr_f16, khr_bf16 or int8");
    std::ofstream stream(out);
    stream << spirvHeader(words, name);
    if (!stream.flush())
        throw std::runtime_error(out + " cannot be written");
}

}  // namespace
}  // namespace meshreel

int main(int count, char** arguments) {
    if (count != 5) {
        std::fputs("Usage: shader-forms FORM NAME IN.spv OUT.h\n", stderr);
        return 2;
    }
    try {
        meshreel::makeForm(arguments[1], arguments[2], arguments[3], arguments[4]);
        return 0;
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "shader-forms: %s: %s\n", arguments[3], failure.what());
        return 1;
    }
}
