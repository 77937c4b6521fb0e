// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mesh/mesh_picture.h"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <initializer_list>

#include "engine/attention/attention_mode.h"
#include "engine/estimates/run_work.h"
#include "engine/estimates/work.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/planning/gpu_plan.h"
#include "engine/planning/mesh_traffic.h"
#include "engine/planning/run_plan.h"
#include "engine/planning/step_passes.h"
#include "ui/mesh/legal_mesh_model.h"

namespace meshreel {

namespace {

/// Devices of the same context axis whose ring index, or whose ulysses index, is that of `device`.
template <typename IsMember>
std::vector<int> contextGroup(const MeshLayout& layout, const PicturedDevice& device,
                              const IsMember& isMember) {
    std::vector<int> group;
    DeviceCoordinates at = device.at;
    for (at.context = 0; at.context < layout.shape().context; ++at.context)
        if (isMember(at.context))
            group.push_back(layout.deviceAt(at));
    return group;
}

PicturedDevice pictured(const MeshPicture& picture, int number) {
    const MeshShape shape = picture.layout.shape();
    const ContextSplit& split = picture.split;
    PicturedDevice device{.number = number, .at = picture.layout.coordinates(number)};
    device.ring = device.at.context / split.ulysses;
    device.ulysses = device.at.context % split.ulysses;
    device.tokens = shardRange(picture.tokens, shape.context, device.at.context);
    device.computeTokens = groupTokens(split, picture.tokens, device.ring);
    const std::int64_t ofTensor = picture.heads / shape.tensor;
    const std::int64_t first = device.at.tensor * ofTensor;
    device.heads = headShard({first, first + ofTensor}, split.ulysses, device.ulysses);
    device.ulyssesGroup = contextGroup(picture.layout, device,
                                       [&](int context) { return context / split.ulysses == device.ring; });
    device.ringGroup = contextGroup(picture.layout, device,
                                    [&](int context) { return context % split.ulysses == device.ulysses; });
    device.rank = number / (picture.layout.devices() / picture.ranks);
    if (!picture.hosts.empty())
        device.host = hostOfRank(picture.hosts, device.rank);
    return device;
}

void placeDevices(MeshPicture& picture) {
    picture.devices.clear();
    for (int number = 0; number < picture.layout.devices(); ++number)
        picture.devices.push_back(pictured(picture, number));
}

/// The plan knows the names on the first rank's host.
void placeGpus(MeshPicture& picture, const RunPlan& plan) {
    const std::vector<int> numbers = gpuNumbers(plan);
    for (std::size_t device = 0; device < std::min(numbers.size(), picture.devices.size()); ++device) {
        PicturedDevice& placed = picture.devices[device];
        placed.gpu = PicturedGpu{.number = numbers[device], .name = {}};
        const auto known = std::ranges::find(plan.placement.gpus, numbers[device], &ChosenGpu::number);
        if (known != plan.placement.gpus.end() && placed.host == picture.devices.front().host)
            placed.gpu->name = QString::fromStdString(known->facts.name);
    }
}

}  // namespace

QString shortGpuName(const QString& name) {
    static const QRegularExpression brackets(QStringLiteral("\\([^)]*\\)"));
    static const QRegularExpression makers(
        QStringLiteral("\\b(NVIDIA|GeForce|AMD|Intel|Corporation|Graphics)\\b"),
        QRegularExpression::CaseInsensitiveOption);
    QString kept = name;
    kept.remove(brackets);
    const QString without = QString(kept).remove(makers).simplified();
    return without.isEmpty() ? kept.simplified() : without;
}

bool MeshPicture::gathers() const {
    return attention.rotation == Rotation::None && split.ring > 1;
}

bool differOnlyAlong(std::initializer_list<MeshAxis> axes, const PicturedDevice& one,
                     const PicturedDevice& other) {
    return std::ranges::all_of(meshAxes, [&](MeshAxis axis) {
        return one.at.along(axis) == other.at.along(axis) || std::ranges::count(axes, axis) > 0;
    });
}

MeshPicture makeMeshPicture(const RunPlan& plan, const std::vector<Host>& hosts) {
    MeshPicture picture{.layout = plan.layout,
                        .split = plan.attentions.self.split,
                        .attention = plan.attentions.self,
                        .tokens = plan.tokens,
                        .heads = plan.model.transformer.heads,
                        .devices = {},
                        .ranks = plan.ranks,
                        .hosts = hosts};
    placeDevices(picture);
    placeGpus(picture, plan);
    const std::vector<std::int64_t> received = selfAttentionBytes(plan);
    const std::int64_t attentions = allBlocks(plan.model.transformer) * passesPerStep(plan);
    std::int64_t others = -attentions * std::ranges::max(received);
    for (const MeshTraffic& traffic : trafficPerStep(plan))
        others += traffic.bytes;
    for (PicturedDevice& device : picture.devices) {
        device.bytesReceived = received[static_cast<std::size_t>(device.at.context)];
        device.bytesPerStep = attentions * device.bytesReceived + others;
    }
    return picture;
}

MeshPicture pictureOn(const MeshPicture& picture, const MeshLayout& layout, const ContextSplit& split) {
    MeshPicture other = picture;
    other.layout = layout;
    other.split = split;
    placeDevices(other);
    return other;
}

namespace {

struct HostTexts {
    Q_DECLARE_TR_FUNCTIONS(meshreel::HostTexts)
};

/// Hosts that an uneven sum lists by name.
constexpr std::size_t mostNamed = 6;

QString sumOf(const std::vector<Host>& hosts) {
    const auto slotCount = [](int ranks) {
        return HostTexts::tr("%n slot(s)", "of a host, for ranks", ranks);
    };
    const auto isEven = [&](const Host& host) { return host.ranks == hosts.front().ranks; };
    const QString count = HostTexts::tr("%n host(s)", "", static_cast<int>(hosts.size()));
    if (std::ranges::all_of(hosts, isEven))
        return QStringLiteral("%1 × %2").arg(count, slotCount(hosts.front().ranks));
    QStringList terms;
    for (const Host& host : hosts)
        if (static_cast<std::size_t>(terms.size()) < mostNamed)
            terms += QStringLiteral("%1 %2").arg(QString::fromStdString(host.name)).arg(host.ranks);
    if (hosts.size() > mostNamed)
        terms += QStringLiteral("…");
    return QStringLiteral("%1: %2").arg(count, terms.join(QStringLiteral(" + ")));
}

}  // namespace

QString hostsSentence(const std::vector<Host>& hosts, int devices) {
    const int ranks = countSlots(hosts);
    const QString sum = QStringLiteral("%1 = %2").arg(sumOf(hosts), HostTexts::tr("%n rank(s)", "", ranks));
    if (devices == 0 || devices % ranks != 0)
        return sum;
    return HostTexts::tr("%1, each with %n device(s)", "sum of ranks", devices / ranks).arg(sum);
}

namespace {

struct DeviceTexts {
    Q_DECLARE_TR_FUNCTIONS(meshreel::DeviceTexts)
};

QString rangeText(const ShardRange& range) {
    const QLocale locale;
    return range.size() <= 1 ? locale.toString(static_cast<qlonglong>(range.begin))
                             : DeviceTexts::tr("%1 to %2", "first and last")
                                   .arg(locale.toString(static_cast<qlonglong>(range.begin)),
                                        locale.toString(static_cast<qlonglong>(range.end - 1)));
}

QString placeText(const MeshPicture& picture, const PicturedDevice& device) {
    QStringList words;
    for (const MeshAxis axis : meshAxes)
        if (picture.layout.shape().extent(axis) > 1)
            words += QStringLiteral("%1 %2")
                         .arg(QString::fromStdString(std::string(nameOf(axis))))
                         .arg(device.at.along(axis));
    if (picture.split.ulysses > 1 && picture.split.ring > 1)
        words += DeviceTexts::tr("ring place %1, ulysses place %2").arg(device.ring).arg(device.ulysses);
    return words.join(QStringLiteral(" · "));
}

QString others(const std::vector<int>& group, int device) {
    QStringList words;
    for (const int member : group)
        if (member != device)
            words += QString::number(member);
    return words.join(QStringLiteral(", "));
}

QString along(const MeshPicture& picture, const PicturedDevice& device,
              std::initializer_list<MeshAxis> axes) {
    std::vector<int> group;
    for (const PicturedDevice& member : picture.devices)
        if (differOnlyAlong(axes, device, member))
            group.push_back(member.number);
    return others(group, device.number);
}

QString ringText(const MeshPicture& picture, const PicturedDevice& device) {
    const int size = picture.split.ring;
    const auto at = [&](int ring) {
        return device.ringGroup[static_cast<std::size_t>((ring + size) % size)];
    };
    if (picture.gathers())
        return DeviceTexts::tr("gathers keys from %1").arg(others(device.ringGroup, device.number));
    if (picture.attention.rotation == Rotation::BidirectionalRing)
        return DeviceTexts::tr("keys pass along the line of %1").arg(others(device.ringGroup, device.number));
    return DeviceTexts::tr("takes keys from %1, passes them to %2")
        .arg(at(device.ring - 1))
        .arg(at(device.ring + 1));
}

}  // namespace

QString deviceText(const MeshPicture& picture, int number) {
    const PicturedDevice& device = picture.device(number);
    const QLocale locale;
    const MeshShape shape = picture.layout.shape();
    QStringList neighbours;
    if (picture.split.ulysses > 1)
        neighbours += DeviceTexts::tr("trades heads with %1").arg(others(device.ulyssesGroup, number));
    if (picture.split.ring > 1)
        neighbours += ringText(picture, device);
    if (shape.tensor > 1)
        neighbours +=
            DeviceTexts::tr("adds up layers with %1").arg(along(picture, device, {MeshAxis::Tensor}));
    if (shape.fsdp > 1)
        neighbours +=
            DeviceTexts::tr("gathers weights from %1").arg(along(picture, device, {MeshAxis::Fsdp}));
    if (shape.data * shape.fsdp > 1)
        neighbours += DeviceTexts::tr("gathers predictions from %1")
                          .arg(along(picture, device, {MeshAxis::Data, MeshAxis::Fsdp}));
    QString text = DeviceTexts::tr("Device %1", "number").arg(number);
    if (const QString place = placeText(picture, device); !place.isEmpty())
        text += QStringLiteral(" (%1)").arg(place);
    if (!picture.hosts.empty())
        text += DeviceTexts::tr(", rank %1 on %2", "number, host")
                    .arg(device.rank)
                    .arg(QString::fromStdString(picture.hosts[device.host].name));
    if (device.gpu)
        text += DeviceTexts::tr(", on GPU %1", "number").arg(device.gpu->number);
    if (device.gpu && !device.gpu->name.isEmpty())
        text += QStringLiteral(" (%1)").arg(device.gpu->name);
    text += DeviceTexts::tr(": holds tokens %1; computes tokens %2 of heads %3", "ranges")
                .arg(rangeText(device.tokens), rangeText(device.computeTokens), rangeText(device.heads));
    if (!neighbours.isEmpty())
        text += QStringLiteral("; ") + neighbours.join(QStringLiteral("; "));
    return text + DeviceTexts::tr(". Receives %1 in an attention, %2 in a step.", "bytes")
                      .arg(locale.formattedDataSize(device.bytesReceived, 1),
                           locale.formattedDataSize(device.bytesPerStep, 1));
}

QString meshSentence(const MeshPicture& picture) {
    QString text = DeviceTexts::tr("%1 devices: %2", "number and mesh")
                       .arg(picture.layout.devices())
                       .arg(meshText(picture.layout.shape()));
    if (picture.layout.shape().context > 1)
        text += DeviceTexts::tr("; rings of %1, ulysses groups of %2")
                    .arg(picture.split.ring)
                    .arg(picture.split.ulysses);
    text += DeviceTexts::tr(". Point at a device to see what it holds and exchanges.");
    if (std::ranges::any_of(picture.devices,
                            [](const PicturedDevice& device) { return device.gpu.has_value(); }))
        text += DeviceTexts::tr(" Devices with pins are GPUs.", "behind another sentence");
    return text;
}

}  // namespace meshreel
