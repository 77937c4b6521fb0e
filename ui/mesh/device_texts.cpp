// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mesh/device_texts.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>
#include <initializer_list>

#include "ui/mesh/factoring_model.h"

namespace meshreel {

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
    if (picture.attention.mode->rotation == Rotation::BidirectionalRing)
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
    return text + DeviceTexts::tr(". Point at a device to see what it holds and exchanges.");
}

}  // namespace meshreel
