// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/lora.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/strings.h"
#include "engine/weights/formats/safetensors.h"
#include "engine/weights/tensor_names.h"

namespace meshreel {
namespace {

/// Counts the ways in which an adapter's sum was computed: caches of another one are useless.
constexpr int sumRules = 2;

enum class Role : std::uint8_t {
    Down,
    Up,
    UpBias,
    Alpha,
    Difference,
    BiasDifference,
    ModulationDifference,
    HadamardFirstLeft,
    HadamardFirstRight,
    HadamardSecondLeft,
    HadamardSecondRight,
    KroneckerFirst,
    KroneckerFirstLeft,
    KroneckerFirstRight,
    KroneckerSecond,
    KroneckerSecondLeft,
    KroneckerSecondRight,
    Magnitudes,     ///< for rows or for input channels, as its shape says
    RowMagnitudes,  ///< for rows
};

constexpr std::size_t roles = 19;

/// How trainers spell the role of a tensor in its module.
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
    Suffix{".w_norm", Role::Difference},  // LyCORIS (train_norm)
    Suffix{".b_norm", Role::BiasDifference},
    Suffix{".hada_w1_a", Role::HadamardFirstLeft},
    Suffix{".hada_w1_b", Role::HadamardFirstRight},
    Suffix{".hada_w2_a", Role::HadamardSecondLeft},
    Suffix{".hada_w2_b", Role::HadamardSecondRight},
    Suffix{".lokr_w1", Role::KroneckerFirst},
    Suffix{".lokr_w1_a", Role::KroneckerFirstLeft},
    Suffix{".lokr_w1_b", Role::KroneckerFirstRight},
    Suffix{".lokr_w2", Role::KroneckerSecond},
    Suffix{".lokr_w2_a", Role::KroneckerSecondLeft},
    Suffix{".lokr_w2_b", Role::KroneckerSecondRight},
    Suffix{".dora_scale", Role::Magnitudes},
    Suffix{".lora_magnitude_vector", Role::RowMagnitudes},
    Suffix{".lora_magnitude_vector.weight", Role::RowMagnitudes},
    Suffix{".lora_magnitude_vector.default.weight", Role::RowMagnitudes},
};

/// Kinds of adapters whose numbers mean something else: reading the rest of such a file would give a wrong
/// video.
struct OtherKind {
    std::string_view mark;  ///< in a key
    std::string_view name;
};
constexpr std::array otherKinds = {
    OtherKind{".oft_blocks", "OFT"},
    OtherKind{".oft_diag", "OFT"},
    OtherKind{".oft_r.", "OFT"},
    OtherKind{".oft_R.", "OFT"},
    OtherKind{".boft_", "BOFT"},
    OtherKind{".lora_mid.weight", "LoCon in Tucker form"},
    OtherKind{".hada_t1", "LoHa in Tucker form"},
    OtherKind{".hada_t2", "LoHa in Tucker form"},
    OtherKind{".lokr_t1", "LoKr in Tucker form"},
    OtherKind{".lokr_t2", "LoKr in Tucker form"},
    OtherKind{".on_input", "IA3"},
    OtherKind{".vera_lambda_b", "VeRA"},
};

/// Families of models whose adapters hold such keys, with underscores for dots; the first one that fits
/// counts.
struct OtherFamily {
    std::string_view mark;
    std::string_view name;
};
constexpr std::array otherFamilies = {
    OtherFamily{"single_transformer_blocks_", "FLUX or HunyuanVideo"},
    OtherFamily{"double_stream_blocks_", "HiDream"},
    OtherFamily{"double_blocks_", "FLUX or HunyuanVideo"},
    OtherFamily{"single_blocks_", "FLUX or HunyuanVideo"},
    OtherFamily{"joint_blocks_", "Stable Diffusion 3"},
    OtherFamily{"down_blocks_", "Stable Diffusion 1, 2 or XL"},
    OtherFamily{"up_blocks_", "Stable Diffusion 1, 2 or XL"},
    OtherFamily{"mid_block_", "Stable Diffusion 1, 2 or XL"},
    OtherFamily{"input_blocks_", "Stable Diffusion 1, 2 or XL"},
    OtherFamily{"output_blocks_", "Stable Diffusion 1, 2 or XL"},
    OtherFamily{"_img_mlp_", "Qwen-Image"},
    OtherFamily{"_attn_add_q_proj", "FLUX, Qwen-Image or Stable Diffusion 3"},
    OtherFamily{"transformer_blocks_", "FLUX, Qwen-Image, LTX-Video or CogVideoX"},
    OtherFamily{"layers_0_attention_", "Z-Image or Lumina"},
    OtherFamily{"lora_te", "a text encoder"},
};

/// Words in front of the names of modules: of trainers, of pipelines and of the model as a whole. No name of
/// a module begins with one. "lora_unet__" has an empty one.
constexpr std::array<std::string_view, 12> prefixWords{"",     "base",        "diffusion", "dit",
                                                       "lora", "lycoris",     "model",     "module",
                                                       "pipe", "transformer", "unet",      "wan"};

/// A key, or what remains of it after some of these words.
struct BareName {
    std::string_view name;
    int expert = 0;  ///< 2 behind "transformer_2", 1 behind "transformer" and "transformer_1"; counts in
                     ///< files that name both
};

/// From the whole key to what follows all of the words.
std::vector<BareName> bareNames(std::string_view key) {
    constexpr std::string_view transformer = "transformer";
    std::vector<BareName> names{{key}};
    std::string_view before;
    for (std::size_t end = 0; (end = names.back().name.find_first_of("._")) != std::string_view::npos;) {
        const BareName last = names.back();
        const std::string_view word = last.name.substr(0, end);
        const bool counted = (word == "1" || word == "2") && before == transformer;
        if (!counted && std::ranges::find(prefixWords, word) == prefixWords.end())
            break;
        names.push_back({last.name.substr(end + 1), word == transformer || word == "1" ? 1
                                                    : counted                          ? 2
                                                                                       : last.expert});
        before = word;
    }
    return names;
}

/// The transformer that a key names, or 0.
int readExpert(std::string_view key) {
    return bareNames(withoutWrappers(key)).back().expert;
}

/// What follows a trainer's own words in front of "lora_": "blocks_0_self_attn_q" of
/// "My_video_lora_blocks_0_self_attn_q". Empty for other keys.
std::string_view behindOwnWords(std::string_view key) {
    constexpr std::string_view word = "_lora_";
    const std::size_t at = key.find(word);
    return at == std::string_view::npos ? std::string_view() : key.substr(at + word.size());
}

std::vector<int> expertsIn(const TensorFile& file) {
    const auto names = [&](int expert) {
        return std::ranges::any_of(
            file.tensors(), [&](const FileTensor& tensor) { return readExpert(tensor.name) == expert; });
    };
    if (!names(2))
        return {};
    const bool first = std::ranges::any_of(
        file.tensors(), [&](const FileTensor& tensor) { return readExpert(tensor.name) != 2; });
    return first ? std::vector{1, 2} : std::vector{2};
}

/// A tensor of the transformer, or the part of it that an original module's rows become.
struct LoraTarget {
    std::string name;
    int part = 0;
};

std::string underscored(std::string name) {
    std::ranges::replace(name, '.', '_');
    return name;
}

/// A key as the marks of families are spelled. Diffusers' "transformer." before Wan's "blocks." is no
/// "transformer_blocks".
std::string marksIn(std::string key) {
    constexpr std::string_view apart = "transformer.blocks.";
    if (const std::size_t at = key.find(apart); at != std::string::npos)
        key.erase(0, at + apart.find('.') + 1);
    return underscored(std::move(key));
}

/// What the file holds for one module.
struct Module {
    std::array<const FileTensor*, roles> byRole{};

    [[nodiscard]] const FileTensor* of(Role role) const { return byRole[static_cast<std::size_t>(role)]; }
};

/// Whether PEFT wrote the file, going by its keys.
bool isPeftSpelling(std::string_view key) {
    return key.find(".lora_A.") != std::string_view::npos;
}

/// A key as a module and the tensor's role in it.
struct SplitKey {
    std::string module;
    Role role;
};

/// Returns nothing for a key of no known form. PEFT puts the adapter's name, which is arbitrary, between
/// lora_A and weight.
std::optional<SplitKey> splitKey(const std::string& key) {
    const auto suffix =
        std::ranges::find_if(suffixes, [&](const Suffix& row) { return key.ends_with(row.text); });
    if (suffix != suffixes.end())
        return SplitKey{key.substr(0, key.size() - suffix->text.size()), suffix->role};
    constexpr std::string_view weight = ".weight";
    for (const auto& [mark, role] :
         {std::pair{std::string_view(".lora_A."), Role::Down}, {std::string_view(".lora_B."), Role::Up}}) {
        const std::size_t at = key.rfind(mark);
        if (at == std::string::npos || !key.ends_with(weight))
            continue;
        const std::size_t name = at + mark.size();
        if (key.find('.', name) == key.size() - weight.size())
            return SplitKey{key.substr(0, at), role};
    }
    return std::nullopt;
}

bool isLoneWeightsFile(const std::filesystem::path& file) {
    std::error_code failure;
    std::size_t files = 0;
    for (std::filesystem::directory_iterator entry(file.parent_path(), failure), end;
         !failure && entry != end; entry.increment(failure))
        files += hasTensorFileName(entry->path()) ? 1 : 0;
    return files == 1;
}

/// The module as the trained model called it.
std::string bareName(const std::string& base) {
    return std::string(bareNames(base).back().name);
}

/// The factors of a change, in the order of its formula.
std::vector<const FileTensor*> factors(const AdapterChange& change) {
    std::vector<const FileTensor*> list{change.first.left, change.first.right, change.second.left,
                                        change.second.right};
    std::erase(list, nullptr);
    return list;
}

/// The rank of a change's products; nothing when no matrix is a product.
std::optional<std::int64_t> rankOf(const AdapterChange& change) {
    for (const FileTensor* right : {change.first.right, change.second.right})
        if (right != nullptr)
            return right->shape.rank() == 0 ? 1 : right->shape[0];
    return std::nullopt;
}

}  // namespace

/// Puts an adapter together.
class LoraReader {
  public:
    LoraReader(LoraAdapter& adapter, const Checkpoint& target, LoraScope scope, LoraExpert expert)
        : m_adapter(adapter), m_target(target), m_scope(scope), m_expert(expert) {
        m_namesBoth = !expertsIn(adapter.m_file).empty();
        refuseSecondExpert();
        findDescription();
        collectSpellings();
    }

    void read() {
        std::map<std::string, Module> modules;
        for (const FileTensor& tensor : m_adapter.m_file.tensors()) {
            refuseOtherKinds(tensor.name);
            if (isOfOtherExpert(tensor.name))
                continue;
            if (const auto split = splitKey(withoutWrappers(tensor.name)))
                keep(modules[split->module].byRole.at(static_cast<std::size_t>(split->role)), tensor);
            else
                m_adapter.m_unmatched.push_back(tensor.name);
        }
        for (const auto& [base, module] : modules)
            addModule(base, module);
        std::ranges::sort(m_adapter.m_unmatched);
        tellDescription();
        if (m_adapter.m_changes.empty())
            refuseAll();
        if (m_misfit && m_misfits == 1)
            m_adapter.m_warnings.push_back(
                sentence("{} is left out: {}", m_misfit->where(), m_misfit->message()));
        else if (m_misfit)
            m_adapter.m_warnings.push_back(sentence("{} layers of another shape are left out, first {}: {}",
                                                    m_misfits, m_misfit->where(), m_misfit->message()));
    }

  private:
    /// One of two adapters alone would be applied without a word.
    void keep(const FileTensor*& place, const FileTensor& tensor) const {
        if (place != nullptr)
            throw Error(ErrorKind::Input,
                        sentence("it holds two adapters: '{}' and '{}' are for the same layer",
                                 excerpt(place->name), excerpt(tensor.name)),
                        m_adapter.path().string(),
                        sentence("Save the one that you want into a file of its own"));
        place = &tensor;
    }

    [[nodiscard]] bool isOfOtherExpert(const std::string& key) const {
        const int named = m_namesBoth ? readExpert(key) : 0;
        return named != 0 && named != m_expert.number;
    }

    void refuseSecondExpert() const {
        if (m_namesBoth && !m_expert.oneOfTwo)
            throw Error(
                ErrorKind::Input,
                sentence("it has layers for transformer_2, the second of two experts, and the model "
                         "has one transformer"),
                m_adapter.path().string(),
                sentence("Use it with a model of two experts (Wan 2.2 A14B), or an adapter for this one"));
    }

    /// In the file, else beside it. One that lies beside several files belongs only to adapter_model, the
    /// name that PEFT gives.
    void findDescription() {
        const TensorFile& file = m_adapter.m_file;
        if (m_expert.number == 2)
            m_adapter.m_description = PeftConfig::inMetadata(file, "transformer_2");
        if (!m_adapter.m_description)
            m_adapter.m_description = PeftConfig::inMetadata(file, "transformer");
        const std::filesystem::path beside = file.path().parent_path() / PeftConfig::fileName;
        std::error_code ignored;
        if (m_adapter.m_description || !std::filesystem::is_regular_file(beside, ignored) ||
            std::ranges::none_of(file.tensors(),
                                 [](const FileTensor& tensor) { return isPeftSpelling(tensor.name); }))
            return;
        if (file.path().stem() != "adapter_model" && !isLoneWeightsFile(file.path())) {
            m_adapter.m_warnings.push_back(
                sentence("{} is not applied, because the folder holds several files of weights: put this one "
                         "and its description into a folder of their own",
                         PeftConfig::fileName));
            return;
        }
        m_adapter.m_description = PeftConfig::parse(readFile(beside), beside.string());
        m_adapter.m_descriptionFile = beside;
    }

    /// Warns of what a description says and is left out; refuses it if that makes another model.
    void tellDescription() {
        if (!m_adapter.m_description)
            return;
        const PeftConfig& description = *m_adapter.m_description;
        description.refuseReplacements(m_adapter.m_unmatched);
        const auto hasMagnitudes = [](const auto& named) {
            return std::ranges::any_of(
                named.second, [](const AdapterChange& change) { return change.magnitudes != nullptr; });
        };
        if (description.usesDora() && std::ranges::none_of(m_adapter.m_changes, hasMagnitudes))
            m_adapter.m_warnings.push_back(sentence(
                "use_dora is true in {}, and the file holds no magnitudes: it is applied as a plain LoRA",
                description.where()));
        if (!description.unknownKeys().empty())
            m_adapter.m_warnings.push_back(
                sentence("{} is not applied ({})", fmt::to_string(fmt::join(description.unknownKeys(), ", ")),
                         description.where()));
        if (m_ownAlphas > 0)
            m_adapter.m_warnings.push_back(
                sentence("{} layers have an alpha in the file, which is applied in place of {}", m_ownAlphas,
                         description.where()));
    }

    void refuseOtherKinds(const std::string& key) const {
        for (const OtherKind& kind : otherKinds)
            if (key.find(kind.mark) != std::string::npos)
                throw Error(
                    ErrorKind::Input,
                    sentence("this is a {} adapter, which Meshreel does not apply", kind.name),
                    tensorPlace(m_adapter.path().string(), key),
                    sentence("Use a LoRA, or one that its trainer exported as LoRA or merged into a model"));
    }

    /// Nothing fits: a layer of another shape, or another family of models, is the reason.
    [[noreturn]] void refuseAll() const {
        if (m_misfit)
            throw Error(*m_misfit);
        const auto names = [&](const OtherFamily& family) {
            return std::ranges::any_of(m_adapter.m_file.tensors(), [&](const FileTensor& tensor) {
                return marksIn(tensor.name).find(family.mark) != std::string::npos;
            });
        };
        const auto family = std::ranges::find_if(otherFamilies, names);
        if (family != otherFamilies.end())
            throw Error(ErrorKind::Input,
                        sentence("none of its keys fits the transformer: it was made for {}", family->name),
                        m_adapter.path().string(), sentence("Use an adapter that was made for this model"));
        for (const FileTensor& tensor : m_adapter.m_file.tensors())
            if (namesLayer(withoutWrappers(tensor.name)))
                throw Error(ErrorKind::Input,
                            sentence("its keys name layers of the transformer in a form that is not read"),
                            tensorPlace(m_adapter.path().string(), tensor.name),
                            sentence("Convert it to the keys of ComfyUI or PEFT, as its trainer describes"));
        throw Error(ErrorKind::Input, sentence("none of its keys fits the transformer"),
                    m_adapter.path().string(), sentence("Use an adapter that was made for this model"));
    }

    /// Whether a key begins with the name of a layer, whatever follows it.
    [[nodiscard]] bool namesLayer(std::string key) const {
        for (std::size_t dot = 0; (dot = key.rfind('.')) != std::string::npos;) {
            key.resize(dot);
            if (find(key, "weight") != nullptr)
                return true;
        }
        return false;
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

    /// Returns the tensors that BASE.SUFFIX names, whatever words precede it and whichever of its dots are
    /// underscores.
    [[nodiscard]] const std::vector<LoraTarget>* find(const std::string& base,
                                                      const std::string& suffix) const {
        std::vector<BareName> names = bareNames(base);
        if (const std::string_view behind = behindOwnWords(base); !behind.empty())
            names.push_back({behind});
        for (const BareName& bare : names) {
            const std::string name = std::string(bare.name) + (suffix.empty() ? "" : "." + suffix);
            for (const std::string& spelling : {name, underscored(name)})
                if (const auto found = m_spellings.find(spelling); found != m_spellings.end())
                    return &found->second;
        }
        return nullptr;
    }

    void addModule(const std::string& base, const Module& module) {
        const std::vector<LoraTarget>* weight = find(base, "weight");
        std::optional<AdapterChange> change = factoredChange(module);
        if (change && weight != nullptr)
            change->scale = scaleOf(base, module, *change);
        if (!change || !add(weight, *change))
            for (std::size_t role = 0; role < roles; ++role)
                if (!isPlain(static_cast<Role>(role)))
                    unmatched(module.byRole.at(role));
        addPlain(find(base, "bias"), module.of(Role::UpBias), change ? change->scale : 1.0);
        if (m_scope == LoraScope::LowRankLayers && !change)
            return;
        addPlain(find(base, "bias"), module.of(Role::BiasDifference), 1.0);
        if (m_scope == LoraScope::LowRankLayers)
            return;
        addPlain(weight != nullptr ? weight : find(base, ""), module.of(Role::Difference), 1.0);
        addPlain(find(base, "modulation"), module.of(Role::ModulationDifference), 1.0);
    }

    /// Whether a tensor of this role is added as it is.
    static bool isPlain(Role role) {
        return role == Role::UpBias || role == Role::Difference || role == Role::BiasDifference ||
               role == Role::ModulationDifference;
    }

    /// Returns the matrix that is whole in the file, or a product; without `left` when it lacks something.
    static AdapterMatrix matrix(const Module& module, std::optional<Role> whole, Role left, Role right) {
        if (whole && module.of(*whole) != nullptr)
            return {module.of(*whole), nullptr};
        if (module.of(left) != nullptr && module.of(right) != nullptr)
            return {module.of(left), module.of(right)};
        return {};
    }

    /// What the module's factors make, without its scale; nothing when some are missing.
    static std::optional<AdapterChange> factoredChange(const Module& module) {
        AdapterChange change;
        change.first = matrix(module, std::nullopt, Role::Up, Role::Down);
        if (change.first.left == nullptr) {
            change.form = AdapterForm::Hadamard;
            change.first = matrix(module, std::nullopt, Role::HadamardFirstLeft, Role::HadamardFirstRight);
            change.second = matrix(module, std::nullopt, Role::HadamardSecondLeft, Role::HadamardSecondRight);
        }
        if (change.first.left == nullptr) {
            change.form = AdapterForm::Kronecker;
            change.first =
                matrix(module, Role::KroneckerFirst, Role::KroneckerFirstLeft, Role::KroneckerFirstRight);
            change.second =
                matrix(module, Role::KroneckerSecond, Role::KroneckerSecondLeft, Role::KroneckerSecondRight);
        }
        if (change.first.left == nullptr ||
            (change.form != AdapterForm::Plain && change.second.left == nullptr))
            return std::nullopt;
        change.magnitudes = module.of(Role::RowMagnitudes);
        if (const FileTensor* magnitudes = module.of(Role::Magnitudes)) {
            change.magnitudes = magnitudes;
            change.ofRows = magnitudes->shape.rank() < 2 || magnitudes->shape[0] != 1;
        }
        return change;
    }

    void unmatched(const FileTensor* tensor) {
        if (tensor != nullptr)
            m_adapter.m_unmatched.push_back(tensor->name);
    }

    void addPlain(const std::vector<LoraTarget>* targets, const FileTensor* difference, double scale) {
        if (difference != nullptr &&
            !add(targets, {.first = {difference, nullptr}, .second = {}, .scale = scale}))
            unmatched(difference);
    }

    /// False when there is no target, or one that it does not fit.
    bool add(const std::vector<LoraTarget>* targets, const AdapterChange& change) {
        if (targets == nullptr)
            return false;
        for (const LoraTarget& target : *targets)
            if (!change.fits(m_target.shape(target.name), std::ssize(*targets))) {
                noteMisfit(target.name, change);
                return false;
            }
        for (const LoraTarget& target : *targets) {
            AdapterChange own = change;
            const Shape& shape = m_target.shape(target.name);
            own.firstRow = target.part * (shape.rank() == 0 ? 1 : shape[0]);
            m_adapter.m_changes[target.name].push_back(own);
        }
        return true;
    }

    void noteMisfit(const std::string& name, const AdapterChange& change) {
        ++m_misfits;
        if (m_misfit)
            return;
        const std::vector<const FileTensor*> found = factors(change);
        const std::string target = m_target.shape(name).text();
        const FileTensor& named = change.form == AdapterForm::Plain ? *found.back() : *found.front();
        const FileTensor& other = change.form == AdapterForm::Plain ? *found.front() : *found.back();
        m_misfit =
            Error(ErrorKind::Input,
                  found.size() == 1 ? sentence("its shape {} does not fit {} {} of the transformer",
                                               named.shape.text(), name, target)
                                    : sentence("its shape {} with {} does not fit {} {} of the transformer",
                                               named.shape.text(), other.shape.text(), name, target),
                  tensorPlace(m_adapter.path().string(), named.name),
                  sentence("Use an adapter that was made for a model of this size"));
    }

    /// The scale of a change with factors, without the strength: see LoraAdapter.
    [[nodiscard]] double scaleOf(const std::string& base, const Module& module, const AdapterChange& change) {
        const std::optional<std::int64_t> rank = rankOf(change);
        const FileTensor* alpha = module.of(Role::Alpha);
        const auto& description = m_adapter.m_description;
        if (alpha == nullptr)
            return description ? description->scale(bareName(base), rank) : 1.0;
        const Tensor value = m_adapter.m_file.read(*alpha).toF32();
        if (value.elements() != 1 || !std::isfinite(value.data<float>()[0]))
            throw Error(ErrorKind::Input, sentence("its alpha is not one number"),
                        tensorPlace(m_adapter.path().string(), alpha->name),
                        sentence("Get the adapter again"));
        m_ownAlphas += description ? 1 : 0;
        return rank ? static_cast<double>(value.data<float>()[0]) / static_cast<double>(*rank) : 1.0;
    }

    LoraAdapter& m_adapter;
    const Checkpoint& m_target;
    LoraScope m_scope;
    LoraExpert m_expert;
    bool m_namesBoth = false;
    std::size_t m_ownAlphas = 0;    // in place of a description
    std::optional<Error> m_misfit;  // the first
    std::size_t m_misfits = 0;
    std::map<std::string, std::vector<LoraTarget>> m_spellings;
};

std::vector<int> namedExperts(const std::filesystem::path& file) {
    return expertsIn(TensorFile::open(file));
}

std::shared_ptr<const LoraAdapter> LoraAdapter::open(const std::filesystem::path& file,
                                                     const Checkpoint& target, double strength,
                                                     LoraScope scope, LoraExpert expert) {
    const std::shared_ptr<LoraAdapter> adapter(new LoraAdapter(TensorFile::open(file), strength, scope));
    LoraReader(*adapter, target, scope, expert).read();
    return adapter;
}

const std::vector<float>& LoraAdapter::findFactors(const AdapterChange& change,
                                                   const RowsBefore& before) const {
    const std::lock_guard lock(m_factorsMutex);
    const auto known = m_factors.find(&change);
    return known != m_factors.end()
               ? known->second
               : m_factors.emplace(&change, change.magnitudeFactors(m_file, before)).first->second;
}

void LoraAdapter::addTo(std::string_view name, const RowsPlace& place, const RowsBefore& before,
                        Tensor& rows) const {
    const auto found = m_changes.find(name);
    if (found == m_changes.end() || rows.elements() == 0)
        return;
    for (const AdapterChange& change : found->second)
        if (change.magnitudes == nullptr)
            change.addDifference(m_file, place, m_strength * change.scale, rows);
        else
            change.applyMagnitudes(m_file, place, findFactors(change, before), m_strength, rows);
}

std::string LoraAdapter::identity() const {
    std::error_code ignored;
    const auto changed = std::filesystem::last_write_time(path(), ignored).time_since_epoch().count();
    return fmt::format("{} of {} bytes, changed {}, strength {}, scope {}, rules {}{}",
                       std::filesystem::absolute(path()).string(), m_file.fileBytes(), changed, m_strength,
                       static_cast<int>(m_scope), sumRules,
                       m_description ? fmt::format(", description {}", m_description->identity()) : "");
}

std::vector<std::string_view> LoraAdapter::kinds() const {
    constexpr std::array<std::string_view, 4> names{"LoRA", "LoHa", "LoKr", "DoRA"};
    std::array<bool, names.size()> used{};
    for (const auto& [name, changes] : m_changes)
        for (const AdapterChange& change : changes) {
            used.at(static_cast<std::size_t>(change.form)) |= change.isLowRank();
            used.back() |= change.magnitudes != nullptr;
        }
    std::vector<std::string_view> kinds;
    for (std::size_t kind = 0; kind < names.size(); ++kind)
        if (used.at(kind))
            kinds.push_back(names.at(kind));
    return kinds;
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
        for (const AdapterChange& change : changes)
            if (const double scale = m_strength * change.scale; change.isLowRank())
                range = range ? ScaleRange{std::min(range->least, scale), std::max(range->most, scale)}
                              : ScaleRange{scale, scale};
    return range;
}

std::map<double, std::vector<std::string>> LoraAdapter::namesByScale() const {
    std::map<double, std::vector<std::string>> names;
    for (const auto& [name, changes] : m_changes)
        for (const AdapterChange& change : changes)
            if (change.isLowRank())
                names[m_strength * change.scale].push_back(name);
    return names;
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
