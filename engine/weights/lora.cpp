// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/lora.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/kernels/linear/matmul.h"
#include "engine/weights/formats/safetensors_header.h"
#include "engine/weights/names/name_map.h"

namespace meshreel {
namespace {

constexpr const char* peftMetadata = "lora_adapter_metadata";

enum class Role : std::uint8_t { Down, Up, UpBias, Alpha, Difference, BiasDifference, ModulationDifference };

constexpr std::size_t roles = 7;

struct Suffix {
    std::string_view text;
    Role role;
};
constexpr std::array suffixes = {
    Suffix{".lora_down.weight", Role::Down},
    Suffix{".lora_up.weight", Role::Up},
    Suffix{".lora_A.weight", Role::Down},
    Suffix{".lora_B.weight", Role::Up},
    Suffix{".lora_A.default.weight", Role::Down},
    Suffix{".lora_B.default.weight", Role::Up},
    Suffix{".lora.down.weight", Role::Down},
    Suffix{".lora.up.weight", Role::Up},
    Suffix{"_lora.down.weight", Role::Down},
    Suffix{"_lora.up.weight", Role::Up},
    Suffix{".lora_B.bias", Role::UpBias},
    Suffix{".alpha", Role::Alpha},
    Suffix{".diff", Role::Difference},
    Suffix{".diff_b", Role::BiasDifference},
    Suffix{".diff_m", Role::ModulationDifference},
};

/// Kinds of adapters whose numbers mean something else than a difference of weights: reading the rest of such
/// a file would give a wrong video.
struct OtherKind {
    std::string_view mark;  ///< in a key
    std::string_view name;
};
constexpr std::array otherKinds = {
    OtherKind{".dora_scale", "DoRA"}, OtherKind{".lora_magnitude_vector", "DoRA"},
    OtherKind{".hada_w1", "LoHa"},    OtherKind{".lokr_w1", "LoKr"},
    OtherKind{".lokr_w2", "LoKr"},    OtherKind{".oft_blocks", "OFT"},
    OtherKind{".oft_diag", "OFT"},    OtherKind{".lora_mid.weight", "LoCon in Tucker form"},
    OtherKind{".on_input", "IA3"},    OtherKind{".vera_lambda_b", "VeRA"},
};

/// In front of the names of modules; the longer ones first.
constexpr std::array<std::string_view, 8> loraPrefixes = {"base_model.model.",
                                                          "model.diffusion_model.",
                                                          "diffusion_model.",
                                                          "lora_unet_",
                                                          "lora_transformer_",
                                                          "transformer.",
                                                          "unet.",
                                                          ""};

/// A tensor of the transformer, or the part of it that an original module's rows become.
struct LoraTarget {
    std::string name;
    int part = 0;
};

std::string underscored(std::string name) {
    std::ranges::replace(name, '.', '_');
    return name;
}

/// What the file holds for one module.
struct Module {
    std::array<const FileTensor*, roles> byRole{};

    [[nodiscard]] const FileTensor* of(Role role) const { return byRole[static_cast<std::size_t>(role)]; }
};

/// Numbers of PEFT's own description of an adapter, which the file may carry as JSON.
struct PeftNumbers {
    std::optional<double> rank{};
    std::optional<double> alpha{};
};

PeftNumbers peftNumbers(const TensorFile& file) {
    const auto found = file.metadata().find(peftMetadata);
    if (found == file.metadata().end())
        return {};
    const nlohmann::json json = nlohmann::json::parse(found->second, nullptr, false);
    const auto number = [&](const char* key) -> std::optional<double> {
        for (const std::string& name : {std::string("transformer.") + key, std::string(key)})
            if (const auto value = json.is_object() ? json.find(name) : json.end();
                value != json.end() && value->is_number())
                return value->get<double>();
        return std::nullopt;
    };
    return {number("r"), number("lora_alpha")};
}

std::int64_t rowsOf(const Tensor& tensor) {
    return tensor.shape().rank() == 0 ? 1 : tensor.extent(0);
}

}  // namespace

/// Puts an adapter together.
class LoraReader {
  public:
    LoraReader(LoraAdapter& adapter, const Checkpoint& target, LoraScope scope)
        : m_adapter(adapter), m_target(target), m_scope(scope), m_peft(peftNumbers(adapter.m_file)) {
        collectSpellings();
    }

    void read() {
        std::map<std::string, Module> modules;
        for (const FileTensor& tensor : m_adapter.m_file.tensors()) {
            refuseOtherKinds(tensor.name);
            const auto suffix = std::ranges::find_if(
                suffixes, [&](const Suffix& row) { return tensor.name.ends_with(row.text); });
            if (suffix == suffixes.end()) {
                m_adapter.m_unmatched.push_back(tensor.name);
                continue;
            }
            const std::string base = tensor.name.substr(0, tensor.name.size() - suffix->text.size());
            modules[base].byRole[static_cast<std::size_t>(suffix->role)] = &tensor;
        }
        for (const auto& [base, module] : modules)
            addModule(base, module);
        std::ranges::sort(m_adapter.m_unmatched);
        if (m_adapter.m_changes.empty())
            throw Error(ErrorKind::Input, sentence("none of its keys fits the transformer"),
                        m_adapter.path().string(), sentence("Use an adapter that was made for this model"));
    }

  private:
    void refuseOtherKinds(const std::string& key) const {
        for (const OtherKind& kind : otherKinds)
            if (key.find(kind.mark) != std::string::npos)
                throw Error(
                    ErrorKind::Input,
                    sentence("this is a {} adapter, which Meshreel does not apply", kind.name),
                    tensorPlace(m_adapter.path().string(), key),
                    sentence("Use a LoRA, or one that its trainer exported as LoRA or merged into a model"));
    }

    /// Every name that a module or tensor of the target may have in a file.
    void collectSpellings() {
        const std::vector<std::string> names = m_target.names();
        const NameMap map(ModelPart::Transformer, NameContext::of(names));
        for (const std::string& name : names) {
            const auto original = map.toOriginal(name);
            for (const std::string& spelling : {name, original ? original->name : name}) {
                const LoraTarget target{name, original && spelling != name ? original->part : 0};
                addSpelling(spelling, target);
                addSpelling(underscored(spelling), target);
            }
        }
    }

    void addSpelling(const std::string& spelling, const LoraTarget& target) {
        std::vector<LoraTarget>& targets = m_spellings[spelling];
        if (std::ranges::find(targets, target.name, &LoraTarget::name) == targets.end())
            targets.push_back(target);
    }

    /// The tensors that BASE.SUFFIX or BASE_SUFFIX names, whatever stands in front of it.
    [[nodiscard]] const std::vector<LoraTarget>* find(const std::string& base,
                                                      std::string_view suffix) const {
        for (const std::string_view prefix : loraPrefixes) {
            if (!base.starts_with(prefix))
                continue;
            const std::string bare = base.substr(prefix.size());
            for (const char* joint : {".", "_"}) {
                const auto found =
                    m_spellings.find(suffix.empty() ? bare : bare + joint + std::string(suffix));
                if (found != m_spellings.end())
                    return &found->second;
            }
        }
        return nullptr;
    }

    void addModule(const std::string& base, const Module& module) {
        const FileTensor* down = module.of(Role::Down);
        const FileTensor* up = module.of(Role::Up);
        const bool pair = down != nullptr && up != nullptr;
        if (!pair || !add(find(base, "weight"), {up, down, scaleOf(module, *down)}))
            for (const FileTensor* tensor : {down, up, module.of(Role::Alpha)})
                unmatched(tensor);
        addPlain(find(base, "bias"), module.of(Role::UpBias));
        if (m_scope == LoraScope::LowRankLayers && !pair)
            return;
        addPlain(find(base, "bias"), module.of(Role::BiasDifference));
        if (m_scope == LoraScope::LowRankLayers)
            return;
        const std::vector<LoraTarget>* weight = find(base, "weight");
        addPlain(weight != nullptr ? weight : find(base, ""), module.of(Role::Difference));
        addPlain(find(base, "modulation"), module.of(Role::ModulationDifference));
    }

    void unmatched(const FileTensor* tensor) {
        if (tensor != nullptr)
            m_adapter.m_unmatched.push_back(tensor->name);
    }

    void addPlain(const std::vector<LoraTarget>* targets, const FileTensor* difference) {
        if (difference != nullptr && !add(targets, {nullptr, difference, m_adapter.m_strength}))
            unmatched(difference);
    }

    /// False when there is no target.
    bool add(const std::vector<LoraTarget>* targets, const LoraAdapter::Change& change) {
        if (targets == nullptr)
            return false;
        for (const LoraTarget& target : *targets) {
            LoraAdapter::Change own = change;
            const Shape& shape = m_target.shape(target.name);
            own.firstRow = target.part * (shape.rank() == 0 ? 1 : shape[0]);
            requireFit(target.name, shape, own, static_cast<std::int64_t>(targets->size()));
            m_adapter.m_changes[target.name].push_back(own);
        }
        return true;
    }

    void requireFit(const std::string& name, const Shape& shape, const LoraAdapter::Change& change,
                    std::int64_t parts) const {
        const std::int64_t wanted = shape.elements() * parts;
        const Shape& down = change.down->shape;
        if (change.up == nullptr) {
            if (down.elements() == wanted)
                return;
        } else if (const Shape& up = change.up->shape; up.rank() > 1 && down.rank() > 1 && shape.rank() > 1) {
            const std::int64_t rank = down[0];
            if (rank > 0 && up.elements() == shape[0] * parts * rank && up[0] == shape[0] * parts &&
                down.elements() / rank * shape[0] * parts == wanted)
                return;
        }
        throw Error(ErrorKind::Input,
                    change.up == nullptr
                        ? sentence("its shape {} does not fit {} {} of the transformer", down.text(), name,
                                   shape.text())
                        : sentence("its shape {} with {} does not fit {} {} of the transformer", down.text(),
                                   change.up->shape.text(), name, shape.text()),
                    tensorPlace(m_adapter.path().string(), change.down->name),
                    sentence("Use an adapter that was made for a model of this size"));
    }

    /// strength · alpha / rank; alpha is a number of the file, of its metadata, or the rank.
    [[nodiscard]] double scaleOf(const Module& module, const FileTensor& down) const {
        const double rank = down.shape.rank() == 0 ? 1.0 : static_cast<double>(down.shape[0]);
        if (const FileTensor* alpha = module.of(Role::Alpha)) {
            const Tensor value = m_adapter.m_file.read(*alpha).toF32();
            if (value.elements() != 1 || !std::isfinite(value.data<float>()[0]))
                throw Error(ErrorKind::Input, sentence("its alpha is not one number"),
                            tensorPlace(m_adapter.path().string(), alpha->name),
                            sentence("Get the adapter again"));
            return m_adapter.m_strength * static_cast<double>(value.data<float>()[0]) / rank;
        }
        return m_peft.alpha ? m_adapter.m_strength * *m_peft.alpha / m_peft.rank.value_or(rank)
                            : m_adapter.m_strength;
    }

    LoraAdapter& m_adapter;
    const Checkpoint& m_target;
    LoraScope m_scope;
    PeftNumbers m_peft;
    std::map<std::string, std::vector<LoraTarget>> m_spellings;
};

std::shared_ptr<const LoraAdapter> LoraAdapter::open(const std::filesystem::path& file,
                                                     const Checkpoint& target, double strength,
                                                     LoraScope scope) {
    const std::shared_ptr<LoraAdapter> adapter(new LoraAdapter(TensorFile::open(file), strength, scope));
    LoraReader(*adapter, target, scope).read();
    return adapter;
}

void LoraAdapter::addTo(std::string_view name, const RowsPlace& place, Tensor& rows) const {
    const auto found = m_changes.find(name);
    if (found == m_changes.end() || rows.elements() == 0)
        return;
    for (const Change& change : found->second)
        if (change.up == nullptr)
            addDifference(change, place, rows);
        else
            addProduct(change, place, rows);
}

// A difference with other axes than its target is read whole, others by rows.
void LoraAdapter::addDifference(const Change& change, const RowsPlace& place, Tensor& rows) const {
    const std::int64_t count = rowsOf(rows);
    const std::int64_t columns = rows.elements() / count;
    const std::int64_t begin = change.firstRow + place.firstRow;
    const Shape& shape = change.down->shape;
    const bool sameRows = shape.rank() > 0 && shape.elements() == shape[0] * place.width;
    const Tensor difference =
        (sameRows ? m_file.readRows(*change.down, begin, count) : m_file.read(*change.down)).toF32();
    const auto from = difference.data<float>().subspan(
        static_cast<std::size_t>((sameRows ? 0 : begin * place.width) + place.firstColumn));
    const auto to = rows.data<float>();
    for (std::int64_t row = 0; row < count; ++row)
        for (std::int64_t column = 0; column < columns; ++column)
            to[static_cast<std::size_t>(row * columns + column)] +=
                static_cast<float>(change.scale) * from[static_cast<std::size_t>(row * place.width + column)];
}

void LoraAdapter::addProduct(const Change& change, const RowsPlace& place, Tensor& rows) const {
    const std::int64_t count = rowsOf(rows);
    const std::int64_t columns = rows.elements() / count;
    const Tensor up = m_file.readRows(*change.up, change.firstRow + place.firstRow, count).toF32();
    const Tensor down = m_file.read(*change.down).toF32();
    const std::int64_t rank = down.extent(0);
    gemm(false, false, count, columns, rank, static_cast<float>(change.scale), up.data<float>().data(), rank,
         down.data<float>().data() + place.firstColumn, place.width, 1.0F, rows.data<float>().data(),
         columns);
}

std::string LoraAdapter::identity() const {
    std::error_code ignored;
    const auto changed = std::filesystem::last_write_time(path(), ignored).time_since_epoch().count();
    return fmt::format("{} of {} bytes, changed {}, strength {}, scope {}",
                       std::filesystem::absolute(path()).string(), m_file.fileBytes(), changed, m_strength,
                       static_cast<int>(m_scope));
}

std::vector<std::string> LoraAdapter::changedNames() const {
    std::vector<std::string> names;
    for (const auto& [name, changes] : m_changes)
        names.push_back(name);
    return names;
}

std::optional<LoraAdapter::ScaleRange> LoraAdapter::effectiveScale() const {
    std::optional<ScaleRange> range;
    for (const auto& [name, changes] : m_changes)
        for (const Change& change : changes)
            if (change.up != nullptr)
                range = range ? ScaleRange{std::min(range->least, change.scale),
                                           std::max(range->most, change.scale)}
                              : ScaleRange{change.scale, change.scale};
    return range;
}

Sentence LoraAdapter::text() const {
    const auto changes = [&, file = path().filename().string(), scale = effectiveScale()] {
        if (!scale)
            return sentence("{}: changes {} tensors, strength {:g}", file, changedTensors(), m_strength);
        if (scale->least == scale->most)
            return sentence("{}: changes {} tensors, strength {:g}, effective scale {:g}", file,
                            changedTensors(), m_strength, scale->least);
        return sentence("{}: changes {} tensors, strength {:g}, effective scale {:g} to {:g}", file,
                        changedTensors(), m_strength, scale->least, scale->most);
    };
    return m_unmatched.empty() ? sentence("{}; every key fits", changes())
                               : sentence("{}; {} keys fit nothing", changes(), m_unmatched.size());
}

}  // namespace meshreel
