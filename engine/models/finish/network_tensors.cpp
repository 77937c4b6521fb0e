// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/finish/network_tensors.h"

#include <array>
#include <cstdint>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/sentence.h"

namespace meshreel {
namespace {

constexpr std::array trainerPrefixes{std::string_view("module."), std::string_view("flownet."),
                                     std::string_view("params_ema."), std::string_view("params.")};

std::string_view withoutTrainerPrefixes(std::string_view name) {
    for (bool found = true; found;) {
        found = false;
        for (const std::string_view prefix : trainerPrefixes)
            if (name.starts_with(prefix)) {
                name.remove_prefix(prefix.size());
                found = true;
            }
    }
    return name;
}

}  // namespace

NetworkTensors NetworkTensors::open(const std::filesystem::path& file, const Rename& rename) {
    NetworkTensors network(TensorFile::open(file));
    const std::vector<FileTensor>& tensors = network.m_file.tensors();
    for (std::size_t index = 0; index < tensors.size(); ++index) {
        std::string name = rename(withoutTrainerPrefixes(tensors[index].name));
        if (name.empty())
            continue;
        if (!network.m_places.emplace(std::move(name), index).second)
            throw Error(ErrorKind::Input, sentence("two tensors of the file have one place in the network"),
                        file.string() + ", tensor '" + tensors[index].name + "'",
                        sentence("Get the file again from where it was published"));
    }
    return network;
}

std::vector<std::string> NetworkTensors::names() const {
    std::vector<std::string> all;
    for (const auto& [name, place] : m_places)
        all.push_back(name);
    return all;
}

Shape NetworkTensors::shape(std::string_view name) const {
    const auto found = m_places.find(name);
    return found == m_places.end() ? Shape() : m_file.tensors()[found->second].shape;
}

Tensor NetworkTensors::get(std::string_view name, const Shape& expected) const {
    const auto found = m_places.find(name);
    if (found == m_places.end())
        refuse(sentence("the network's tensor '{}' is missing", name),
               sentence("Get the file again from where it was published"));
    const FileTensor& tensor = m_file.tensors()[found->second];
    if (tensor.shape != expected)
        refuse(sentence("the network's tensor '{}' has the shape {}, not {}", name, tensor.shape.text(),
                        expected.text()),
               sentence("Get the file again from where it was published"));
    return m_file.read(tensor).toF32();
}

void NetworkTensors::refuse(Sentence message, Sentence hint) const {
    throw Error(ErrorKind::Input, std::move(message), path().string(), std::move(hint));
}

}  // namespace meshreel
